/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/column_reader.h"

#include "format/encode.h"

bool fm_column_reader_stopped(struct fm_column_reader *r)
{
    if (r->unpack.failed && !r->wrong)
        r->wrong = "a section is truncated";
    return r->wrong || r->no_memory;
}

void *fm_column_reader_take(struct fm_column_reader *r, struct fm_arena *arena, size_t n, size_t item_size)
{
    void *memory = n > SIZE_MAX / 4 / item_size ? NULL : fm_arena_alloc(arena, n * item_size);
    if (!memory)
        r->no_memory = true;
    return memory;
}

size_t fm_get_count(struct fm_column_reader *r, size_t columns)
{
    uint64_t n = fm_column_reader_stopped(r) ? 0 : fm_unpack_number(&r->unpack);
    if (n > (uint64_t)r->section_bytes * 1024 / columns + 1024 && !r->wrong)
        r->wrong = "invalid count";
    return fm_column_reader_stopped(r) ? 0 : (size_t)n;
}

uint64_t *fm_get_column(struct fm_column_reader *r, size_t n, const uint32_t *before)
{
    if (fm_column_reader_stopped(r))
        return NULL;
    uint64_t *column = fm_arena_grow(&r->scratch, r->column, &r->column_capacity, n, sizeof *column);
    if (!column) {
        r->no_memory = true;
        return NULL;
    }
    r->column = column;
    fm_unpack_column(&r->unpack, column, n, before);
    if (r->progress)
        fm_progress_set(r->progress, FM_READ_FILE_PERCENT, FM_READ_PERCENT,
                        (uint64_t)(r->unpack.bytes + r->unpack.at - r->begin), r->size);
    return fm_column_reader_stopped(r) ? NULL : column;
}

static void set_text(struct fm_column_reader *r, const struct fm_field *field, char *item, uint64_t number)
{
    if (number >= r->n_strings)
        r->wrong = "invalid string number";
    else
        *(const char **)(void *)(item + field->offset) = r->strings[number];
}

/* Reads which columns follow: their fields, NULL for unknown ones. */
static size_t get_columns(struct fm_column_reader *r, const struct fm_fields *fields, const struct fm_field **columns)
{
    bool listed = r->version > 1;
    uint64_t n = listed ? fm_unpack_number(&r->unpack) : fm_fields_at_first(fields), number = 0;
    if (n > FM_MOST_COLUMNS && !r->wrong)
        r->wrong = "a list has too many columns";
    if (fm_column_reader_stopped(r))
        return 0;
    for (size_t i = 0; i < n; i++, number++) {
        uint64_t skipped = listed ? fm_unpack_number(&r->unpack) : 0;
        number = skipped < FM_MOST_COLUMNS ? number + skipped : FM_MOST_COLUMNS;
        columns[i] = number < fields->n && fields->list[number].kind != FM_FIELD_RETIRED ? &fields->list[number] : NULL;
        r->profile->left_out.columns += number >= fields->n;
    }
    return fm_column_reader_stopped(r) ? 0 : (size_t)n;
}

static void get_field(struct fm_column_reader *r, const struct fm_field *field, void *items, size_t n, size_t stride)
{
    const uint64_t *column = fm_get_column(r, n, NULL);
    char *item = items;
    for (size_t i = 0; field && column && i < n; i++, item += stride) {
        if (field->kind == FM_FIELD_TEXT)
            set_text(r, field, item, column[i]);
        else
            fm_field_set(field, item, column[i]);
    }
}

/* Defaults for fields that the file does not have; all others are zero already. */
static void set_absent(struct fm_column_reader *r, const struct fm_fields *fields, void *items, size_t n, size_t stride)
{
    for (size_t f = 0; f < fields->n; f++) {
        const struct fm_field *field = &fields->list[f];
        char *item = items;
        for (size_t i = 0; field->kind == FM_FIELD_TEXT && i < n; i++, item += stride)
            set_text(r, field, item, 0);
        for (size_t i = 0; field->kind == FM_FIELD_MAYBE && i < n; i++, item += stride)
            fm_field_set(field, item, 0);
    }
}

void fm_get_fields(struct fm_column_reader *r, const struct fm_fields *fields, void *items, size_t n, size_t stride)
{
    const struct fm_field *columns[FM_MOST_COLUMNS];
    if (!n || fm_column_reader_stopped(r))
        return;
    set_absent(r, fields, items, n, stride);
    size_t n_columns = get_columns(r, fields, columns);
    for (size_t i = 0; i < n_columns && !fm_column_reader_stopped(r); i++)
        get_field(r, columns[i], items, n, stride);
}

size_t fm_get_total(struct fm_column_reader *r, const uint64_t *column, size_t n, uint64_t max)
{
    uint64_t total = 0, limit = (uint64_t)r->section_bytes * 1024 + 1024;
    for (size_t i = 0; column && i < n; i++) {
        if (column[i] > max || column[i] > limit - total) {
            r->wrong = "invalid count";
            return 0;
        }
        total += column[i];
    }
    return (size_t)total;
}

static struct fm_rankset *set_at(void *sets, size_t i, size_t stride)
{
    return (void *)((char *)sets + i * stride);
}

void fm_get_ranksets(struct fm_column_reader *r, void *sets, size_t n, size_t stride)
{
    const uint64_t *column = fm_get_column(r, n, NULL);
    size_t total = fm_get_total(r, column, n, UINT32_MAX);
    struct fm_range *ranges = fm_column_reader_take(r, &r->profile->arena, total, sizeof *ranges);
    for (size_t i = 0, at = 0; column && !fm_column_reader_stopped(r) && i < n; i++) {
        size_t count = (size_t)column[i];
        *set_at(sets, i, stride) = (struct fm_rankset){ranges + at, count, count};
        at += count;
    }
    column = fm_get_column(r, total, NULL);
    for (size_t i = 0; column && i < total; i++)
        ranges[i].first = (uint32_t)column[i];
    column = fm_get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++) {
        struct fm_rankset *set = set_at(sets, i, stride);
        for (size_t k = 0; k < set->n; k++, at++) {
            if (k)
                set->ranges[k].first += set->ranges[k - 1].last;
            set->ranges[k].last = set->ranges[k].first + (uint32_t)column[at];
        }
    }
}

static struct fm_histogram *histogram_at(void *stats, size_t i, size_t stride)
{
    return &((struct fm_stats *)(void *)((char *)stats + i * stride))->histogram;
}

static void get_histograms(struct fm_column_reader *r, void *stats, size_t n, size_t stride)
{
    const uint64_t *column = fm_get_column(r, n, NULL);
    size_t total = fm_get_total(r, column, n, FM_DURATION_BINS);
    uint8_t *used = fm_column_reader_take(r, &r->scratch, n, 1),
            *bins = fm_column_reader_take(r, &r->scratch, total, 1);
    if (fm_column_reader_stopped(r))
        return;
    for (size_t i = 0; i < n; i++)
        used[i] = (uint8_t)column[i];
    column = fm_get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++) {
        uint64_t next = 0;
        for (unsigned k = 0; k < used[i]; k++, at++) {
            next += column[at] < FM_DURATION_BINS ? column[at] : FM_DURATION_BINS;
            if (next >= FM_DURATION_BINS) {
                r->wrong = "a histogram has too many bins";
                return;
            }
            bins[at] = (uint8_t)next++;
        }
    }
    column = fm_get_column(r, total, NULL);
    for (size_t i = 0, at = 0; column && i < n; i++)
        for (unsigned k = 0; k < used[i]; k++, at++)
            histogram_at(stats, i, stride)->bins[bins[at]] = column[at];
}

void fm_get_stats(struct fm_column_reader *r, void *stats, size_t n, size_t stride)
{
    fm_get_fields(r, &fm_stats_fields, stats, n, stride);
    get_histograms(r, stats, n, stride);
}

void *fm_get_lists(struct fm_column_reader *r, const struct fm_nested *nested, size_t n_fields, void *outer, size_t n,
                   size_t stride, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < n && !fm_column_reader_stopped(r); i++)
        *total += *(size_t *)(void *)((char *)outer + i * stride + nested->n) = fm_get_count(r, n_fields);
    if (*total > r->section_bytes * 1024 + 1024 && !r->wrong)
        r->wrong = "invalid count";
    char *items = fm_column_reader_stopped(r) ? NULL
                                              : fm_column_reader_take(r, &r->profile->arena, *total, nested->item_size),
         *at = items;
    for (size_t i = 0; items && i < n; i++) {
        char *item = (char *)outer + i * stride;
        *(void **)(void *)(item + nested->items) = at;
        at += *(const size_t *)(const void *)(item + nested->n) * nested->item_size;
    }
    return items;
}
