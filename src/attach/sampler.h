/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures (attach/capture.h) every thread of a job's processes once per sampling period, each at a random moment of
 * its own. Sampling takes a core away from a thread for which others may soon wait: threads that are captured one after
 * the other would be found waiting too often. For the same reason the sampler waits for that moment on the core of the
 * thread that it is going to capture: then that thread loses its core, and is found where it was. A process that ends
 * is left out from then on; new threads are found.
 *
 * The sampler is a thread that does nothing else: on busy cores the kernel prefers threads that have used little CPU
 * time, and while the sampler waits for a core, a thread of the job is stopped. Captures go to the caller and come back
 * through two lists that neither side waits for (attach/capture_queue.h). */
#ifndef FM_ATTACH_SAMPLER_H
#define FM_ATTACH_SAMPLER_H

#include "attach/capture_queue.h"
#include "attach/targets.h"

struct fm_attach_sampler;

struct fm_attach_sampler_counts {
    uint32_t moments; /* completed periods: their captures have arrived, except those of threads that wait for a core */
    size_t living;    /* live processes */
    uint64_t lost;    /* threads that could not be captured in time */
    bool failed;      /* out of memory */
};

struct fm_attach_sampler_options {
    uint64_t period_ns;
    uint32_t most_moments; /* periods; 0: no limit */
};

/* The caller keeps the targets. Signals that could stop or terminate the caller, and SIGCHLD, should be blocked.
 * Returns NULL if out of memory. */
struct fm_attach_sampler *fm_attach_sampler_start(const struct fm_targets *targets,
                                                  const struct fm_attach_sampler_options *how);
void fm_attach_sampler_stop(
    struct fm_attach_sampler *sampler); /* no thread is stopped afterwards; captures may still be queued */
bool fm_attach_sampler_go(struct fm_attach_sampler *sampler); /* resumes; false if its thread cannot be created */
void fm_attach_sampler_destroy(struct fm_attach_sampler *sampler);

struct fm_attach_sampler_counts fm_attach_sampler_counts(const struct fm_attach_sampler *sampler);
bool fm_attach_sampler_alive(const struct fm_attach_sampler *sampler, size_t process);
/* The captures, for the caller to process. */
struct fm_capture_queue *fm_attach_sampler_queue(struct fm_attach_sampler *sampler);

#endif
