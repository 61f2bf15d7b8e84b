/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the processor and of the kernel: what is counted, and the events of every thread. The mechanism of
 * perf_event_open; when threads begin and end is known to others (runtime/counting.c).
 *
 * An event lives as long as its page is mapped, whatever happens to its descriptor. Where the page is enough to read it,
 * no descriptor stays open; otherwise one for each thread, that of the leader of the group. */
#ifndef FM_RUNTIME_COUNTERS_STATE_H
#define FM_RUNTIME_COUNTERS_STATE_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/perf_names.h"
#include "base/platform.h"
#include "format/segment.h"

enum { FM_COUNTED_THREADS = 256 };

typedef const volatile struct perf_event_mmap_page fm_event_page;

/* Whoever makes a place busy opens, reads or closes its events; nobody else may then. */
enum fm_counted_place { FM_PLACE_FREE, FM_PLACE_TAKEN, FM_PLACE_BUSY };

/* The events of one thread. */
struct fm_counted_thread {
    uint32_t place; /* atomic: enum fm_counted_place */
    uint32_t n;     /* events; 0: none, also in a forked child */
    uint32_t split; /* of them, the first that can be read in user space */
    int32_t tid;
    struct fm_segment_counters *seg;
    fm_event_page *pages[FM_COUNTERS];
    uint64_t before[FM_COUNTERS]; /* counts of the threads that had it earlier, which seg->total includes */
    uint64_t enabled_before[FM_COUNTERS], running_before[FM_COUNTERS];
};

/* A descriptor that stays open. The program may close it and open another file under its number, so the kernel's id of
 * the event is compared before each use. */
struct fm_counter_descriptor {
    int32_t fd; /* + 1; 0: none */
    uint64_t id;
};

struct fm_counting {
    atomic_uint on;
    uint32_t page_bytes;
    struct fm_perf_events events;      /* those of the processor first */
    struct fm_counted_thread *threads; /* FM_COUNTED_THREADS, zeroed in a forked child */
    uint32_t n_places;                 /* of them, ever used */
    uint32_t n_descriptors;
    struct fm_counter_descriptor descriptors[FM_COUNTED_THREADS]; /* not zeroed: a child closes them */
};
extern FM_HIDDEN struct fm_counting fm_counting;

/* Those of the calling thread; NULL: it has none. */
extern FM_HIDDEN __thread struct fm_counted_thread *fm_counted __attribute__((tls_model("initial-exec")));

#endif
