/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of converting one segment into the profile of one process; shared by the files segment_*.c. */
#ifndef FM_MERGE_SEGMENT_READER_H
#define FM_MERGE_SEGMENT_READER_H

#include "merge/segment_load_modules.h"
#include "merge/segment_routines.h"
#include "merge/segment_view.h"

/* No duration can be longer: 100 years. */
#define FM_LONGEST_NS (100ull * 31557600ull * 1000000000ull)

struct fm_segment_reader {
    struct fm_segment_view view;
    struct fm_profile *profile;
    struct fm_error *error;
    uint32_t rank;   /* FM_NO_RANK: MPI_Init had not returned */
    uint64_t now_ns; /* CLOCK_MONOTONIC: when the process ended, or the moment of reading */
    uint64_t wall_ns;
    enum fm_end end; /* how the process ended; FM_END_UNKNOWN: it has not */
    int32_t end_code;

    struct fm_mapped_modules modules;
    struct fm_routines routines;
    const char **paths;    /* of the regions by number, interned; [n_paths - 1] = "?" stands for bad numbers */
    uint16_t *path_orders; /* equal paths have equal orders */
    size_t n_paths;
};

enum fm_status fm_segment_reader_no_memory(struct fm_segment_reader *reader);
enum fm_status fm_segment_reader_damage(struct fm_segment_reader *reader, const char *what);

/* Copy of a thread slot; the region stack is bounded. */
void fm_segment_reader_thread(const struct fm_segment_reader *reader, size_t slot, struct fm_segment_thread *thread);
/* A duration that the process took from its clock, by the clock's exact rate. */
uint64_t fm_segment_reader_ns(const struct fm_segment_reader *reader, uint64_t ns);
void fm_segment_reader_extremes(const struct fm_segment_reader *reader, struct fm_segment_extremes *extremes);
/* When the call in progress of a thread began, 0 = not known. */
uint64_t fm_segment_reader_call_start(const struct fm_segment_reader *reader, const struct fm_segment_thread *thread);

/* The rank as a set: empty for FM_NO_RANK. *range is its memory. */
struct fm_rankset fm_segment_reader_ranks(const struct fm_segment_reader *reader, struct fm_range *range);

enum fm_status fm_read_regions(struct fm_segment_reader *reader);
/* Needs the regions and the modules. Events, routines and edges. */
enum fm_status fm_read_events(struct fm_segment_reader *reader);
enum fm_status fm_read_snapshots(struct fm_segment_reader *reader);
/* Needs the modules. The calling context tree, and the sequence. */
enum fm_status fm_read_paths(struct fm_segment_reader *reader);
/* nodes: for each place of a call path its node + 1, 0: there is none. */
/* When the last sample was, as far as its cell tells (CLOCK_MONOTONIC); 0: not known. */
uint64_t fm_segment_reader_last_sample(const struct fm_segment_reader *reader);
enum fm_status fm_read_sequence(struct fm_segment_reader *reader, const uint32_t *nodes, size_t n_places);
enum fm_status fm_read_timers(struct fm_segment_reader *reader);
/* Add the wrong uses of timer `number`, and that it is still running in a thread, to *timer; false: no memory. */
bool fm_read_misuses(struct fm_segment_reader *reader, unsigned number, struct fm_timer *timer);
/* Starts and stops that belong to no timer. */
bool fm_read_no_handles(struct fm_segment_reader *r, struct fm_timer *timer);
bool fm_read_running(struct fm_segment_reader *reader, const struct fm_segment_timing *timing, struct fm_timer *timer);

#endif
