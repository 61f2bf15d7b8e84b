/* SPDX-License-Identifier: BSD-3-Clause */
/* What a sample costs, in one process, on a stack 50 frames deep without frame pointers: the same work is done without
 * signals, with signals whose handler is empty, and with Fathom's handler, in turn; on one stack, and on stacks that
 * change from sample to sample from the outermost call on. Then what a frame costs, in a stack
 * that is as it was, seen before elsewhere, and new, beside libunwind and glibc. Prints words and numbers for
 * part_samples.py. With 0 as the first argument only what callgrind counts is done: 64 samples in each loop. */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <execinfo.h>
#include <libunwind.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "instructions.h"
#include "runtime/signal/sample.h"

extern void *__libc_stack_end;

enum { SIGNAL = 59, DEPTH = 50, FRAMES = 128, HZ = 10000 };
enum { PATHS = 14563, INDEX = 16384 }; /* as in a segment of 4 MiB */

#include "runtime/path_segment.h"

static volatile unsigned long signals;
static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* ---- handlers ---- */

static void empty(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    signals++;
}

static void fathoms(int signal, siginfo_t *info, void *context)
{
    fm_sample_signal(signal, info, context);
    signals++;
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigaction(SIGNAL, &action, NULL);
}

static int timer;

static void set_timer(int hz)
{
    struct timespec every = {0, hz ? 1000000000 / hz : 0};
    struct itimerspec when = {every, every};
    syscall(SYS_timer_settime, timer, 0, &when, NULL);
}

static void start_sampling(void)
{
    static struct fm_clock clock;
    static uint64_t memos;
    fm_clock_start(&clock);
    fm_sampling.clock = &clock;
    fm_sampling.memos = &memos;
    memset(&segment, 0, sizeof segment);
    segment.header.pid = (int32_t)getpid();
    segment.header.started_real_ns = clock_ns(CLOCK_REALTIME);
    segment.header.started_mono_ns = now_ns();
    segment.header.sample_period_ns = 1000000000 / HZ;
    segment.header.sequence_shift = 17; /* the period, or longer */
    make_tree_in_segment(&fm_sampling.contexts, PATHS);
    fm_sampling.threads = mmap(NULL, FM_SAMPLED_THREADS * sizeof *fm_sampling.threads, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct fm_sampled_thread *self = fm_sampling.threads;
    self->taken = 1;
    self->tid = (int32_t)syscall(SYS_gettid);
    self->stack_end = (uintptr_t)__libc_stack_end;
    self->stack_low = self->stack_end - (8u << 20);
    fm_sampling_local.self = self;
    atomic_store(&fm_sampling.on, 1);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    event.sigev_value.sival_ptr = self;
    event._sigev_un._tid = self->tid;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
        exit(1);
}

/* ---- the same work, again and again ---- */

static int sample_rounds;

static void spin(int n)
{
    uint64_t x = sink;
    for (int i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

/* All on this stack. */
static void work(void)
{
    spin(4000000);
}

/* In time of this thread: what else runs does not count, but signals and their handlers do. */
static uint64_t time_of(void (*work)(void))
{
    uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    work();
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* ns that a signal adds; `idle` is what the work takes without */
static double cost_of(void (*handler)(int, siginfo_t *, void *), void (*work)(void), uint64_t idle)
{
    handle(handler);
    set_timer(HZ);
    unsigned long before = signals;
    uint64_t took = time_of(work);
    set_timer(0);
    unsigned long n = signals - before;
    return n ? ((double)took - (double)idle) / (double)n : 0;
}

static void measure_samples(const char *name, void (*work)(void))
{
    for (int i = 0; i < sample_rounds; i++) {
        uint64_t idle = time_of(work);
        double bare = cost_of(empty, work, idle), sample = cost_of(fathoms, work, idle);
        printf("%s %.1f %.1f\n", name, bare, sample);
    }
}

/* ---- a full tree ---- */

enum { NEW_STACKS = 1500 };

/* Stacks that never repeat: what the costliest of them takes. Each is added several times to trees that are the same,
 * because of what else runs. */
static void measure_full(int times)
{
    static uint64_t calls[DEPTH], best_ns[NEW_STACKS];
    static uint32_t nodes[DEPTH];
    struct fm_path_memory memory = {.nodes = nodes};
    struct fm_context_tree tree;
    struct fm_sampled_path path = {.calls = calls, .n = DEPTH, .leaf = fm_path_step(1, FM_PATH_LEAF)};
    uint64_t most = 0;
    for (int time = 0; time < times; time++) {
        memset(&segment, 0, sizeof segment);
        make_tree_in_segment(&tree, PATHS);
        for (int i = 0; i < NEW_STACKS; i++) {
            for (int depth = 0; depth < DEPTH; depth++)
                calls[depth] = 0x400000u + (unsigned)(i >> depth / 8) * 64u + (unsigned)depth;
            memory.n = 0;
            uint64_t before = now_ns();
            fm_context_tree_add(&tree, 1, &memory, &path, 1, 0);
            uint64_t took = now_ns() - before;
            best_ns[i] = time && best_ns[i] < took ? best_ns[i] : took;
        }
    }
    for (int i = 0; i < NEW_STACKS; i++)
        most = best_ns[i] > most ? best_ns[i] : most;
    printf("full %.2f\n", (double)most / 1000);
}

/* ---- frames ---- */

static int walks;

/* libunwind beside glibc: linked, it would take the place of backtrace. */
#define TEXT_OF(name) #name
#define SYMBOL(name) TEXT_OF(name)
static struct {
    int (*backtrace)(void **, int);
    __typeof__(unw_init_local) *init_local;
    __typeof__(unw_step) *step;
} libunwind;

static void find_libunwind(void)
{
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    libunwind.backtrace = (int (*)(void **, int))dlsym(library, "unw_backtrace");
    libunwind.init_local = (__typeof__(unw_init_local) *)dlsym(library, SYMBOL(unw_init_local));
    libunwind.step = (__typeof__(unw_step) *)dlsym(library, SYMBOL(unw_step));
}

static unsigned walk_again(const ucontext_t *context)
{
    struct fm_unwind u;
    struct fm_stack *stack = &fm_sampling_local.self->stack;
    fm_unwind_start(&u, context, (uintptr_t)__libc_stack_end, &fm_sampling_local.self->rules, stack);
    fm_unwind_leave(&u);
    fm_unwind_walk(&u);
    return stack->n + 1;
}

/* As if the last sample had been elsewhere. */
static unsigned walk_with_fathom(const ucontext_t *context)
{
    fm_sampling_local.self->stack.n = fm_sampling_local.self->stack.known = 0;
    return walk_again(context);
}

static void forget(void)
{
    for (unsigned i = 0; i < FM_RULE_SLOTS; i++)
        fm_sampling_local.self->rules.slots[i].address = 0;
}

static unsigned walk_with_libunwind(const ucontext_t *context)
{
    void *frames[FRAMES];
    (void)context;
    return (unsigned)libunwind.backtrace(frames, FRAMES);
}

static unsigned walk_with_glibc(const ucontext_t *context)
{
    void *frames[FRAMES];
    (void)context;
    return (unsigned)backtrace(frames, FRAMES);
}

static unsigned step_with_libunwind(const ucontext_t *context)
{
    ucontext_t here; /* of which libunwind's own is the first part */
    unw_cursor_t cursor;
    unsigned n = 1;
    (void)context;
    getcontext(&here);
    libunwind.init_local(&cursor, (unw_context_t *)&here);
    while (libunwind.step(&cursor) > 0)
        n++;
    return n;
}

/* The cheapest of many: what else runs here does not count. */
static void measure_walk(const char *name, unsigned (*walker)(const ucontext_t *), const ucontext_t *context,
                         bool fresh)
{
    double best = 1e9;
    walker(context);
    for (int i = 0; i < walks; i++) {
        if (fresh)
            forget();
        uint64_t before = now_ns();
        unsigned n = walker(context);
        double each = (double)(now_ns() - before) / n;
        best = each < best ? each : best;
    }
    printf("%s %.2f\n", name, best);
}

/* In a handler, as samples are: from the interrupted function outwards. */
static void measure_frames(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    measure_walk("same", walk_again, context, false);
    measure_walk("seen", walk_with_fathom, context, false);
    measure_walk("new", walk_with_fathom, context, true);
    measure_walk("backtrace", walk_with_glibc, context, false);
    if (!libunwind.backtrace || !libunwind.init_local || !libunwind.step)
        return;
    measure_walk("unw_backtrace", walk_with_libunwind, context, false);
    measure_walk("unw_step", step_with_libunwind, context, false);
}

/* Different functions, so that their addresses are: a chain of DEPTH, made by the preprocessor. Each calls the next from
 * one of two places, as a bit of `way` says. */
static void (*at_bottom)(void);
static volatile uint64_t way;

__attribute__((noinline)) static int bottom(int x)
{
    at_bottom();
    return x + 1;
}

#define LEVEL(name, next)                            \
    __attribute__((noinline)) static int name(int x) \
    {                                                \
        volatile int room[8];                        \
        room[x % 8] = x;                             \
        if (way >> x % 64 & 1)                       \
            return next(x + 1) + room[x % 8];        \
        return next(x + 65) - room[x % 8];           \
    }
#define FIVE(a, b, c, d, e, next) LEVEL(e, next) LEVEL(d, e) LEVEL(c, d) LEVEL(b, c) LEVEL(a, b)
FIVE(k1, k2, k3, k4, k5, bottom)
FIVE(i1, i2, i3, i4, i5, k1)
FIVE(h1, h2, h3, h4, h5, i1)
FIVE(g1, g2, g3, g4, g5, h1)
FIVE(f1, f2, f3, f4, f5, g1)
FIVE(e1, e2, e3, e4, e5, f1)
FIVE(d1, d2, d3, d4, d5, e1)
FIVE(c1, c2, c3, c4, c5, d1)
FIVE(b1, b2, b3, b4, b5, c1)
FIVE(a1, a2, a3, a4, a5, b1)

static void measure_here(void)
{
    measure_samples("sample", work);
    handle(measure_frames);
    find_libunwind();
    raise(SIGNAL);
}

/* ---- stacks that change ---- */

enum { WAYS = 16 };

static void spin_shortly(void)
{
    spin(20000);
}

static uint64_t random_number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t ways[WAYS];

/* A fifth of a period on each, in any order. */
static void work_on_ways(void)
{
    at_bottom = spin_shortly;
    for (int i = 0; i < 200; i++) {
        way = ways[random_number() >> 20 & (WAYS - 1)];
        a1(0);
    }
}

/* ---- instructions: as if a signal had come ---- */

static bool with_samples;

static void take_sample(void)
{
    ucontext_t here;
    siginfo_t info = {.si_code = SI_TIMER};
    info.si_value.sival_ptr = fm_sampling.threads;
    getcontext(&here);
    if (with_samples)
        fm_sample_signal(SIGNAL, &info, &here);
}

static void count_instructions(const char *name, bool samples, bool changing)
{
    enum { TURNS = 4 };
    at_bottom = take_sample;
    with_samples = samples;
    for (int turn = -TURNS; turn < TURNS; turn++) {
        if (turn == 0)
            bench_instructions_begin();
        for (int i = 0; i < WAYS; i++) {
            way = ways[changing ? i : 0];
            a1(0);
        }
    }
    bench_instructions_end(name);
}

int main(int argc, char **argv)
{
    sample_rounds = argc > 1 ? atoi(argv[1]) : 20;
    walks = argc > 2 ? atoi(argv[2]) : 2000;
    for (int i = 0; i < WAYS; i++)
        ways[i] = random_number();
    measure_full(20);
    start_sampling();
    count_instructions("none", false, true);
    count_instructions("one", true, false);
    count_instructions("changing", true, true);
    if (!sample_rounds)
        return 0;
    at_bottom = measure_here;
    a1(argc);
    measure_samples("changing", work_on_ways);
    return 0;
}
