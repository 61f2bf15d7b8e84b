/* Sampling a job from outside: every thread of all its processes, once in each period, at a moment of its own. That is
 * so because looking takes a core from somebody, for whom the others may soon wait: a thread that is looked at after
 * another one would be found waiting too often. For the same reason we wait for that moment on the thread's own core: then
 * it is the one whose core is taken, and it is found where it was. A process that ends is left out from then on; threads that come are
 * found. One thread, and never two sessions at a time.
 *
 * Threads but the first of a process that sleep in libraries alone do not count: libraries have such threads for
 * themselves, and nobody waits for them. */
#ifndef FM_ATTACH_SESSION_H
#define FM_ATTACH_SESSION_H

#include <sched.h>

#include "attach/samples.h"
#include "attach/shot.h"
#include "base/error.h"

struct fm_session_thread;

struct fm_session {
    struct fm_samples samples;
    const struct fm_targets *targets;
    struct fm_walker **walkers; /* by target; NULL: it has ended */
    size_t living;
    struct fm_session_thread *threads;
    size_t n_threads, threads_capacity;
    uint64_t period_start_ns;
    cpu_set_t cores;   /* that we may use */
    unsigned near;     /* the core that we are on for the thread that is next, + 1; 0: any */
    unsigned unlisted; /* periods since threads were listed */
    size_t asked;      /* threads that have not stopped yet */
    size_t given_up;   /* that were waited for too long: should they stop after all they are let go */
    uint64_t *held_ns; /* of every stop; samples of threads that sleep have none */
    size_t stops, held_capacity;
};

/* FM_ERR_SYSTEM with the sentence that says what forbids it. */
enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets, uint64_t period_ns,
                               struct fm_error *error);
void fm_session_close(struct fm_session *session);

/* When there is something to do again, unless a thread stops before, which SIGCHLD tells. */
uint64_t fm_session_next_ns(const struct fm_session *session);
/* Looks at the threads whose moment has come, and lets those go that have stopped. false: no memory. */
bool fm_session_look(struct fm_session *session);
/* Until nothing is held: before anything that takes long, and before the end. false: no memory. */
bool fm_session_settle(struct fm_session *session);
/* How long threads were stopped. */
struct fm_held {
    uint64_t median_ns, most_ns;
};
struct fm_held fm_session_held(struct fm_session *session);

#endif
