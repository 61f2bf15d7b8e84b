/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling a job from outside: a sampler takes the pictures (attach/sampler.h), and here they become call paths and
 * samples. One session at a time.
 *
 * Threads but the first of a process that sleep in libraries alone do not count: libraries have such threads for
 * themselves, and nobody waits for them. */
#ifndef FM_ATTACH_SESSION_H
#define FM_ATTACH_SESSION_H

#include "attach/sampler.h"
#include "attach/samples.h"
#include "base/error.h"

struct fm_session {
    struct fm_samples samples;
    const struct fm_targets *targets;
    struct fm_sampler *sampler;
    struct fm_walker **walkers; /* by target; NULL: it has ended */
    size_t living;
    struct fm_sleeper *sleepers; /* an unchanged stack has the same path: a table that forgets */
    uint64_t *held_ns;           /* of every stop; samples of threads that sleep have none */
    size_t stops, held_capacity;
};

/* FM_ERR_SYSTEM with the sentence that says what forbids it. */
enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets,
                               const struct fm_sampler_options *how, struct fm_error *error);
void fm_session_close(struct fm_session *session);

/* What was found since the last time goes into the samples. false: no memory. */
bool fm_session_gather(struct fm_session *session);
/* Nothing is held until it is continued. */
void fm_session_pause(struct fm_session *session);
void fm_session_continue(struct fm_session *session);
/* For good, and all goes into the samples. false: no memory. */
bool fm_session_end(struct fm_session *session);

/* How long threads were stopped. */
struct fm_held {
    uint64_t median_ns, most_ns;
};
struct fm_held fm_session_held(struct fm_session *session);

#endif
