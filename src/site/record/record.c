/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/record/record.h"

#include <math.h>
#include <string.h>

#define FM_ROLLUP_NONE 0
#define FM_ROLLUP_SUM 1
#define X(kind, section, key, member, rollup) \
    {FM_RECORD_KIND_##kind, section, key, #member, offsetof(struct fm_record, member), FM_ROLLUP_##rollup},
const struct fm_record_field fm_record_fields[FM_RECORD_N_FIELDS] = {FM_RECORD_FIELDS(X)};
#undef X

const char *const *fm_record_text(const struct fm_record *record, const struct fm_record_field *field)
{
    return (const char *const *)((const char *)record + field->offset);
}

const int64_t *fm_record_whole(const struct fm_record *record, const struct fm_record_field *field)
{
    return (const int64_t *)((const char *)record + field->offset);
}

const double *fm_record_real(const struct fm_record *record, const struct fm_record_field *field)
{
    return (const double *)((const char *)record + field->offset);
}

const int *fm_record_flag(const struct fm_record *record, const struct fm_record_field *field)
{
    return (const int *)((const char *)record + field->offset);
}

bool fm_record_known(const struct fm_record *record, const struct fm_record_field *field)
{
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        return **fm_record_text(record, field) != '\0';
    case FM_RECORD_KIND_WHOLE:
    case FM_RECORD_KIND_TIME:
        return *fm_record_whole(record, field) >= 0;
    case FM_RECORD_KIND_FLAG:
        return *fm_record_flag(record, field) >= 0;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        break;
    }
    return isfinite(*fm_record_real(record, field));
}

void fm_record_init(struct fm_record *record)
{
    memset(record, 0, sizeof *record);
#define FM_UNKNOWN_TEXT ""
#define FM_UNKNOWN_WHOLE -1
#define FM_UNKNOWN_TIME -1
#define FM_UNKNOWN_SECONDS NAN
#define FM_UNKNOWN_FRACTION NAN
#define FM_UNKNOWN_FLAG -1
#define X(kind, section, key, member, rollup) record->member = FM_UNKNOWN_##kind;
    FM_RECORD_FIELDS(X)
#undef X
}

void fm_record_destroy(struct fm_record *record)
{
    fm_arena_destroy(&record->arena);
    fm_record_init(record);
}
