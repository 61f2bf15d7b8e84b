/* Walks that end where the stack is proved to be as at the last sample, against walks to its end: the same callers, and
 * nodes in the tree that say the same, wherever a signal falls. What is interrupted calls at random: recursion, frames of
 * unknown size, handlers, a frame pointer used for other things, and calls from many places at the same depth, so that the
 * same words of the stack are return addresses again and again, the same or others. Some samples are left by a jump. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/signal/stack_cache.h"
#include "tap.h"

extern void *__libc_stack_end;

enum { PATHS = 6000, INDEX = 16384, SAMPLES = 40000, JUMPS = 10, MOST_ROUNDS = 2000000 };

#include "runtime/path_segment.h"

static struct fm_context_tree tree;
static uint32_t memory_nodes[FM_SAMPLED_DEPTH];
static struct fm_path_memory memory = {.nodes = memory_nodes};
static struct fm_stack_cache stack_cache;
static struct fm_unwind_cache cache;
static struct fm_stack stack, whole; /* with a memory, and without */
static struct {
    volatile unsigned long taken, recent, early, skipped, changed, lost, deep, handlers, jumps, wrong_calls,
        wrong_nodes, cut;
} seen;

static unsigned random_of(uint64_t *state, unsigned n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 33) % n;
}

static uint64_t work_random = 88172645463325252u, handler_random = 362436069u;

static unsigned random_below(unsigned n)
{
    return random_of(&work_random, n);
}

/* ---- samples ---- */

static volatile bool in_sample, in_walk;

/* What was met again of the recent ones. */
static struct fm_cached_stack *walk(struct fm_stack *into, const ucontext_t *context, uintptr_t stack_end)
{
    struct fm_unwind u;
    fm_unwind_start(&u, context, stack_end, &cache, into);
    fm_unwind_leave(&u);
    struct fm_cached_stack *recent = fm_stack_cache_find(&stack_cache, &u);
    fm_unwind_walk(&u);
    if (!recent && into == &stack)
        fm_stack_cache_keep(&stack_cache, &u);
    return recent;
}

static bool same_stacks(void)
{
    return stack.n == whole.n && stack.end == whole.end &&
           memcmp(stack.calls, whole.calls, stack.n * sizeof *stack.calls) == 0;
}

static bool is_whole(const struct fm_cached_stack *recent)
{
    return recent->n == whole.n && whole.end == FM_UNWIND_END &&
           memcmp(recent->calls, whole.calls, recent->n * sizeof *recent->calls) == 0;
}

/* All calls have nodes, each below that of its caller; or as many as there was room for. */
static bool right_nodes(const struct fm_sampled_path *path, const struct fm_path_memory *of)
{
    uint32_t parent = of->n ? segment.paths[of->nodes[0]].parent : 0;
    bool cut = of->n < path->n && tree.header->n_paths == PATHS && !tree.n_free;
    seen.cut += cut;
    bool right = (of->n == path->n || cut) && segment.paths[parent].kind == (path->gap ? FM_PATH_GAP : FM_PATH_ROOT);
    for (uint32_t i = 0; i < of->n; i++) {
        const struct fm_segment_path *node = &segment.paths[of->nodes[i]];
        right &= node->parent == parent && node->kind == FM_PATH_CALL && node->address == path->calls[i];
        parent = of->nodes[i];
    }
    return right;
}

static void add(const ucontext_t *context, uint32_t nodes, struct fm_cached_stack *recent)
{
    struct fm_sampled_path path = {.calls = stack.calls,
                                   .n = stack.n,
                                   .gap = stack.end != FM_UNWIND_END,
                                   .leaf = fm_path_step(fm_ucontext_pc(context), FM_PATH_LEAF)};
    memory.n = nodes < stack.same ? nodes : stack.same;
    struct fm_path_memory *of = recent ? &recent->memory : &memory;
    seen.wrong_nodes += !fm_context_tree_add(&tree, 1, of, &path, 1, 0) || (path.n && !right_nodes(&path, of));
}

static void sample(const ucontext_t *context, uintptr_t stack_end)
{
    uint32_t nodes = memory.n, known = stack.known;
    memory.n = 0;
    in_walk = true;
    struct fm_cached_stack *recent = walk(&stack, context, stack_end);
    in_walk = false;
    whole.known = 0;
    walk(&whole, context, stack_end);
    seen.wrong_calls += !same_stacks() || whole.early || (recent && !is_whole(recent));
    seen.recent += recent != NULL;
    seen.taken++;
    seen.early += stack.early > 0;
    seen.skipped += stack.early;
    seen.changed += stack.early > 0 && stack.early < known;
    seen.lost += stack.end != FM_UNWIND_END;
    seen.deep += stack.n == FM_STACK_DEPTH - 2;
    add(context, nodes, recent);
}

/* The stack is sometimes said to end further in, so that the walk is lost. */
static void on_sample(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    static uintptr_t cut;
    in_sample = true;
    if (random_of(&handler_random, 50) == 0)
        cut = random_of(&handler_random, 2) ? 8u * random_of(&handler_random, 400) : 0;
    uintptr_t stack_end = (uintptr_t)__libc_stack_end - cut;
    if (fm_ucontext_sp(context) < stack_end)
        sample(context, stack_end);
    in_sample = false;
}

/* ---- what is interrupted ---- */

static volatile unsigned sink;
static sigjmp_buf back;

unsigned call_some(unsigned depth);

__attribute__((noinline)) static unsigned one_place(unsigned depth)
{
    return call_some(depth) + 1;
}

__attribute__((noinline)) static unsigned three_places(unsigned depth)
{
    volatile unsigned sum = call_some(depth);
    if (depth % 2)
        sum += call_some(depth / 2);
    return sum + call_some(depth / 3);
}

__attribute__((noinline)) static unsigned many_places(unsigned depth)
{
    volatile unsigned sum = 0;
    for (int i = 0; i < 3; i++)
        switch (random_below(3)) {
        case 0:
            sum += call_some(depth / 2) + 1;
            break;
        case 1:
            sum += call_some(depth / 2) + 2;
            break;
        default:
            sum += call_some(depth / 2) + 3;
            break;
        }
    return sum;
}

__attribute__((noinline)) static unsigned unknown_size(unsigned depth)
{
    unsigned n = 16 + random_below(300);
    volatile char *room = __builtin_alloca(n);
    memset((char *)room, (int)depth, n);
    return call_some(depth) + (unsigned)room[n / 2];
}

/* The frame pointer is like any other register to those who do without: call_some(depth) with any value in it. */
unsigned call_with_fp(unsigned depth, uintptr_t fp);
#if defined __aarch64__
__asm__(".text\n.globl call_with_fp\n.type call_with_fp, %function\ncall_with_fp:\n.cfi_startproc\n"
        "stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"
        "mov x29, x1\nbl call_some\n"
        "ldp x29, x30, [sp], 16\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\nret\n.cfi_endproc");
#elif defined __x86_64__
__asm__(".text\n.globl call_with_fp\n.type call_with_fp, @function\ncall_with_fp:\n.cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
        "mov %rsi, %rbp\ncall call_some\n"
        "pop %rbp\n.cfi_def_cfa_offset 8\n.cfi_restore 6\nret\n.cfi_endproc");
#endif

__attribute__((noinline)) static unsigned other_use_of_fp(unsigned depth)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return call_with_fp(depth, random_below(4) ? random_below(1000) : here + 16 * random_below(30)) + 1;
}

__attribute__((noinline)) static unsigned recursive(unsigned n)
{
    volatile char room[40];
    room[n % 40] = (char)n;
    return n ? recursive(n - 1) + (unsigned)room[n % 40] : call_some(1);
}

static int compare(const void *a, const void *b)
{
    sink += call_some(1);
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static unsigned sorted(unsigned depth)
{
    int values[5] = {3, 1, (int)depth, 2, 0};
    qsort(values, 5, sizeof *values, compare);
    return (unsigned)values[0];
}

static unsigned handled;

__attribute__((noinline)) static unsigned signalled(unsigned depth)
{
    handled = depth;
    raise(SIGUSR1);
    return handled;
}

static void on_program_signal(int signal)
{
    (void)signal;
    unsigned long before = seen.taken;
    unsigned depth = handled;
    sink += call_some(depth);
    seen.handlers += seen.taken != before;
}

/* Samples at the ends of the calls too: timers alone would seldom meet the same place twice. */
__attribute__((noinline)) unsigned call_some(unsigned depth)
{
    static unsigned (*const calls[])(unsigned) = {one_place, three_places,    many_places, unknown_size,
                                                  sorted,    other_use_of_fp, signalled,   one_place};
    if (depth == 0 || random_below(3) == 0) {
        if (random_below(8) == 0)
            raise(SIGUSR2);
        for (unsigned i = random_below(300); i > 0; i--)
            sink = sink * 5 + 1;
        return sink;
    }
    if (random_below(100) == 0)
        return recursive(random_below(20) ? random_below(60) : 400 + random_below(200));
    return calls[random_below(sizeof calls / sizeof *calls)](depth - 1);
}

/* A signal of the program's that comes at any time. In a walk it leaves the sample half-way. */
static void on_other_timer(int signal)
{
    if (in_walk) {
        in_walk = in_sample = false;
        seen.jumps++;
        siglongjmp(back, 1);
    }
    handled = 2;
    if (!in_sample)
        on_program_signal(signal);
}

static void start_timer(int signal, long period_ns)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
    struct itimerspec every = {{0, period_ns}, {0, period_ns}};
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
        exit(1);
}

static void handle(int signal, void (*handler)(int), void (*sampler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    if (sampler) {
        action.sa_sigaction = sampler;
        action.sa_flags |= SA_SIGINFO;
        sigaddset(&action.sa_mask, SIGUSR2);
        sigaddset(&action.sa_mask, SIGALRM);
    } else {
        action.sa_handler = handler;
    }
    sigaction(signal, &action, NULL);
}

static void stop(void)
{
    handle(SIGALRM, SIG_IGN, NULL);
    handle(SIGVTALRM, SIG_IGN, NULL);
}

int main(void)
{
    make_tree_in_segment(&tree, PATHS);
    handle(SIGALRM, NULL, on_sample);
    handle(SIGUSR2, NULL, on_sample);
    handle(SIGUSR1, on_program_signal, NULL);
    handle(SIGVTALRM, on_other_timer, NULL);
    start_timer(SIGALRM, 230000);
    start_timer(SIGVTALRM, 170000);
    sigsetjmp(back, 1);
    for (volatile int i = 0; i < MOST_ROUNDS && (seen.taken < SAMPLES || seen.jumps < JUMPS); i++)
        sink += call_some(12);
    stop();
    tap_ok(seen.wrong_calls == 0, "%lu samples have the callers of a whole walk (%lu have not)", seen.taken,
           seen.wrong_calls);
    tap_ok(seen.wrong_nodes == 0 && seen.cut < seen.taken / 1000,
           "and their nodes in a tree that is folded (%lu have not, %lu have some because it is full)",
           seen.wrong_nodes, seen.cut);
    tap_ok(seen.taken >= SAMPLES && seen.early > (seen.taken - seen.lost) / 2 && seen.changed > 1000,
           "%lu ended early, %lu of them further out than the last; %lu frames were not walked", seen.early,
           seen.changed, seen.skipped);
    tap_ok(seen.recent > 1000, "%lu were met again as a whole", seen.recent);
    tap_ok(segment.header.folded_periods > 0 && tree.epoch > 1, "the tree was folded");
    tap_ok(seen.lost > 0 && seen.deep > 0 && seen.handlers > 0 && seen.jumps > 0,
           "%lu walks were lost, %lu too deep, %lu handlers were sampled, %lu samples left by a jump", seen.lost,
           seen.deep, seen.handlers, seen.jumps);
    return tap_done();
}
