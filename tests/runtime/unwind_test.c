/* The unwinder against glibc's backtrace, which reads the same tables by other code and is slow but exact: the same
 * frames, wherever a timer's signal falls. */
#define _GNU_SOURCE
#include "runtime/signal/unwind.h"

#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/platform.h"
#include "tap.h"

extern void *__libc_stack_end;

enum { FRAMES = 256 };
static struct fm_unwind_cache cache;
static struct fm_stack stack;
static volatile unsigned long taken, complete, different, further, deepest, through_handler;
static char first_difference[4096];

/* The innermost first. */
static unsigned walk(const ucontext_t *context, uintptr_t stack_end, uint64_t frames[FRAMES])
{
    struct fm_unwind u;
    fm_unwind_start(&u, context, stack_end, &cache, &stack);
    fm_unwind_leave(&u);
    fm_unwind_walk(&u);
    unsigned n = 0;
    frames[n++] = fm_ucontext_pc(context);
    while (n < FRAMES && n <= stack.n) {
        frames[n] = stack.calls[stack.n - n];
        n++;
    }
    return n;
}

static void note_difference(const uint64_t *mine, unsigned n, void **theirs, int m)
{
    FILE *text = fmemopen(first_difference, sizeof first_difference, "w");
    for (unsigned i = 0; i < n || (int)i < m; i++)
        fprintf(text, "# %12lx %12lx\n", i < n ? (long)mine[i] : 0, (int)i < m ? (long)theirs[i] : 0);
    fclose(text);
}

/* In the function that a handler returns to, before either of its instructions: libgcc may crash there. */
static bool returns_from_signal(uintptr_t pc)
{
    enum { FIRST_INSTRUCTION = FM_CALL_KEEPS_RA_IN_REGISTER ? 4 : 7 };
    return fm_is_signal_return(pc) || fm_is_signal_return(pc - FIRST_INSTRUCTION);
}

/* Emulated, where handlers return to a place that no table describes, libgcc may follow a null pointer. */
static sigjmp_buf before_backtrace;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(before_backtrace, 1);
}

static int backtrace_if_it_can(void **frames)
{
    const struct sigaction guard = {.sa_handler = on_fault};
    struct sigaction usual;
    sigaction(SIGSEGV, &guard, &usual);
    int n = sigsetjmp(before_backtrace, 1) ? 0 : backtrace(frames, FRAMES);
    sigaction(SIGSEGV, &usual, NULL);
    return n;
}

/* An emulator may have none: its handlers return to a place that belongs to no module. */
static bool has_vdso(void)
{
    return getauxval(AT_SYSINFO_EHDR);
}

static void on_timer(int signal, siginfo_t *info, void *data)
{
    (void)signal;
    (void)info;
    if (returns_from_signal(fm_ucontext_pc(data)))
        return;
    uint64_t mine[FRAMES];
    void *theirs[FRAMES];
    unsigned n = walk(data, (uintptr_t)__libc_stack_end, mine);
    int m = has_vdso() ? backtrace(theirs, FRAMES) : backtrace_if_it_can(theirs), from = 0;
    while (from < m && (uintptr_t)theirs[from] != mine[0]) /* this handler and the kernel's frame */
        from++;
    taken++;
    complete += stack.end == FM_UNWIND_END;
    deepest = n > deepest ? n : deepest;
    unsigned common = (unsigned)(m - from);
    further += common < n; /* in a stub of the linker, which has no tables on aarch64, backtrace ends */
    if (!common || common > n || (common < n && common > 1) || memcmp(mine, theirs + from, common * sizeof *mine)) {
        if (!different++)
            note_difference(mine, n, theirs + from, m - from);
    }
}

/* ---- what is interrupted ---- */

static volatile double sink;

__attribute__((noinline)) static double leaf(double x)
{
    return x * 1.000001 + 0.5;
}

__attribute__((noinline)) static double deep(int n, double x)
{
    volatile char room[48];
    room[n % 48] = (char)n;
    return n ? deep(n - 1, leaf(x)) + room[n % 48] : sin(x) + strtod("1.25", NULL);
}

/* A frame of a size that is known only when it runs needs a frame pointer. */
__attribute__((noinline)) static double with_alloca(int n)
{
    volatile char *room = __builtin_alloca((size_t)n);
    memset((char *)room, 1, (size_t)n);
    return leaf(room[n / 2]);
}

static int compare(const void *a, const void *b)
{
    sink = deep(3, *(const double *)a);
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

static void on_program_signal(int signal)
{
    (void)signal;
    unsigned long before = taken;
    for (int i = 0; i < 100; i++)
        sink = deep(10, i);
    through_handler += taken != before;
}

static void work(void)
{
    double values[40];
    char text[64];
    for (int i = 0; i < 40; i++)
        values[i] = (double)(i * 7919 % 40);
    qsort(values, 40, sizeof *values, compare);
    for (int i = 0; i < 50; i++)
        sink = deep(i, i) + with_alloca(100 + 7 * i);
    for (int i = 0; i < 20; i++)
        free(malloc((size_t)(i * 100 + 1)));
    snprintf(text, sizeof text, "%.17g %s", sink, "text");
    if (has_vdso())
        raise(SIGUSR1);
}

static void set_timer(int us)
{
    struct itimerval every = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- a thread, and what must not be read ---- */

static bool thread_complete;

static void *in_thread(void *unused)
{
    (void)unused;
    ucontext_t here;
    uint64_t frames[FRAMES];
    getcontext(&here);
    unsigned n = walk(&here, (uintptr_t)pthread_self(), frames);
    thread_complete = stack.end == FM_UNWIND_END && n >= 2;
    return NULL;
}

static void check_bounds(void)
{
    ucontext_t here;
    getcontext(&here);
    struct fm_unwind u;
    uintptr_t stack_end = fm_ucontext_sp(&here) + 64; /* the stack is said to end in this very frame */
    fm_unwind_start(&u, &here, stack_end, &cache, &stack);
    fm_unwind_leave(&u);
    fm_unwind_walk(&u);
    tap_ok(stack.n < 2 && stack.end == FM_UNWIND_LOST && u.sp <= stack_end,
           "nothing beyond the end of the stack is read");
}

int main(void)
{
    struct sigaction timer = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction program = {.sa_handler = on_program_signal, .sa_flags = SA_RESTART};
    void *warm[4];
    backtrace(warm, 4); /* loads its library, which must not happen in a handler */
    sigaction(SIGALRM, &timer, NULL);
    sigaction(SIGUSR1, &program, NULL);
    set_timer(300);
    for (int i = 0; i < 100000 && taken < 5000; i++)
        work();
    set_timer(0);
    tap_ok(taken >= 5000 && deepest > 50, "%lu samples, up to %lu frames", taken, deepest);
    /* Emulated, libgcc now and then repeats a frame and ends, where we go on to main. */
    if (!tap_ok(different <= (has_vdso() ? 0 : taken / 100), "the frames are those of backtrace (%lu are not)",
                different))
        fputs(first_difference, stdout);
    tap_ok(further < taken / (has_vdso() ? 50 : 10), "or go further (%lu times)", further);
    /* Emulated, a signal may fall behind a handler's end, in the place that no table describes. */
    tap_ok(complete + (has_vdso() ? 0 : taken / 1000) >= taken, "all stacks are followed to their end (%lu of %lu)",
           complete, taken);
    tap_ok(through_handler > 0 || !has_vdso(), "also out of a signal handler, %lu times", through_handler);
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    tap_ok(thread_complete, "a thread's stack ends where it began");
    check_bounds();
    return tap_done();
}
