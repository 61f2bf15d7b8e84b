/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/safe_text.h"
#include "site/record/lists.h"

struct reader {
    struct fm_record *record;
    unsigned left_out;
    struct fm_error *error;
};

/* "job.ranks" or "routines[3].calls", for messages. */
struct record_place {
    const char *section, *key;
    size_t item; /* from 1; 0: not of a list */
};

static enum fm_status refuse(const struct reader *reader, const struct record_place *place, const char *expected)
{
    char item[32] = "";
    if (place->item)
        snprintf(item, sizeof item, "[%zu]", place->item - 1);
    return fm_fail(reader->error, FM_ERR_INPUT, "not a record of a job: %s%s.%s is not %s", place->section, item,
                   place->key, expected);
}

/* A copy without control characters, cut to the limit. NULL if out of memory. */
static const char *clean_text(struct fm_arena *arena, const char *text)
{
    char clean[FM_RECORD_TEXT + 1];
    size_t length = 0;
    while (*text) {
        char safe[FM_SAFE_BYTES];
        size_t bytes = fm_safe_next(FM_SAFE_TERMINAL, &text, safe);
        if (length + bytes > FM_RECORD_TEXT)
            break;
        memcpy(clean + length, safe, bytes);
        length += bytes;
    }
    return length ? fm_arena_strndup(arena, clean, length) : "";
}

/* Digits of a date, all of them. */
static bool take_digits(const char *text, unsigned from, unsigned n, int *value)
{
    *value = 0;
    for (unsigned i = from; i < from + n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (text[i] - '0');
    }
    return true;
}

/* "2026-11-15T02:00:00Z"; -1 if it is not such a date. */
static int64_t time_of(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    struct tm tm = {0}, again;
    if (strlen(text) != sizeof form - 1)
        return -1;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] != 'd' && form[i] != text[i])
            return -1;
    if (!take_digits(text, 0, 4, &tm.tm_year) || !take_digits(text, 5, 2, &tm.tm_mon) ||
        !take_digits(text, 8, 2, &tm.tm_mday) || !take_digits(text, 11, 2, &tm.tm_hour) ||
        !take_digits(text, 14, 2, &tm.tm_min) || !take_digits(text, 17, 2, &tm.tm_sec))
        return -1;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    struct tm asked = tm;
    time_t seconds = timegm(&tm);
    /* February 30 would be taken for a day of March */
    bool exists = seconds >= 0 && gmtime_r(&seconds, &again) && again.tm_mday == asked.tm_mday &&
                  again.tm_mon == asked.tm_mon && again.tm_hour == asked.tm_hour && again.tm_min == asked.tm_min &&
                  again.tm_sec == asked.tm_sec;
    return exists ? (int64_t)seconds : -1;
}

static enum fm_status read_text(struct reader *reader, const char **member, const json_t *value,
                                const struct record_place *place)
{
    if (!json_is_string(value))
        return refuse(reader, place, "a text");
    *member = clean_text(&reader->record->arena, json_string_value(value));
    return *member ? FM_OK : fm_fail(reader->error, FM_ERR_MEMORY, "out of memory");
}

static enum fm_status read_whole(struct reader *reader, int64_t *member, const json_t *value,
                                 const struct record_place *place)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > FM_RECORD_WHOLE_MAX)
        return refuse(reader, place, "a whole number from 0 to 10^18");
    *member = (int64_t)number;
    return FM_OK;
}

static enum fm_status read_real(struct reader *reader, double *member, const json_t *value,
                                const struct record_place *place)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0 && number <= FM_RECORD_REAL_MAX))
        return refuse(reader, place, "a number from 0 to 10^13");
    *member = number + 0.0; /* no negative zero */
    return FM_OK;
}

static enum fm_status read_time(struct reader *reader, int64_t *member, const json_t *value,
                                const struct record_place *place)
{
    *member = json_is_string(value) ? time_of(json_string_value(value)) : -1;
    return *member >= 0 ? FM_OK : refuse(reader, place, "a date such as 2026-11-15T02:00:00Z");
}

static enum fm_status read_flag(struct reader *reader, int *member, const json_t *value,
                                const struct record_place *place)
{
    if (!json_is_boolean(value))
        return refuse(reader, place, "true or false");
    *member = json_is_true(value);
    return FM_OK;
}

/* `base` is the record, or an item of a list. */
static enum fm_status read_field(struct reader *reader, void *base, const struct fm_record_field *field,
                                 const json_t *value, const struct record_place *place)
{
    void *member = (char *)base + field->offset;
    if (json_is_null(value))
        return FM_OK;
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        return read_text(reader, member, value, place);
    case FM_RECORD_KIND_WHOLE:
        return read_whole(reader, member, value, place);
    case FM_RECORD_KIND_TIME:
        return read_time(reader, member, value, place);
    case FM_RECORD_KIND_FLAG:
        return read_flag(reader, member, value, place);
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        break;
    }
    return read_real(reader, member, value, place);
}

static void make_unknown(void *base, const struct fm_record_field *field)
{
    void *member = (char *)base + field->offset;
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        *(const char **)member = "";
        break;
    case FM_RECORD_KIND_WHOLE:
    case FM_RECORD_KIND_TIME:
        *(int64_t *)member = -1;
        break;
    case FM_RECORD_KIND_FLAG:
        *(int *)member = -1;
        break;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        *(double *)member = NAN;
        break;
    }
}

static enum fm_status read_item(struct reader *reader, const struct fm_record_list *list, void *item,
                                const json_t *object, size_t number)
{
    size_t known = 0;
    if (!json_is_object(object)) {
        struct record_place place = {list->key, "", number};
        return refuse(reader, &place, "an object");
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct fm_record_field *field = list->fields + i;
        const json_t *value = json_object_get(object, field->key);
        struct record_place place = {list->key, field->key, number};
        enum fm_status status = value ? read_field(reader, item, field, value, &place) : FM_OK;
        if (status)
            return status;
        known += value != NULL;
    }
    reader->left_out += (unsigned)(json_object_size(object) - known);
    struct record_place place = {list->key, list->fields[0].key, number};
    return *fm_record_text(item, list->fields) && **fm_record_text(item, list->fields)
               ? FM_OK
               : refuse(reader, &place, "there");
}

/* One name and its value. */
static enum fm_status read_setting(struct reader *reader, struct fm_record_setting *setting, const char *name,
                                   const json_t *value)
{
    struct record_place place = {"job", "environment", 0};
    if (!*name || !json_is_string(value))
        return refuse(reader, &place, "an object of texts");
    setting->name = clean_text(&reader->record->arena, name);
    setting->value = clean_text(&reader->record->arena, json_string_value(value));
    return setting->name && setting->value ? FM_OK : fm_fail(reader->error, FM_ERR_MEMORY, "out of memory");
}

static enum fm_status read_settings(struct reader *reader, const struct fm_record_list *list, char *items,
                                    json_t *object)
{
    size_t number = 0;
    enum fm_status status = FM_OK;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!status)
            status = read_setting(reader, (struct fm_record_setting *)(items + number++ * list->item_size), name,
                                  value);
    }
    return status;
}

static enum fm_status read_items(struct reader *reader, const struct fm_record_list *list, char *items,
                                 const json_t *array)
{
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < json_array_size(array) && !status; i++)
        status = read_item(reader, list, items + i * list->item_size, json_array_get(array, i), i + 1);
    return status;
}

static enum fm_status read_list(struct reader *reader, const struct fm_record_list *list, json_t *value)
{
    struct record_place place = {list->section ? list->section : "document", list->key, 0};
    size_t n = list->object ? json_object_size(value) : json_array_size(value);
    if (json_is_null(value))
        return FM_OK;
    if (list->object ? !json_is_object(value) : !json_is_array(value))
        return refuse(reader, &place, list->object ? "an object" : "a list");
    if (n > FM_RECORD_ITEMS)
        return refuse(reader, &place, "a list of at most 1024 items");
    char *items = fm_arena_alloc(&reader->record->arena, n * list->item_size);
    if (!items)
        return fm_fail(reader->error, FM_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < list->n; k++)
            make_unknown(items + i * list->item_size, list->fields + k);
    *(char **)((char *)reader->record + list->items) = items;
    *(size_t *)((char *)reader->record + list->count) = n;
    return list->object ? read_settings(reader, list, items, value) : read_items(reader, list, items, value);
}

static bool same_section(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Lists of a section, or of the top level (NULL), in `object`; adds to *known the keys that are there. */
static enum fm_status read_lists(struct reader *reader, const char *section, const json_t *object, size_t *known)
{
    for (size_t i = 0; i < FM_RECORD_N_LISTS; i++) {
        const struct fm_record_list *list = fm_record_lists + i;
        json_t *value = same_section(list->section, section) ? json_object_get(object, list->key) : NULL;
        enum fm_status status = value ? read_list(reader, list, value) : FM_OK;
        if (status)
            return status;
        *known += value != NULL;
    }
    return FM_OK;
}

static enum fm_status read_section(struct reader *reader, const char *section, const json_t *object, size_t first)
{
    size_t known = 0;
    struct record_place here = {"document", section, 0};
    if (!json_is_object(object))
        return refuse(reader, &here, "an object");
    for (size_t i = first; i < FM_RECORD_N_FIELDS && !strcmp(fm_record_fields[i].section, section); i++) {
        const struct fm_record_field *field = fm_record_fields + i;
        const json_t *value = json_object_get(object, field->key);
        struct record_place place = {section, field->key, 0};
        enum fm_status status = value ? read_field(reader, reader->record, field, value, &place) : FM_OK;
        if (status)
            return status;
        known += value != NULL;
    }
    enum fm_status status = read_lists(reader, section, object, &known);
    reader->left_out += (unsigned)(json_object_size(object) - known);
    return status;
}

static bool is_key(const char *key)
{
    return strlen(key) == 32 && strspn(key, "0123456789abcdef") == 32;
}

/* What everything that follows relies on. */
static enum fm_status check(const struct reader *reader)
{
    const struct fm_record *record = reader->record;
    if (!is_key(record->key))
        return refuse(reader, &(struct record_place){"job", "key", 0}, "32 hexadecimal digits");
    if (record->started < 0)
        return refuse(reader, &(struct record_place){"job", "started", 0}, "there");
    if (isfinite(record->sample_weight) &&
        !(record->sample_weight >= 1 && record->sample_weight <= FM_RECORD_WEIGHT_MAX))
        return refuse(reader, &(struct record_place){"job", "weight", 0}, "from 1 to 1000");
    for (size_t i = 0; i < record->n_findings; i++) /* 0 is unknown here */
        record->findings[i].line = record->findings[i].line < 0 ? 0 : record->findings[i].line;
    return FM_OK;
}

static enum fm_status read_document(struct reader *reader, const json_t *root)
{
    size_t known = 0;
    const json_t *version = json_object_get(root, "fathom");
    if (!json_is_object(root) || !json_is_integer(version) || json_integer_value(version) < 1)
        return fm_fail(reader->error, FM_ERR_INPUT, "not a record of a job: document has no version");
    known += 1 + (json_object_get(root, "left_out") != NULL);
    for (size_t i = 0; i < FM_RECORD_N_FIELDS;) {
        const char *section = fm_record_fields[i].section;
        const json_t *object = json_object_get(root, section);
        enum fm_status status = object ? read_section(reader, section, object, i) : FM_OK;
        if (status)
            return status;
        known += object != NULL;
        while (i < FM_RECORD_N_FIELDS && !strcmp(fm_record_fields[i].section, section))
            i++;
    }
    enum fm_status status = read_lists(reader, NULL, root, &known);
    reader->left_out += (unsigned)(json_object_size(root) - known);
    return status ? status : check(reader);
}

enum fm_status fm_record_read(struct fm_record *record, const char *text, size_t length, unsigned *left_out,
                              struct fm_error *error)
{
    struct reader reader = {record, 0, error};
    json_error_t why;
    fm_record_init(record);
    if (length > FM_RECORD_READ_BYTES)
        return fm_fail(error, FM_ERR_INPUT, "not a record of a job: more than %d bytes", FM_RECORD_READ_BYTES);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!root) /* the message of the parser may quote the text */
        return fm_fail(error, FM_ERR_INPUT, "not a record of a job: no JSON after byte %d", why.position);
    enum fm_status status = read_document(&reader, root);
    json_decref(root);
    if (status)
        fm_record_destroy(record);
    else if (left_out)
        *left_out = reader.left_out;
    return status;
}
