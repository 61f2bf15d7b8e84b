/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a profile in a file (doc/FORMAT.md): the frame, the sections, and what is left out for a large job. The
 * columns of the sections are in model/schema.h. */
#ifndef FM_FORMAT_LAYOUT_H
#define FM_FORMAT_LAYOUT_H

#include "format/call_path_form.h"
#include "model/schema.h"

#define FM_PROFILE_MAGIC "FATHOM\0\1" /* 8 bytes, without the terminating NUL */

/* Bytes around the sections: magic, version (u32), total size (u64); a CRC-64 (u64) at the end. */
enum { FM_FILE_HEAD = 20, FM_FILE_TAIL = 8 };

/* Sections that are not just a list of the schema; the numbers of all others are in model/lists.h. Numbers are only
 * added, never reused. From 17 on there are only lists so far. */
enum fm_file_section {
    FM_FILE_STRINGS = 1,
    FM_FILE_JOB = 2,
    FM_FILE_PROCESSES = 4,
    FM_FILE_PER_RANK = 6,
    FM_FILE_EDGES = 9,
    FM_FILE_SNAPSHOTS = 10,
    FM_FILE_NOTES = 11,
    FM_FILE_TIMERS = 12,
    FM_FILE_TIMER_MISUSES = 13,
    FM_FILE_GRID = 14,
    FM_FILE_PATHS = 15,
    FM_FILE_SEQUENCE = 16,
};

/* With more than FM_LARGE_RANKS processes a file contains less: see doc/FORMAT.md, "Large jobs". */
enum {
    FM_LARGE_RANKS = 4096,
    FM_LARGE_EDGES = 4096,
    FM_LARGE_VECTORS = 8, /* of routines */
    FM_LARGE_PATH_VECTORS = 64,
    FM_LARGE_SHARE = 50, /* a heavy routine has at least 1/50 of the MPI time */
    FM_MAX_TEXT = 256 << 20,
};

enum { FM_MOST_COLUMNS = 256 }; /* maximum for a list, in any file */

/* The columns of call paths. */
extern const struct fm_fields fm_path_count_fields, fm_path_place_fields, fm_path_record_fields, fm_path_figure_fields;

#endif
