/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of this folder between samples: one variable for the process, and one for each thread. */
#ifndef FM_RUNTIME_SIGNAL_STATE_H
#define FM_RUNTIME_SIGNAL_STATE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <ucontext.h>

#include "base/platform.h"
#include "runtime/signal/stack_cache.h"

/* State of a sampled thread, prepared before its first signal. */
struct fm_sampled_thread {
    uint32_t taken;  /* atomic: 1 while a thread owns it */
    uint32_t found;  /* the thread existed before sampling began */
    uint32_t paused; /* it has no timer at the moment */
    int32_t tid;
    uint32_t stride;                /* periods from one sample to the next */
    int timer;                      /* the kernel's id; -1: none */
    uintptr_t stack_low, stack_end; /* its own stack, down to its limit */
    void *signal_stack; /* for handlers; allocated for the first thread in this slot and reused by later ones */
    struct fm_segment_thread *seg; /* has the MPI call in progress; NULL: it has never called MPI */
    uint64_t pending;              /* periods that could not be added yet */
    uint64_t samples;              /* total, including earlier threads in this slot */
    uint64_t samples_before;       /* of the earlier threads only */
    struct fm_path_memory memory;
    uint32_t nodes[FM_SAMPLED_DEPTH]; /* the nodes of `memory` */
    struct fm_stack stack;
    struct fm_stack_cache stack_cache;
    struct fm_unwind_cache rules;
};
_Static_assert((int)FM_STACK_DEPTH <= (int)FM_SAMPLED_DEPTH, "each call has a node");

enum { FM_SIGNALS = 64 };

typedef void fm_handler(int signal, siginfo_t *info, void *context);

/* The signal handlers of the program. */
struct fm_handlers {
    fm_handler *_Atomic call[FM_SIGNALS + 1];
    atomic_ullong plain;     /* signals whose handlers take only the signal number */
    atomic_ullong end_calls; /* signals whose handlers lack SA_RESTART */
};

enum { FM_SAMPLED_THREADS = 256, FM_KNOWN_STACKS = 512 };

struct fm_sampling {
    atomic_uint on;
    atomic_uint modules_generation;    /* changes when a module is unloaded */
    struct fm_sampled_thread *threads; /* FM_SAMPLED_THREADS slots and a dummy one; zeroed in a forked child */
    struct fm_context_tree contexts;
    const struct fm_clock *clock;
    uint64_t *memos;    /* atomic: increased now and then, so that calls are looked at more closely (mpi/memo.h) */
    uint64_t second_ns; /* CLOCK_MONOTONIC: when the last one began */
    int signal;         /* one that the program does not use */
    unsigned n_stacks;
    struct fm_handlers handlers;
    struct {
        uintptr_t low, end;
    } stacks[FM_KNOWN_STACKS]; /* see stacks.h */
};
extern FM_HIDDEN struct fm_sampling fm_sampling;

/* State of the calling thread. */
struct fm_sampling_local {
    struct fm_sampled_thread *self; /* NULL: not sampled, or not known yet */
    uintptr_t stack_low;            /* lower end of its stack; 0: unknown */
    uintptr_t frame;                /* frame address of the sample that is being taken; 0: none */
    ucontext_t *context;            /* what that sample has interrupted; NULL: not known yet, or not any more */
    bool ends_call;                 /* asks the sample that is starting to call fm_sample_end_call */
    bool has_alternate;             /* ours is installed: the program has none */
    void *alternate;                /* see alternate.h */
};
extern FM_HIDDEN __thread struct fm_sampling_local fm_sampling_local __attribute__((tls_model("initial-exec")));

#endif
