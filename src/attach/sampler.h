/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes pictures (attach/shot.h) of every thread of a job's processes, once in each period, at a moment of its own. That is
 * so because looking takes a core from somebody, for whom the others may soon wait: a thread that is looked at after
 * another one would be found waiting too often. For the same reason that moment is waited for on the thread's own core:
 * then it is the one whose core is taken, and it is found where it was. A process that ends is left out from then on;
 * threads that come are found.
 *
 * All this is done by a thread of its own, which does nothing else: where cores are short the kernel makes those wait who
 * have had much, and while this one waits for a core a thread of the job is stopped. Pictures go to the caller and come back
 * by two lists that nobody ever waits for. */
#ifndef FM_ATTACH_SAMPLER_H
#define FM_ATTACH_SAMPLER_H

#include "attach/picture.h"
#include "attach/targets.h"

struct fm_sampler;

struct fm_sampler_counts {
    uint32_t moments; /* periods that are over: their pictures have come, but for threads that wait for a core */
    size_t living;    /* processes */
    uint64_t lost;    /* threads that could not be looked at in time */
    bool failed;      /* there was no memory */
};

struct fm_sampler_options {
    uint64_t period_ns;
    uint32_t most_moments; /* periods; 0: without an end */
};

/* The targets stay the caller's. Signals that could stop or end the caller, and SIGCHLD, should be blocked. NULL: no
 * memory. */
struct fm_sampler *fm_sampler_start(const struct fm_targets *targets, const struct fm_sampler_options *how);
void fm_sampler_stop(struct fm_sampler *sampler); /* nothing is held any more; pictures may still be there */
bool fm_sampler_go(struct fm_sampler *sampler);   /* again; false: there can be no thread for it */
void fm_sampler_destroy(struct fm_sampler *sampler);

struct fm_sampler_counts fm_sampler_counts(const struct fm_sampler *sampler);
bool fm_sampler_alive(const struct fm_sampler *sampler, size_t process);
/* For the caller to look at (attach/picture.h). */
struct fm_pictures *fm_sampler_pictures(struct fm_sampler *sampler);

#endif
