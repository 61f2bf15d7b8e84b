/* SPDX-License-Identifier: BSD-3-Clause */
/* The string table: sorted, each string without the prefix it shares with the previous one. */
#include <string.h>

#include "base/sort.h"
#include "format/sections.h"
#include "model/strings.h"

static int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t shared_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* Sorted, so that equal profiles have equal tables; numbered from 1, as 0 is the empty string. */
static const char **sorted_strings(struct fm_column_writer *w)
{
    const char **texts = fm_arena_alloc(&w->scratch, w->strings.n * sizeof *texts);
    if (!texts)
        return NULL;
    size_t n = 0;
    for (size_t i = 0; i < w->strings.capacity; i++)
        if (w->strings.slots[i].text)
            texts[n++] = w->strings.slots[i].text;
    if (!fm_sort(texts, n, sizeof *texts, text_order, &w->scratch))
        return NULL;
    for (size_t i = 0; i < n; i++)
        fm_intern_find(&w->strings, texts[i])->number = (uint32_t)i + 1;
    return texts;
}

void fm_put_strings(struct fm_column_writer *w)
{
    size_t n = w->strings.n, length = 0;
    const char **texts = sorted_strings(w);
    uint64_t *prefixes = fm_arena_alloc(&w->scratch, n * sizeof *prefixes);
    uint64_t *lengths = fm_arena_alloc(&w->scratch, n * sizeof *lengths);
    if (!texts || !prefixes || !lengths) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        prefixes[i] = i ? shared_prefix(texts[i - 1], texts[i]) : 0;
        lengths[i] = strlen(texts[i]) - prefixes[i];
        length += lengths[i];
    }
    char *suffixes = fm_arena_alloc(&w->scratch, length);
    if (!suffixes) {
        w->failed = true;
        return;
    }
    length = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(suffixes + length, texts[i] + prefixes[i], lengths[i]);
        length += lengths[i];
    }
    fm_put_number(w, n);
    fm_pack_column(&w->pack, prefixes, n, NULL, false);
    fm_pack_column(&w->pack, lengths, n, NULL, false);
    fm_pack_text(&w->pack, suffixes, length);
}

void fm_get_strings(struct fm_column_reader *r)
{
    size_t n = fm_get_count(r, 2);
    uint64_t *prefixes = fm_column_reader_take(r, &r->scratch, n, sizeof *prefixes);
    const char **strings = fm_column_reader_take(r, &r->scratch, n + 1, sizeof *strings);
    const uint64_t *column = fm_get_column(r, n, NULL);
    if (fm_column_reader_stopped(r))
        return;
    memcpy(prefixes, column, n * sizeof *prefixes);
    column = fm_get_column(r, n, NULL);
    size_t total = fm_get_total(r, column, n, UINT32_MAX), longest = 0, table_bytes = 0;
    for (size_t i = 0, last = 0; column && i < n && !r->wrong; i++) {
        if (prefixes[i] > last || !column[i] || table_bytes > FM_MAX_TEXT)
            r->wrong = "strings out of order";
        last = (size_t)(prefixes[i] + column[i]);
        table_bytes += last + 1;
        longest = last > longest ? last : longest;
    }
    char *suffixes = fm_column_reader_take(r, &r->scratch, total, 1),
         *text = fm_column_reader_take(r, &r->scratch, longest + 1, 1);
    if (!column || fm_column_reader_stopped(r))
        return;
    fm_unpack_text(&r->unpack, suffixes, total);
    strings[0] = "";
    for (size_t i = 0; i < n && !fm_column_reader_stopped(r); i++) {
        memcpy(text + prefixes[i], suffixes, column[i]);
        text[prefixes[i] + column[i]] = 0;
        suffixes += column[i];
        strings[i + 1] = fm_profile_intern(r->profile, text);
        if (!strings[i + 1]) {
            r->no_memory = true;
            return;
        }
        if (strlen(text) != prefixes[i] + column[i] || strcmp(strings[i], strings[i + 1]) >= 0)
            r->wrong = "strings out of order";
    }
    r->strings = strings;
    r->n_strings = n + 1;
}
