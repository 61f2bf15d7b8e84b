/* Which fields of the model are in a file: one place for the writer and the reader (doc/FORMAT.md).
 *
 * A field becomes one column over all items of its array, and its number is its place in the list, from 1 on. A new field
 * is added at the end, marked as later; one that is no longer used becomes RETIRED, and its number is never used again. A
 * reader takes the columns it knows, passes over others, and leaves at 0 or "" what a file does not have. */
#ifndef FM_FORMAT_FIELDS_H
#define FM_FORMAT_FIELDS_H

#include "format/path_form.h"
#include "model/profile.h"

#define FM_PROFILE_MAGIC "FATHOM\0\1" /* 8 bytes, the last one without a NUL behind it */

/* Bytes around the sections: magic, version (u32), size of the whole (u64); at the end a CRC-64 (u64). */
enum { FM_FILE_HEAD = 20, FM_FILE_TAIL = 8 };

enum fm_file_section {
    FM_FILE_STRINGS = 1,
    FM_FILE_JOB,
    FM_FILE_HOSTS,
    FM_FILE_PROCESSES,
    FM_FILE_ROUTINES,
    FM_FILE_PER_RANK,
    FM_FILE_EVENTS,
    FM_FILE_REGIONS,
    FM_FILE_EDGES,
    FM_FILE_SNAPSHOTS,
    FM_FILE_NOTES,
    FM_FILE_TIMERS,
    FM_FILE_TIMER_MISUSES,
    FM_FILE_GRID,
    FM_FILE_PATHS,
    FM_FILE_SEQUENCE,
};

/* Above FM_LARGE_RANKS processes a file holds less: see doc/FORMAT.md, "Large jobs". */
enum {
    FM_LARGE_RANKS = 4096,
    FM_LARGE_EDGES = 4096,
    FM_LARGE_VECTORS = 8, /* of routines, and of call paths */
    FM_LARGE_SHARE = 50,  /* a heavy routine has at least 1/50 of the MPI time */
    FM_MAX_TEXT = 256 << 20,
};

enum fm_field_kind { FM_FIELD_U64, FM_FIELD_U32, FM_FIELD_I32, FM_FIELD_TEXT, FM_FIELD_RETIRED };
enum fm_field_large { FM_LARGE_EXACT, FM_LARGE_ROUNDED, FM_LARGE_ZERO };

struct fm_field {
    uint16_t offset;
    uint8_t kind;
    uint8_t large; /* what becomes of it in a large job */
    uint8_t later; /* 1: files of format 1 do not have it */
};

struct fm_fields {
    const struct fm_field *list;
    size_t n;
};
enum { FM_MOST_COLUMNS = 256 }; /* of a list, in any file */

/* How many of them a file of format 1 has, which does not say it. */
size_t fm_fields_at_first(const struct fm_fields *fields);

/* A list that belongs to an item of another one: where that has its pointer and its number of items. */
struct fm_nested {
    size_t items, n, item_size;
};
extern const struct fm_nested fm_snapshot_routines, fm_timer_groups, fm_timer_group_bins, fm_timer_misuses;

extern const struct fm_fields fm_job_fields, fm_text_fields, fm_name_value_fields, fm_host_fields, fm_process_fields,
    fm_routine_fields, fm_stats_fields, fm_spread_fields, fm_rank_value_fields, fm_event_fields, fm_region_fields,
    fm_snapshot_fields, fm_snapshot_routine_fields, fm_note_fields, fm_timer_fields, fm_timer_group_fields,
    fm_timer_bin_fields, fm_misuse_fields, fm_grid_fields, fm_path_count_fields, fm_path_place_fields,
    fm_path_record_fields, fm_path_figure_fields, fm_path_share_fields, fm_sequence_fields, fm_sequence_row_fields;

uint64_t fm_field_get(const struct fm_field *field, const void *item); /* not for texts */
void fm_field_set(const struct fm_field *field, void *item, uint64_t value);

#endif
