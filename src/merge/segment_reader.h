/* SPDX-License-Identifier: BSD-3-Clause */
/* State of converting one segment to the profile of one process; shared by the files segment_*.c. */
#ifndef FM_MERGE_SEGMENT_READER_H
#define FM_MERGE_SEGMENT_READER_H

#include "merge/segment_load_modules.h"
#include "merge/segment_routines.h"
#include "merge/segment_view.h"

/* Longest valid duration: 100 years. */
#define FM_LONGEST_NS (100ull * 31557600ull * 1000000000ull)

struct fm_segment_reader {
    struct fm_segment_view view;
    struct fm_profile *profile;
    struct fm_error *error;
    uint32_t rank;   /* FM_NO_RANK: MPI_Init had not returned */
    uint64_t now_ns; /* CLOCK_MONOTONIC: when the process ended, or the time of reading */
    uint64_t wall_ns;
    enum fm_end end; /* how the process ended; FM_END_UNKNOWN: still running */
    int32_t end_code;

    uint64_t io_ns, read_bytes, written_bytes; /* set by fm_read_files; FM_UNKNOWN: not measured */

    struct fm_mapped_modules modules;
    struct fm_routines routines;
    const char **paths;    /* paths of regions by number, interned; [n_paths - 1] = "?" for invalid numbers */
    uint16_t *path_orders; /* equal for equal paths */
    size_t n_paths;
};

enum fm_status fm_segment_reader_no_memory(struct fm_segment_reader *reader);
enum fm_status fm_segment_reader_damage(struct fm_segment_reader *reader, const char *what);

/* Copies a thread slot; the depth of the region stack is limited to its size. */
void fm_segment_reader_thread(const struct fm_segment_reader *reader, size_t slot, struct fm_segment_thread *thread);
/* Corrects a duration measured by the process for the error of its clock. */
uint64_t fm_segment_reader_ns(const struct fm_segment_reader *reader, uint64_t ns);
void fm_segment_reader_extremes(const struct fm_segment_reader *reader, struct fm_segment_extremes *extremes);
/* Converts ticks of its clock to ns. Returns false if that is no valid duration. */
bool fm_segment_reader_ticks(const struct fm_segment_reader *reader, uint64_t ticks, uint64_t *ns);
/* When the call in progress of a thread began; 0 = unknown. */
uint64_t fm_segment_reader_call_start(const struct fm_segment_reader *reader, const struct fm_segment_thread *thread);

/* The rank as a set, empty for FM_NO_RANK. *range is its memory. */
struct fm_rankset fm_segment_reader_ranks(const struct fm_segment_reader *reader, struct fm_range *range);

enum fm_status fm_read_regions(struct fm_segment_reader *reader);
/* Events, routines and edges; the regions and the load modules must have been read. */
enum fm_status fm_read_events(struct fm_segment_reader *reader);
/* The load modules must have been read. */
enum fm_status fm_read_successions(struct fm_segment_reader *reader);
/* Files and their classes. */
enum fm_status fm_read_files(struct fm_segment_reader *reader);
enum fm_status fm_read_counters(struct fm_segment_reader *reader);
enum fm_status fm_read_snapshots(struct fm_segment_reader *reader);
/* The calling context tree and the sequence; the load modules must have been read. */
enum fm_status fm_read_paths(struct fm_segment_reader *reader);
/* When the last sample was taken, to the precision of a cell (CLOCK_MONOTONIC); 0 = unknown. */
uint64_t fm_segment_reader_last_sample(const struct fm_segment_reader *reader);
/* nodes: for each slot of a call path the index of its node + 1, or 0. */
enum fm_status fm_read_sequence(struct fm_segment_reader *reader, const uint32_t *nodes, size_t n_places);
enum fm_status fm_read_timers(struct fm_segment_reader *reader);
/* Regions, events and timers must have been read. */
enum fm_status fm_read_spans(struct fm_segment_reader *reader);
/* Add the misuses of timer `number`, and that it is still running in a thread, to *timer. Return false if out of
 * memory. */
bool fm_read_misuses(struct fm_segment_reader *reader, unsigned number, struct fm_timer *timer);
/* Adds starts and stops that belong to no timer. */
bool fm_read_no_handles(struct fm_segment_reader *r, struct fm_timer *timer);
bool fm_read_running(struct fm_segment_reader *reader, const struct fm_segment_timing *timing, struct fm_timer *timer);

#endif
