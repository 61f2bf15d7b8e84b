/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "site/record/lists.h"

/* A document that is being written: no blanks, ASCII alone. */
struct document {
    char *text;
    size_t length;
    size_t text_bytes; /* limit of each text */
    bool full;         /* something did not fit: the rest is not worth writing */
    bool comma;        /* before the next value */
};

/* How many items of each list are written. */
struct selection {
    size_t counts[FM_RECORD_N_LISTS];
};

static void put(struct document *to, const char *bytes, size_t length)
{
    to->full = to->full || length > FM_RECORD_BYTES - to->length;
    if (to->full)
        return;
    memcpy(to->text + to->length, bytes, length);
    to->length += length;
}

static void put_word(struct document *to, const char *word)
{
    put(to, word, strlen(word));
}

static void put_code(struct document *to, uint32_t code)
{
    char escape[16] = {(char)code};
    if (code == '"' || code == '\\')
        snprintf(escape, sizeof escape, "\\%c", (char)code);
    else if (code >= 0x10000)
        snprintf(escape, sizeof escape, "\\u%04x\\u%04x", 0xd800 | (code - 0x10000) >> 10, 0xdc00 | (code & 0x3ff));
    else if (code >= 0x7f)
        snprintf(escape, sizeof escape, "\\u%04x", code);
    put_word(to, escape);
}

static void put_text(struct document *to, const char *text, size_t most)
{
    put_word(to, "\"");
    for (const char *at = text, *from = at; *at && !to->full; from = at) {
        uint32_t code = fm_utf8_next(&at);
        if ((size_t)(at - text) > most)
            break;
        put_code(to, fm_utf8_unprintable(code, (size_t)(at - from)) ? '?' : code);
    }
    put_word(to, "\"");
}

/* The shortest form that reads back as the same number. */
static void put_real(struct document *to, double value)
{
    char digits[32];
    value = fmin(value, FM_RECORD_REAL_MAX);
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    put_word(to, digits);
}

static void put_whole(struct document *to, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value < FM_RECORD_WHOLE_MAX ? value : FM_RECORD_WHOLE_MAX);
    put_word(to, digits);
}

static void put_time(struct document *to, int64_t value)
{
    char date[40] = "";
    time_t seconds = (time_t)value;
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "\"%Y-%m-%dT%H:%M:%SZ\"", &utc);
    put_word(to, *date ? date : "null");
}

static void put_key(struct document *to, const char *key)
{
    if (to->comma)
        put_word(to, ",");
    to->comma = true;
    if (key) {
        put_text(to, key, FM_RECORD_TEXT);
        put_word(to, ":");
    }
}

static void open_container(struct document *to, const char *key, const char *bracket)
{
    put_key(to, key);
    put_word(to, bracket);
    to->comma = false;
}

static void close_container(struct document *to, const char *bracket)
{
    put_word(to, bracket);
    to->comma = true;
}

static void put_field(struct document *to, const struct fm_record *record, const struct fm_record_field *field)
{
    if (!fm_record_known(record, field))
        return;
    put_key(to, field->key);
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        put_text(to, *fm_record_text(record, field), to->text_bytes);
        break;
    case FM_RECORD_KIND_WHOLE:
        put_whole(to, *fm_record_whole(record, field));
        break;
    case FM_RECORD_KIND_TIME:
        put_time(to, *fm_record_whole(record, field));
        break;
    case FM_RECORD_KIND_FLAG:
        put_word(to, *fm_record_flag(record, field) ? "true" : "false");
        break;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        put_real(to, *fm_record_real(record, field));
        break;
    }
}

static void put_item(struct document *to, const struct fm_record_list *list, const struct fm_record *item)
{
    if (list->object) {
        put_key(to, *fm_record_text(item, list->fields));
        put_text(to, *fm_record_text(item, list->fields + 1), to->text_bytes);
        return;
    }
    open_container(to, NULL, "{");
    bool no_line = list == fm_record_lists + FM_RECORD_FINDINGS && !((const struct fm_record_finding *)item)->line;
    for (size_t i = 0; i < list->n - no_line; i++) /* the line is the last field, and 0 if unknown */
        put_field(to, item, list->fields + i);
    close_container(to, "}");
}

static int64_t add_known(int64_t sum, int64_t value)
{
    return value < 0 ? sum : sum < 0 ? value : sum > INT64_MAX - value ? INT64_MAX : sum + value;
}

/* The sum of the routines that are left out, and of those that were before. */
static struct fm_record_routine other_routines(const struct fm_record *record, size_t from)
{
    struct fm_record_routine sum = {"other", -1, -1, -1, 0, -1};
    for (size_t i = from; i < record->n_routines; i++) {
        const struct fm_record_routine *routine = record->routines + i;
        sum.calls = add_known(sum.calls, routine->calls);
        sum.bytes = add_known(sum.bytes, routine->bytes);
        sum.counts = add_known(sum.counts, routine->counts);
        sum.comm_calls = add_known(sum.comm_calls, routine->comm_calls);
        sum.time_s += isfinite(routine->time_s) ? routine->time_s : 0;
    }
    return sum;
}

static void put_list(struct document *to, const struct fm_record *record, enum fm_record_list_number number,
                     size_t count)
{
    const struct fm_record_list *list = fm_record_lists + number;
    size_t all = fm_record_count(record, list);
    bool rest = number == FM_RECORD_ROUTINES && count < all;
    if (!count && !rest)
        return;
    open_container(to, list->key, list->object ? "{" : "[");
    for (size_t i = 0; i < count && !to->full; i++)
        put_item(to, list, fm_record_item(record, list, i));
    if (rest) {
        struct fm_record_routine other = other_routines(record, count);
        put_item(to, list, (const struct fm_record *)&other);
    }
    close_container(to, list->object ? "}" : "]");
}

static bool same_section(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void put_lists(struct document *to, const struct fm_record *record, const char *section,
                      const struct selection *selection)
{
    for (int i = FM_RECORD_N_LISTS - 1; i >= 0; i--)
        if (same_section(fm_record_lists[i].section, section))
            put_list(to, record, (enum fm_record_list_number)i, selection->counts[i]);
}

/* Fields of a section stand together in the table. Returns the first field of the next one. */
static size_t put_section(struct document *to, const struct fm_record *record, size_t first,
                          const struct selection *selection)
{
    const char *section = fm_record_fields[first].section;
    struct document before = *to;
    open_container(to, section, "{");
    size_t i = first, empty = to->length;
    for (; i < FM_RECORD_N_FIELDS && !strcmp(fm_record_fields[i].section, section); i++)
        put_field(to, record, fm_record_fields + i);
    put_lists(to, record, section, selection);
    if (to->length == empty && !to->full)
        *to = before;
    else
        close_container(to, "}");
    return i;
}

static void put_left_out(struct document *to, const struct fm_record *record, const struct selection *selection)
{
    bool any = false;
    for (int i = FM_RECORD_N_LISTS - 1; i >= 0; i--) {
        size_t all = fm_record_count(record, fm_record_lists + i);
        if (selection->counts[i] == all)
            continue;
        if (!any)
            open_container(to, "left_out", "{");
        any = true;
        put_key(to, fm_record_lists[i].key);
        put_whole(to, (int64_t)(all - selection->counts[i]));
    }
    if (any)
        close_container(to, "}");
}

/* Without the `left_out` least important items. */
static struct selection selection_of(const struct fm_record *record, size_t left_out)
{
    struct selection selection;
    for (size_t i = 0; i < FM_RECORD_N_LISTS; i++)
        selection.counts[i] = fm_record_count(record, fm_record_lists + i);
    for (int last = 0; last < 2; last++) /* what is kept longest goes in the second turn */
        for (size_t i = 0; i < FM_RECORD_N_LISTS; i++) {
            size_t kept = last ? 0 : fm_record_lists[i].kept, *count = selection.counts + i;
            size_t gone = *count <= kept ? 0 : *count - kept < left_out ? *count - kept : left_out;
            *count -= gone;
            left_out -= gone;
        }
    return selection;
}

static bool put_record(struct document *to, const struct fm_record *record, size_t left_out)
{
    struct selection selection = selection_of(record, left_out);
    *to = (struct document){.text = to->text, .text_bytes = to->text_bytes};
    open_container(to, NULL, "{");
    put_key(to, "fathom");
    put_whole(to, FM_RECORD_VERSION);
    for (size_t next = 0; next < FM_RECORD_N_FIELDS;)
        next = put_section(to, record, next, &selection);
    put_lists(to, record, NULL, &selection);
    put_left_out(to, record, &selection);
    close_container(to, "}");
    return !to->full;
}

/* Leaves out as few items as possible; false if it does not fit without any of them. */
static bool put_as_much_as_fits(struct document *to, const struct fm_record *record)
{
    size_t all = 0;
    for (size_t i = 0; i < FM_RECORD_N_LISTS; i++)
        all += fm_record_count(record, fm_record_lists + i);
    size_t too_few = 0, enough = all;
    if (put_record(to, record, 0))
        return true;
    while (too_few + 1 < enough) {
        size_t middle = too_few + (enough - too_few) / 2;
        if (put_record(to, record, middle))
            enough = middle;
        else
            too_few = middle;
    }
    return put_record(to, record, enough);
}

size_t fm_record_write(const struct fm_record *record, char *text)
{
    static const size_t limits[] = {FM_RECORD_TEXT, 120, 40}; /* with the last one everything fits */
    struct document document = {.text = text};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        document.text_bytes = limits[i];
        if (put_as_much_as_fits(&document, record))
            break;
    }
    text[document.length] = '\0';
    return document.length;
}
