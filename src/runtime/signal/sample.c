/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/sample.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/syscalls.h"
#include "runtime/counters/read.h"
#include "runtime/signal/stacks.h"

/* A thread inside MPI is shown in the routine, called from its call site: the internals of the library, and the
 * language binding on the way, are not part of the program. */
struct mpi_call {
    uint32_t routine; /* + 1; 0: not in MPI */
    uint64_t site;
};

static struct mpi_call call_of(const struct fm_sampled_thread *self)
{
    const struct fm_segment_thread *seg = self->seg;
    if (!seg || !seg->call_routine)
        return (struct mpi_call){0};
    return (struct mpi_call){seg->call_routine, seg->call_site};
}

/* Unwinds the stack, and drops the nodes of what has changed. A signal handler of the program may longjmp out of this,
 * or even resume it after other samples: `sample` is the number of this one. */
static void walk(struct fm_sampled_thread *self, struct fm_unwind *u, uint64_t sample)
{
    uint32_t nodes = self->memory.n;
    self->memory.n = 0;
    self->memory.nodes = self->nodes;
    atomic_signal_fence(memory_order_seq_cst);
    fm_unwind_walk(u);
    fm_stack_cache_keep(&self->stack_cache, u);
    atomic_signal_fence(memory_order_seq_cst);
    if (self->samples == sample)
        self->memory.n = nodes < self->stack.same ? nodes : self->stack.same;
    else
        self->stack.known = self->memory.n = 0;
}

/* Finds the calls, and what is known about their nodes. */
static struct fm_path_memory *find_calls(struct fm_sampled_thread *self, struct fm_unwind *u, uint64_t sample,
                                         struct fm_sampled_path *path)
{
    fm_unwind_leave(u);
    struct fm_cached_stack *recent = fm_stack_cache_find(&self->stack_cache, u);
    if (recent) {
        path->calls = recent->calls;
        path->n = recent->n;
        return &recent->memory;
    }
    walk(self, u, sample);
    path->calls = self->stack.calls;
    path->n = self->stack.n;
    path->gap = self->stack.end != FM_UNWIND_END;
    return &self->memory;
}

/* Replaces everything inside the call by its routine. */
static void enter_routine(struct fm_sampled_path *path, struct mpi_call call)
{
    for (uint32_t n = path->n; call.routine && n > 0; n--) {
        if (path->calls[n - 1] != call.site)
            continue;
        path->n = n;
        path->leaf = fm_path_step(call.routine - 1, FM_PATH_ROUTINE);
        return;
    }
}

/* ---- the stack ---- */

/* Whether the thread is on its own stack, and not on one that the program has created. */
static bool on_own_stack(const struct fm_sampled_thread *self, uintptr_t sp)
{
    return sp >= self->stack_low && sp < self->stack_end;
}

/* libc's thread descriptor is above the frames, in the same mapping. This much of an unknown stack is assumed to
 * exist. */
void fm_sample_find_stack(struct fm_sampled_thread *self)
{
    enum { ASSUMED_BYTES = 65536 };
    self->stack_end = (uintptr_t)pthread_self();
    uintptr_t low = fm_sampling_local.stack_low ? fm_sampling_local.stack_low : fm_stacks_low(self->stack_end);
    self->stack_low = low ? low : self->stack_end - ASSUMED_BYTES;
}

/* ---- samples ---- */

/* What a killed process leaves of its memory is at most a second old, and a call that is always the same takes the fast
 * path for at most a second. */
static void do_every_second(struct fm_segment_header *h, uint64_t now_ns)
{
    struct rusage use;
    if (now_ns - fm_sampling.second_ns < 1000000000u)
        return;
    fm_sampling.second_ns = now_ns;
    __atomic_fetch_add(fm_sampling.memos, 1, __ATOMIC_RELAXED);
    if (fm_kernel(SYS_getrusage, RUSAGE_SELF, &use) == 0)
        h->max_rss_bytes = (uint64_t)use.ru_maxrss * 1024;
}

static void forget_rules(struct fm_sampled_thread *self, uint32_t generation)
{
    memset(&self->rules, 0, sizeof self->rules);
    self->rules.generation = generation;
    self->stack.known = 0;
    fm_stack_cache_forget(&self->stack_cache);
}

static uint64_t periods_of(const struct fm_sampled_thread *self, const siginfo_t *info)
{
    return self->stride * (1 + (uint64_t)info->si_overrun);
}

/* So that the segment of a killed process has recent counts. Those that need system calls are read less often. */
static void update_counters(uint64_t sample)
{
    enum { SAMPLES = 8 };
    if (fm_counted)
        fm_counters_update(fm_counted, sample % SAMPLES == 1);
}

static __attribute__((noinline)) void take_sample(struct fm_context_tree *tree, struct fm_sampled_thread *self,
                                                  const ucontext_t *context, uint64_t periods)
{
    struct fm_unwind u;
    struct mpi_call call = call_of(self);
    uint64_t sample = ++self->samples;
    uint32_t generation = atomic_load_explicit(&fm_sampling.modules_generation, memory_order_acquire);
    if (self->rules.generation != generation)
        forget_rules(self, generation);
    bool own = on_own_stack(self, fm_ucontext_sp(context));
    fm_unwind_start(&u, context, own ? self->stack_end : 0, &self->rules, &self->stack);
    struct fm_sampled_path path = {.leaf = fm_path_step(fm_ucontext_pc(context), FM_PATH_LEAF)};
    struct fm_path_memory *memory = find_calls(self, &u, sample, &path);
    enter_routine(&path, call);
    if (path.gap)
        __atomic_add_fetch(&tree->header->samples_partial, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&tree->header->samples, 1, __ATOMIC_RELAXED);
    self->pending += periods;
    bool first = self->tid == tree->header->pid;
    if (first && !(sample & (sample - 1))) /* the clock rate that a killed process leaves is updated at powers of two */
        tree->header->clock_ppb = fm_clock_error_ppb(fm_sampling.clock);
    uint64_t now_ns = first ? fm_clock_ns(CLOCK_MONOTONIC) : 0;
    if (first)
        do_every_second(tree->header, now_ns);
    if (fm_context_tree_add(tree, (unsigned)self->tid, memory, &path, self->pending, now_ns))
        self->pending = 0;
    if (self->samples != sample)
        fm_stack_cache_forget(&self->stack_cache);
    update_counters(sample);
}

/* ---- the signal ---- */

/* A signal that we did not send is the program's, which has no handler for it: it ends the process when this handler
 * returns, as it would have without us. (All zeros is the kernel's representation of the default action.) */
static void raise_default(int signal)
{
    static const uint64_t default_action[4];
    fm_kernel(SYS_rt_sigaction, signal, default_action, NULL, sizeof(uint64_t));
    fm_kernel(SYS_tgkill, getpid(), fm_kernel(SYS_gettid), signal);
}

static struct fm_sampled_thread *sampled_thread(const siginfo_t *info)
{
    const char *sent = info->si_value.sival_ptr, *first = (const char *)fm_sampling.threads;
    bool one = info->si_code == SI_TIMER && first && sent >= first &&
               sent < (const char *)(fm_sampling.threads + FM_SAMPLED_THREADS) &&
               (size_t)(sent - first) % sizeof(struct fm_sampled_thread) == 0;
    return one ? (struct fm_sampled_thread *)info->si_value.sival_ptr : NULL;
}

/* A thread that existed before sampling began is attached by its first signal, and has an alternate stack from then on.
 * This signal is handled on the current stack, perhaps with little room: its periods are added to the next sample. */
static void adopt_thread(struct fm_sampled_thread *self, ucontext_t *context, uint64_t periods)
{
    if (!self->taken || self->tid != (int32_t)fm_kernel(SYS_gettid))
        return;
    if (!self->stack_end)
        fm_sample_find_stack(self);
    fm_altstack_begin_at_return(self->signal_stack, &context->uc_stack);
    self->pending += periods;
    fm_sampling_local.self = self;
}

void fm_sample_end_call(ucontext_t *context)
{
    if (fm_syscall_is_restarted(fm_ucontext_call(context)))
        fm_ucontext_end_call(context, -EINTR);
}

static __attribute__((noinline)) void handle(int signal, siginfo_t *info, ucontext_t *context)
{
    int error = errno;
    struct fm_sampled_thread *self = sampled_thread(info);
    fm_sampling_local.context = context;
    atomic_signal_fence(memory_order_seq_cst);
    if (FM_UNLIKELY(fm_sampling_local.ends_call)) {
        fm_sampling_local.ends_call = false;
        fm_sample_end_call(context);
    }
    if (!self)
        raise_default(signal);
    else if (!atomic_load_explicit(&fm_sampling.on, memory_order_acquire))
        ;
    else if (!fm_sampling_local.self)
        adopt_thread(self, context, periods_of(self, info));
    else if (self == fm_sampling_local.self)
        take_sample(&fm_sampling.contexts, self, context, periods_of(self, info));
    atomic_signal_fence(memory_order_seq_cst);
    fm_sampling_local.context = NULL;
    errno = error;
}

/* In a section of its own, between two labels that the compiler does not move. */
#ifdef __clang__
#define BETWEEN_MARKS
#else
#define BETWEEN_MARKS no_reorder,
#endif
#define MARK(name) asm(".pushsection .text.fm_sample, \"ax\", %progbits\n.hidden " name "\n" name ":\n.popsection")
extern FM_HIDDEN const char fm_sample_entry[], fm_sample_entry_end[];

bool fm_is_sample_entry(uintptr_t pc)
{
    return pc >= (uintptr_t)fm_sample_entry && pc < (uintptr_t)fm_sample_entry_end;
}

MARK("fm_sample_entry");
__attribute__((BETWEEN_MARKS section(".text.fm_sample"), noinline)) void fm_sample_signal(int signal, siginfo_t *info,
                                                                                          void *context)
{
    fm_sampling_local.frame = (uintptr_t)__builtin_frame_address(0);
    atomic_signal_fence(memory_order_seq_cst);
    handle(signal, info, context);
    atomic_signal_fence(memory_order_seq_cst);
    fm_sampling_local.frame = 0;
}
MARK("fm_sample_entry_end");

void fm_sample_blocked(struct fm_sampled_thread *self)
{
    const uint64_t signals = 1ull << (fm_sampling.signal - 1), all = UINT64_MAX;
    const struct timespec at_once = {0};
    uint64_t before;
    siginfo_t info;
    ucontext_t context;
    int error = errno;
    fm_kernel(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof before);
    if (fm_kernel(SYS_rt_sigtimedwait, &signals, &info, &at_once, sizeof signals) > 0) {
        struct fm_sampled_thread *sent = sampled_thread(&info);
        if (!sent) /* put it back into the queue */
            fm_kernel(SYS_rt_tgsigqueueinfo, getpid(), fm_kernel(SYS_gettid), info.si_signo, &info);
        else if (sent == self && getcontext(&context) == 0)
            take_sample(&fm_sampling.contexts, sent, &context, periods_of(sent, &info));
    }
    fm_kernel(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    errno = error;
}
