/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling a job from outside: the sampler captures threads (attach/sampler.h); here the captures become call paths and
 * samples. One session at a time.
 *
 * Threads other than the main thread that sleep in libraries only do not count: they are helper threads of libraries,
 * and nobody waits for them. */
#ifndef FM_ATTACH_SESSION_H
#define FM_ATTACH_SESSION_H

#include "attach/sampler.h"
#include "attach/samples.h"
#include "base/error.h"

struct fm_session {
    struct fm_attach_samples samples;
    const struct fm_targets *targets;
    struct fm_attach_sampler *sampler;
    struct fm_dwfl_unwinder **unwinders; /* by target; NULL: it has ended */
    size_t living;
    struct fm_sleeper *sleepers; /* an unchanged stack has the same call path: a lossy cache */
    uint64_t *held_ns;           /* of every stop; sleeping threads are not stopped */
    size_t stops, held_capacity;
};

/* Returns FM_ERR_SYSTEM if it is not permitted; the error says by what. */
enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets,
                               const struct fm_attach_sampler_options *how, struct fm_error *error);
void fm_session_close(struct fm_session *session);

/* Adds what was captured since the last call to the samples. Returns false if out of memory. */
bool fm_session_gather(struct fm_session *session);
/* No thread is stopped until it continues. */
void fm_session_pause(struct fm_session *session);
void fm_session_continue(struct fm_session *session);
/* Stops sampling and adds the rest to the samples. Returns false if out of memory. */
bool fm_session_end(struct fm_session *session);

/* How long threads were stopped. */
struct fm_held {
    uint64_t median_ns, most_ns;
};
struct fm_held fm_session_held(struct fm_session *session);

#endif
