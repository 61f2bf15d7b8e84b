/* SPDX-License-Identifier: BSD-3-Clause */
/* What this folder knows between two samples: one variable for the process, and one for each thread. */
#ifndef FM_RUNTIME_SIGNAL_STATE_H
#define FM_RUNTIME_SIGNAL_STATE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <ucontext.h>

#include "base/platform.h"
#include "runtime/signal/stack_cache.h"

/* What a sampled thread needs, made before its first signal. */
struct fm_sampled_thread {
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
    uint32_t nodes[FM_SAMPLED_DEPTH]; /* for it */
    struct fm_stack stack;
    struct fm_stack_cache stack_cache;
    struct fm_unwind_cache rules;
};
_Static_assert((int)FM_STACK_DEPTH <= (int)FM_SAMPLED_DEPTH, "each call has a node");

enum { FM_SIGNALS = 64 };

typedef void fm_handler(int signal, siginfo_t *info, void *context);

/* What the program has asked for. */
struct fm_handlers {
    fm_handler *_Atomic call[FM_SIGNALS + 1];
    atomic_ullong plain;     /* signals whose handlers have no parameter but the signal */
    atomic_ullong end_calls; /* signals whose handlers have no SA_RESTART */
};

enum { FM_SAMPLED_THREADS = 256, FM_KNOWN_STACKS = 512 };

struct fm_sampling {
    atomic_uint on;
    atomic_uint modules_generation; /* changes when a module is unloaded */
    struct fm_sampled_thread
        *threads; /* FM_SAMPLED_THREADS of them, and one that is nobody's; empty in a forked child */
    struct fm_context_tree contexts;
    const struct fm_clock *clock;
    int signal; /* one that the program does not use */
    unsigned n_stacks;
    struct fm_handlers handlers;
    struct {
        uintptr_t low, end;
    } stacks[FM_KNOWN_STACKS]; /* see stacks.h */
};
extern FM_HIDDEN struct fm_sampling fm_sampling;

/* Of the calling thread. */
struct fm_sampling_local {
    struct fm_sampled_thread *self; /* NULL: it is not sampled, or not known yet */
    uintptr_t stack_low;            /* how far its stack goes down; 0: not known */
    uintptr_t frame;                /* where the frame of a sample lies that is being taken; 0: none is */
    ucontext_t *context;            /* what that sample has interrupted; NULL: it is not known yet, or any more */
    bool ends_call;                 /* asks the sample that begins now to do fm_sample_end_call */
    bool has_alternate;             /* ours is in place: the program has none */
    void *alternate;                /* see alternate.h */
};
extern FM_HIDDEN __thread struct fm_sampling_local fm_sampling_local __attribute__((tls_model("initial-exec")));

#endif
