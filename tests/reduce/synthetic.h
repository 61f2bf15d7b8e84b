/* Segments and profiles that no program wrote: for tests and for measuring at sizes no test machine has. */
#ifndef FM_TESTS_SYNTHETIC_H
#define FM_TESTS_SYNTHETIC_H

#include "profile/profile.h"
#include "profile/segment.h"

/* A regular program: `routines` routines called from `sites` call sites by every rank, which exchanges messages with
 * `neighbours` others at fixed distances. Times scatter widely (a total differs between ranks by up to a factor of
 * three), so that sizes measured with it flatter nobody; everything follows from `seed` and the rank. */
struct fm_synthetic {
    uint32_t ranks, routines, sites, neighbours, ranks_per_host, regions;
    uint64_t seed;
    uint32_t timers; /* of two threads each */
};

/* How large the segment of one rank is. */
size_t fm_synthetic_bytes(const struct fm_synthetic *job);
/* Writes it to `bytes` (64-byte aligned, fm_synthetic_bytes long). */
void fm_synthetic_segment(const struct fm_synthetic *job, uint32_t rank, void *bytes);

/* Uniform in 0..n-1; *state must not be 0. */
uint64_t fm_random(uint64_t *state, uint64_t n);

/* A valid profile of one process, everything in it random, its rank out of 0..ranks-1; sometimes an empty one.
 * Equal states give equal profiles. */
struct fm_profile *fm_random_profile(uint64_t *state, uint32_t ranks);

#endif
