/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of the table of jobs. */
#include <string.h>

#include "site/store/schema.h"

const char *fm_schema_column(const struct fm_record_field *field)
{
    if (strcmp(field->column, "user") == 0)
        return "user_name";
    return strcmp(field->column, "end") == 0 ? "end_state" : field->column;
}

enum fm_value_kind fm_schema_kind(const struct fm_record_field *field)
{
    switch (field->kind) {
    case FM_RECORD_KIND_TEXT:
        return FM_VALUE_TEXT;
    case FM_RECORD_KIND_SECONDS:
    case FM_RECORD_KIND_FRACTION:
        return FM_VALUE_REAL;
    case FM_RECORD_KIND_WHOLE:
    case FM_RECORD_KIND_TIME:
    case FM_RECORD_KIND_FLAG:
        break;
    }
    return FM_VALUE_WHOLE;
}

const struct fm_bulk_column fm_jobs_before[FM_JOBS_BEFORE] = {{"id", FM_VALUE_WHOLE}, {"uid", FM_VALUE_WHOLE}};
const struct fm_bulk_column fm_jobs_after[FM_JOBS_AFTER] = {{"origin", FM_VALUE_WHOLE},
                                                            {"weight", FM_VALUE_REAL},
                                                            {"counted_weight", FM_VALUE_REAL},
                                                            {"wasted_s", FM_VALUE_REAL},
                                                            {"mpi_fraction", FM_VALUE_REAL}};

void fm_schema_jobs_columns(struct fm_bulk_column columns[FM_JOBS_COLUMNS])
{
    size_t n = 0;
    for (size_t i = 0; i < FM_JOBS_BEFORE; i++)
        columns[n++] = fm_jobs_before[i];
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++)
        columns[n++] = (struct fm_bulk_column){fm_schema_column(&fm_record_fields[i]),
                                               fm_schema_kind(&fm_record_fields[i])};
    for (size_t i = 0; i < FM_JOBS_AFTER; i++)
        columns[n++] = fm_jobs_after[i];
}
