#include "site/record/random_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "site/record/lists.h"

static unsigned draw(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 8 & 0xffff;
}

static const char *draw_text(struct fm_record *record, unsigned *state)
{
    static const char *const texts[] = {"pop",
                                        "MPI_Allreduce",
                                        "a \"quoted\" text",
                                        "back\\slash",
                                        "node017",
                                        "gr\xc3\xb6\xc3\x9f"
                                        "er \xe2\x82\xac \xf0\x9f\x8c\x8a",
                                        "</script>'; drop table jobs; --",
                                        "x"};
    char text[64];
    snprintf(text, sizeof text, "%s%u", texts[draw(state) % (sizeof texts / sizeof *texts)], draw(state));
    return fm_arena_strndup(&record->arena, text, strlen(text));
}

static void fill(struct fm_record *record, void *base, const struct fm_record_field *field, unsigned *state, bool known)
{
    void *member = (char *)base + field->offset;
    double real = ldexp(draw(state), (int)(draw(state) % 16)) + draw(state) / 65536.0 + draw(state) / 1e9;
    int64_t whole = (int64_t)draw(state) << draw(state) % 40;
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        *(const char **)member = known ? draw_text(record, state) : "";
        break;
    case FM_RECORD_KIND_WHOLE:
        *(int64_t *)member = known ? whole : -1;
        break;
    case FM_RECORD_KIND_TIME:
        *(int64_t *)member = known ? 1600000000 + whole % 400000000 : -1;
        break;
    case FM_RECORD_KIND_FLAG:
        *(int *)member = known ? (int)(whole & 1) : -1;
        break;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        *(double *)member = known ? real : NAN;
        break;
    }
}

void fm_random_record(struct fm_record *record, unsigned seed, unsigned items)
{
    unsigned state = seed * 2654435761u + 1;
    char key[40];
    fm_record_init(record);
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++)
        fill(record, record, fm_record_fields + i, &state, draw(&state) % 4 > 0);
    snprintf(key, sizeof key, "%08x%08x%08x%08x", seed, draw(&state), draw(&state), draw(&state));
    record->key = fm_arena_strndup(&record->arena, key, 32);
    record->started = record->started < 0 ? 1700000000 : record->started;
    record->sample_weight = draw(&state) % 2 ? 1 + draw(&state) % 100 : NAN;
    for (size_t i = 0; i < FM_RECORD_N_LISTS; i++) {
        const struct fm_record_list *list = fm_record_lists + i;
        size_t n = items ? draw(&state) % (items + 1) : 0;
        char *at = fm_arena_alloc(&record->arena, n * list->item_size);
        *(char **)((char *)record + list->items) = at;
        *(size_t *)((char *)record + list->count) = n;
        for (size_t k = 0; k < n; k++, at += list->item_size)
            for (size_t f = 0; f < list->n; f++)
                fill(record, at, list->fields + f, &state, !f || list->object || draw(&state) % 4 > 0);
    }
    for (size_t i = 0; i < record->n_timers; i++)
        record->timers[i].mpi_s = NAN;
    for (size_t i = 0; i < record->n_findings; i++)
        if (record->findings[i].line < 0)
            record->findings[i].line = 0;
}

static bool fields_equal(const struct fm_record *a, const struct fm_record *b, const struct fm_record_field *field)
{
    if (fm_record_known(a, field) != fm_record_known(b, field))
        return false;
    if (!fm_record_known(a, field))
        return true;
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        return !strcmp(*fm_record_text(a, field), *fm_record_text(b, field));
    case FM_RECORD_KIND_WHOLE:
    case FM_RECORD_KIND_TIME:
        return *fm_record_whole(a, field) == *fm_record_whole(b, field);
    case FM_RECORD_KIND_FLAG:
        return *fm_record_flag(a, field) == *fm_record_flag(b, field);
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        break;
    }
    return *fm_record_real(a, field) == *fm_record_real(b, field);
}

static bool all_equal(const struct fm_record *a, const struct fm_record *b, const struct fm_record_field *fields,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!fields_equal(a, b, fields + i))
            return false;
    return true;
}

bool fm_records_equal(const struct fm_record *a, const struct fm_record *b)
{
    if (!all_equal(a, b, fm_record_fields, FM_RECORD_N_FIELDS))
        return false;
    for (size_t i = 0; i < FM_RECORD_N_LISTS; i++) {
        const struct fm_record_list *list = fm_record_lists + i;
        size_t n = fm_record_count(a, list);
        if (n != fm_record_count(b, list))
            return false;
        for (size_t k = 0; k < n; k++)
            if (!all_equal(fm_record_item(a, list, k), fm_record_item(b, list, k), list->fields, list->n))
                return false;
    }
    return true;
}
