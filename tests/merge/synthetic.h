/* Segments and profiles that no program wrote: for tests and for measuring at sizes no test machine has. */
#ifndef FM_TESTS_SYNTHETIC_H
#define FM_TESTS_SYNTHETIC_H

#include "format/segment.h"
#include "model/profile.h"

/* What the timers of a job look like. */
enum fm_synthetic_timing {
    FM_TIMING_PLAIN,  /* two threads each, with events of two powers of ten */
    FM_TIMING_OCEAN,  /* four kinds of tasks in blocks, land scattered over them, some timers on some tasks */
    FM_TIMING_SHAPES, /* each task's events are spread in a way of its own over ten powers of ten */
    FM_TIMING_RANGES, /* neighbours differ: lists of tasks are as long as they can be */
};

/* A regular program: `routines` routines called from `sites` call sites by every rank, which exchanges messages with
 * `neighbours` others at fixed distances. Times scatter widely (a total differs between ranks by up to a factor of
 * three), so that sizes measured with it flatter nobody; everything follows from `seed` and the rank. */
struct fm_synthetic {
    uint32_t ranks, routines, sites, neighbours, ranks_per_host, regions;
    uint64_t seed;
    uint32_t timers;
    enum fm_synthetic_timing timing;
    uint32_t paths; /* nodes of call paths: most of them common to all ranks, some of a few, few of one alone */
    uint32_t files; /* per rank: some that all read, some of its own, some that all write with MPI-IO */
    bool counters;  /* instructions, cycles and cache misses, split between the program and MPI */
};

/* How large the segment of one rank is. */
size_t fm_synthetic_bytes(const struct fm_synthetic *job);
/* Writes it to `bytes` (64-byte aligned, fm_synthetic_bytes long). */
void fm_synthetic_segment(const struct fm_synthetic *job, uint32_t rank, void *bytes);
/* Its timers, of any kind but the plain one; the segment has room for FM_TIMING_DECADES blocks of bins each. */
enum { FM_TIMING_DECADES = 10 };
void fm_synthetic_timers(const struct fm_synthetic *job, uint32_t rank, struct fm_segment_header *header,
                         uint64_t *state);

/* Uniform in 0..n-1; *state must not be 0. */
uint64_t fm_random(uint64_t *state, uint64_t n);

/* A valid profile of one process, everything in it random, its rank out of 0..ranks-1; sometimes an empty one.
 * Equal states give equal profiles. */
struct fm_profile *fm_random_profile(uint64_t *state, uint32_t ranks);

#endif
