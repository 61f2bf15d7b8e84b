/* Takes a sample: what a thread is doing, as a path into the tree. The handler of the sampling signal, and nothing that
 * is not safe in one: no lock that anybody sleeps in, no allocation, no stdio. */
#ifndef FM_RUNTIME_SIGNAL_SAMPLE_H
#define FM_RUNTIME_SIGNAL_SAMPLE_H

#include "base/platform.h"
#include "runtime/signal/alternate.h"
#include "runtime/signal/recent.h"

/* What a sampled thread needs, made before its first signal. */
struct fm_sampled {
    uint32_t taken;  /* atomic: 1 while a thread owns it */
    uint32_t found;  /* it was there before sampling began */
    uint32_t paused; /* it has no timer for now */
    int32_t tid;
    uint32_t stride;                /* periods from one sample to the next */
    int timer;                      /* as the kernel names it; -1: none */
    uintptr_t stack_low, stack_end; /* its own stack, as far as it may grow */
    void *signal_stack;            /* for handlers, made for the first thread that is here and kept for the next ones */
    struct fm_segment_thread *seg; /* which MPI call it is in; NULL: it has never called MPI */
    uint64_t pending;              /* periods that could not be added when they ended */
    uint64_t samples;              /* so far, also of threads that were here before */
    uint64_t samples_before;       /* only of those */
    struct fm_path_memory memory;
    uint32_t nodes[FM_PATH_DEPTH]; /* for it */
    struct fm_stack stack;
    struct fm_recents recents;
    struct fm_unwind_cache rules;
};
_Static_assert((int)FM_STACK_DEPTH <= (int)FM_PATH_DEPTH, "each call has a node");

/* All of it, and the one variable of this folder. */
struct fm_sampling {
    atomic_uint on;
    atomic_uint modules_generation; /* changes when a module is unloaded */
    struct fm_sampled *threads;     /* FM_SAMPLED_THREADS of them, and one that is nobody's; empty in a forked child */
    struct fm_contexts contexts;
    const struct fm_clock *clock;
    int signal; /* one that the program does not use */
};
enum { FM_SAMPLED_THREADS = 256 };

extern FM_HIDDEN struct fm_sampling fm_sampling;
extern FM_HIDDEN __thread struct fm_sampled *fm_sampled_self __attribute__((tls_model("initial-exec")));
/* How far the calling thread's stack goes down; 0: not known. */
extern FM_HIDDEN __thread uintptr_t fm_stack_low __attribute__((tls_model("initial-exec")));

/* Where the frame of a sample lies that is being taken in the calling thread; 0: none is. */
extern FM_HIDDEN __thread uintptr_t fm_sample_frame __attribute__((tls_model("initial-exec")));
/* What that sample has interrupted; NULL: it is not known yet, or any more. */
extern FM_HIDDEN __thread ucontext_t *fm_sample_context __attribute__((tls_model("initial-exec")));
/* Asks the sample that begins now to do fm_sample_end_call. */
extern FM_HIDDEN __thread bool fm_sample_ends_call __attribute__((tls_model("initial-exec")));
/* The system call that a sample has interrupted is not begun again: a signal of the program was to end it. */
void fm_sample_end_call(ucontext_t *context);
/* Whether an address is in the handler itself, before or behind what fm_sample_frame tells of. */
bool fm_is_sample_entry(uintptr_t pc);

/* The bounds of the calling thread's stack, which is not the first one's. */
void fm_sample_find_stack(struct fm_sampled *self);
/* The handler. */
void fm_sample_signal(int signal, siginfo_t *info, void *context);
/* Takes the sample that is due in the calling thread, which has the signal blocked: outside a handler. */
void fm_sample_blocked(struct fm_sampled *self);

#endif
