/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema: the fields of the records of a profile. One line of schema.c gives the name of a field, its unit, how it
 * is merged and stored, and its JSON key. Writing, reading, merging, checking, JSON, the profiles of property tests and
 * the tables of doc/FORMAT.md are all driven by it.
 *
 * A field becomes one column over all items of its list; its number is its position in the list, counted from 1. A new
 * field is appended and marked as later; one that is no longer used becomes RETIRED, and its number is never reused. A
 * reader skips columns it does not know, and sets fields that a file does not have to 0, "" or FM_UNKNOWN. */
#ifndef FM_MODEL_SCHEMA_H
#define FM_MODEL_SCHEMA_H

#include "model/profile.h"

enum fm_field_kind {
    FM_FIELD_U64,
    FM_FIELD_U32,
    FM_FIELD_I32,
    FM_FIELD_TEXT,
    FM_FIELD_MAYBE, /* 64 bits; FM_UNKNOWN = unknown */
    FM_FIELD_RETIRED,
    /* compounds: structs of several columns, merged according to their type */
    FM_FIELD_SPREAD,
    FM_FIELD_STATS,
    FM_FIELD_RANKS,
};

/* How a field is merged when two items with the same key are merged. */
enum fm_field_merge {
    FM_MERGE_KEY, /* part of the key: equal */
    FM_MERGE_SUM,
    FM_MERGE_MAX,   /* of strings: the greatest by strcmp */
    FM_MERGE_MIN,   /* 0: unknown */
    FM_MERGE_FIRST, /* the one of the lowest rank (merge/merge.c) */
    FM_MERGE_TYPE,  /* according to the type of a compound */
    FM_MERGE_OWN,   /* by a function in merge/ */
};

/* How a field is stored in the file of a large job; COARSE: in every file (model/quantize.h). */
enum fm_field_large { FM_LARGE_EXACT, FM_LARGE_ROUNDED, FM_LARGE_ZERO, FM_LARGE_COARSE };

/* No pointers: each one would need a relocation in every process that loads the runtime. */
struct fm_field {
    char name[28]; /* of the member */
    char key[24];  /* in JSON; "": not there under a name of its own */
    uint16_t offset;
    uint8_t kind, merge, unit, large; /* enum fm_field_kind, fm_field_merge, fm_unit, fm_field_large */
    uint8_t later;                    /* 1: files of format 1 do not have it */
};

struct fm_fields {
    const struct fm_field *list;
    size_t n;
};

/* Number of fields in a file of format 1, where it is not stored. */
size_t fm_fields_at_first(const struct fm_fields *fields);

/* A list nested in the items of another one: offsets of its pointer and its number of items. */
struct fm_nested {
    size_t items, n, item_size;
};
extern const struct fm_nested fm_snapshot_routines, fm_timer_groups, fm_timer_group_bins, fm_timer_misuses;

extern const struct fm_fields fm_job_fields, fm_text_fields, fm_name_value_fields, fm_stats_fields, fm_spread_fields,
    fm_rank_value_fields, fm_snapshot_fields, fm_snapshot_routine_fields, fm_timer_fields, fm_timer_group_fields,
    fm_timer_bin_fields, fm_misuse_fields, fm_misuse_compounds, fm_grid_fields, fm_path_share_fields,
    fm_sequence_fields, fm_sequence_row_fields;

/* The value as it is stored; only for integers, not for strings and compounds. */
uint64_t fm_field_get(const struct fm_field *field, const void *item);
void fm_field_set(const struct fm_field *field, void *item, uint64_t value);
static inline const char **fm_field_text(const struct fm_field *field, const void *item)
{
    return (const char **)(void *)((char *)item + field->offset);
}
static inline void *fm_field_at(const struct fm_field *field, const void *item)
{
    return (char *)item + field->offset;
}

#endif
