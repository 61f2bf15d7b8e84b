/* Stacks with unusual frames in them, against what is known of who called whom. Each test calls through such frames into
 * a function that walks its own stack, or lets a signal fall into one. */
#define _GNU_SOURCE
#include "runtime/odd_frames.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "runtime/signal/scan.h"
#include "runtime/signal/unwind.h"
#include "tap.h"

extern void *__libc_stack_end;

static struct fm_unwind_cache cache;
static struct fm_stack stack;
static volatile int sink, walked;

static void walk(const ucontext_t *context)
{
    struct fm_unwind u;
    stack.known = 0;
    fm_unwind_start(&u, context, (uintptr_t)__libc_stack_end, &cache, &stack);
    fm_unwind_leave(&u);
    fm_unwind_walk(&u);
}

/* ---- who called whom ---- */

enum { MOST = 8 };
static uintptr_t calls[MOST]; /* where they return to */
static unsigned n_calls;

static void enter(void *returns_to)
{
    calls[n_calls++] = (uintptr_t)returns_to;
}
#define ENTER() enter(__builtin_extract_return_addr(__builtin_return_address(0)))

/* Whether the calls that were noted are all there, in their order, and the walk has reached the end. */
static bool is_right(void)
{
    unsigned seen = 0;
    for (uint32_t i = 0; i < stack.n && seen < n_calls; i++)
        seen += stack.calls[i] == calls[seen];
    bool right = seen == n_calls && stack.end == FM_UNWIND_END && walked;
    for (uint32_t i = 0; !right && i < stack.n; i++)
        printf("# %lx\n", (long)stack.calls[i]);
    for (uint32_t i = 0; !right && i < n_calls; i++)
        printf("# wanted %lx\n", (long)calls[i]);
    n_calls = 0;
    walked = 0;
    return right;
}

__attribute__((noinline)) static void innermost(void)
{
    ucontext_t here;
    getcontext(&here);
    walk(&here);
    walked = 1;
    sink++;
}

/* ---- frames ---- */

__attribute__((noinline)) static void through_changes(void)
{
    ENTER();
    frame_of_changes(innermost);
    sink++;
}

__attribute__((noinline)) static void through_changes_twice(void)
{
    ENTER();
    frame_of_changes(through_changes);
    sink++;
}

/* With a frame pointer, which the frames inside of it use for other things. */
__attribute__((noinline)) static void with_room(void (*outer)(void (*)(void)), void (*inner)(void), int bytes)
{
    volatile char *room = __builtin_alloca((size_t)bytes);
    ENTER();
    memset((char *)room, 1, (size_t)bytes);
    outer(inner);
    sink += room[bytes / 2];
}

__attribute__((noinline)) static void through_no_record(void (*call)(void))
{
    ENTER();
    frame_without_record(call);
    sink++;
}

/* Nine arguments, a frame that is aligned more than the stack is, and of unknown size: gcc counts from the arguments. */
__attribute__((noinline)) static int realigned(int a, int b, int c, int d, int e, int f, int g, int h, int bytes,
                                               void (*call)(void))
{
    _Alignas(64) volatile char wide[64];
    volatile char *room = __builtin_alloca((size_t)bytes);
    ENTER();
    memset((char *)wide, a + b + c + d, sizeof wide);
    memset((char *)room, e + f + g + h, (size_t)bytes);
    call();
    return wide[bytes % 64] + room[bytes / 2];
}

static void check_walks(void)
{
    with_room(frame_by_register, innermost, 100);
    tap_ok(is_right(), "a frame found by another register");
    with_room(frame_by_register, through_changes, 100);
    tap_ok(is_right(), "which a function inside of it has saved");
    with_room(frame_by_register, through_changes_twice, 100);
    tap_ok(is_right(), "or one further in");
    with_room(frame_without_tables, innermost, 100);
    tap_ok(is_right(), "a frame without tables");
    with_room(frame_without_tables, through_changes, 5000);
    tap_ok(is_right(), "also further out");
    with_room(frame_apart_from_record, innermost, 100);
    tap_ok(is_right(), "a frame without tables whose frame pointer is not at the return address");
    with_room(frame_apart_from_record, through_changes, 5000);
    tap_ok(is_right(), "also further out");
    with_room(frame_without_record, innermost, 100);
    tap_ok(is_right(), "a frame without tables and without a frame pointer");
    with_room(through_no_record, through_changes, 5000);
    tap_ok(is_right(), "also below a frame that is found by the stack pointer");
    sink += realigned(1, 2, 3, 4, 5, 6, 7, 8, 100, innermost);
    tap_ok(is_right(), "a frame that was aligned");
    sink += realigned(1, 2, 3, 4, 5, 6, 7, 8, 100, through_changes_twice);
    tap_ok(is_right(), "and what it calls changes registers");
}

/* ---- interrupted ---- */

static volatile int ended;
static const char *waits, *leaves; /* where the signal is waited for */

static void on_alarm(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    uintptr_t pc = fm_ucontext_pc(context);
    if (ended || pc < (uintptr_t)waits || pc >= (uintptr_t)leaves)
        return;
    walk(context);
    walked = ended = 1;
}

static void nothing(void)
{
    sink++;
}

static void wait_in_leaf(volatile int *word)
{
    waits = leaf_waits, leaves = leaf_leaves;
    ENTER();
    leaf_without_tables(word);
    sink++;
}

static void wait_in_kernel(volatile int *word)
{
    waits = kernel_waits, leaves = kernel_leaves;
    ENTER();
    leaf_with_registers(word);
    sink++;
}

static void wait_after_call(volatile int *word)
{
    waits = caller_waits, leaves = caller_leaves;
    ENTER();
    waits_after_call(word, nothing);
    sink++;
}

static void (*wait_in)(volatile int *word);

static void wait_for_signal(void (*unused)(void))
{
    (void)unused;
    struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
    struct itimerval soon = {{0, 1000}, {0, 1000}}, never = {{0}, {0}};
    ENTER();
    ended = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    wait_in(&ended);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void check_interrupted(void)
{
    wait_in = wait_in_leaf;
    with_room(wait_for_signal, NULL, 100);
    tap_ok(is_right(), "a leaf without tables, interrupted");
    wait_in = wait_in_kernel;
    with_room(wait_for_signal, NULL, 100);
    tap_ok(is_right(), "one that has saved registers");
    wait_in = wait_after_call;
    with_room(wait_for_signal, NULL, 100);
    tap_ok(is_right(), "a function without tables, after a call");
}

/* ---- epilogues ---- */

#if defined __aarch64__
/* As if a signal had interrupted an instruction of a function that our caller has called, and that has this many bytes
 * on the stack; it has restored all registers. */
__attribute__((noinline)) static void interrupted_at(const char *at, uintptr_t bytes)
{
    ucontext_t context;
    const uintptr_t *frame = __builtin_frame_address(0);
    ENTER();
    getcontext(&context);
    context.uc_mcontext.pc = (uintptr_t)at;
    context.uc_mcontext.sp = (uintptr_t)__builtin_dwarf_cfa() - bytes;
    context.uc_mcontext.regs[29] = frame[0];
    context.uc_mcontext.regs[30] = frame[1];
    walk(&context);
    walked = 1;
}

static void check_epilogues(void)
{
    interrupted_at(frame_freed_last, 32);
    tap_ok(is_right(), "an epilogue that the tables do not describe, with a rest of the frame");
    interrupted_at(frame_returns, 0);
    tap_ok(is_right(), "and at the return");
}
#else
static void check_epilogues(void)
{
}
#endif

/* ---- return addresses ---- */

__attribute__((noinline)) static uintptr_t return_address(void)
{
    sink++;
    return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
}

extern const char __executable_start[];

static void check_return_addresses(void)
{
    uintptr_t (*volatile indirect)(void) = return_address;
    uintptr_t direct_call = return_address(), indirect_call = indirect();
    tap_ok(fm_is_return_address(direct_call) && fm_is_return_address(indirect_call), "where calls return to is known");
    tap_ok(!fm_is_return_address((uintptr_t)return_address) && !fm_is_return_address((uintptr_t)&sink) &&
               !fm_is_return_address(0) && !fm_is_return_address((uintptr_t)&direct_call) &&
               !fm_is_return_address(UINTPTR_MAX),
           "from the start of a function, data, the stack and no address at all");
    /* what lies before a module may not be there to be read */
    tap_ok(!fm_is_return_address((uintptr_t)__executable_start), "where a module begins is none");
}

/* ---- scans ---- */

/* A stack pointer at a page may be that of a function with a buffer, which keeps what it was in a register; or not, and
 * then no register is an address of the stack. */
static void check_page(void)
{
    enum { PAGE = 4096, AT = 5 };
    static _Alignas(PAGE) uintptr_t page[PAGE / sizeof(uintptr_t)];
    const ucontext_t registers = {0};
    struct fm_scanned found = {0};
    page[AT] = return_address();
    bool is_found = fm_scan_frame((uintptr_t)page, 0, (uintptr_t)(page + PAGE / sizeof *page), &registers, &found);
    tap_ok(is_found && found.return_at == (uintptr_t)&page[AT] && !found.fp_at,
           "a frame at a page is scanned from its stack pointer if no register tells of another place");
}

int main(void)
{
    check_walks();
    check_interrupted();
    check_epilogues();
    check_return_addresses();
    check_page();
    return tap_done();
}
