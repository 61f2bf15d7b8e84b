/* Recursion, MPI's inside and lines of calls, folded: with known answers, and on random trees that nothing is lost. */
#include "analyse/calls/calltree.h"

#include <string.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

static const struct fm_context *child(const struct fm_context *parent, const char *name, uint32_t line)
{
    for (const struct fm_context *at = parent ? parent->first : NULL; at; at = at->next)
        if (strcmp(at->id.name, name) == 0 && at->id.line == line)
            return at;
    return NULL;
}

static bool costs(const struct fm_context *context, uint64_t own_ms, uint64_t all_ms)
{
    return context && context->own.of.sum_ns == own_ms * 1000000 && context->all.of.sum_ns == all_ms * 1000000;
}

static void test_cycles(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {0}, NULL, NULL}, {2, FRAME, "f", 10, {1}, NULL, NULL},
        {3, FRAME, "g", 20, {2}, NULL, NULL},   {4, FRAME, "f", 30, {4}, NULL, NULL},
        {5, FRAME, "g", 20, {8}, NULL, NULL},   {6, FRAME, "f", 30, {16}, NULL, NULL},
        {7, FRAME, "h", 40, {32}, NULL, NULL},  {2, FRAME, "r", 50, {64}, NULL, NULL},
        {3, FRAME, "r", 51, {128}, NULL, NULL}, {4, FRAME, "r", 51, {256}, NULL, NULL},
        {5, FRAME, "s", 52, {512}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree calls, folded;
    made_tree(ROWS(rows), 0, &arena, &calls);
    tap_ok(!fm_calltree_fold_cycles(&calls, &arena, &folded, NULL) && costs(folded.root, 0, 1023), "cycles");
    const struct fm_context *top = child(folded.root, "main", 0), *f = child(top, "f", 10), *g = child(f, "g", 20);
    const struct fm_context *again = child(g, "f", 30);
    tap_ok(costs(top, 0, 1023) && costs(f, 1, 63) && costs(g, 2 + 8, 62) && costs(again, 4 + 16, 60) &&
               !child(again, "g", 20),
           "f g f g is f g: what they take adds up, the time with them on the stack counts once");
    tap_ok(costs(child(again, "h", 40), 32, 32), "f h is another way");
    tap_ok(costs(child(g, "g", 1001), 10, 10) && costs(child(again, "f", 1001), 20, 20), "their lines are one");
    const struct fm_context *r = child(top, "r", 50);
    tap_ok(costs(r, 64 + 128 + 256, 960) && !child(r, "r", 51) && costs(child(r, "s", 52), 512, 512),
           "a function that calls itself is one");
    fm_arena_destroy(&arena);
}

static void test_mpi(void)
{
    static const char fortran[] = "/usr/lib/libmpi_mpifh.so.40", mpi[] = "/usr/lib/libmpi.so.40",
                      ucp[] = "/l/libucp.so";
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1}, NULL, NULL},           {2, FRAME, "mpi_recv_", 10, {2}, fortran, NULL},
        {3, ROUTINE, "MPI_Recv", 0, {4}, NULL, NULL},     {2, FRAME, "MPI_Testsome", 20, {8}, mpi, NULL},
        {3, FRAME, "opal_progress", 30, {16}, mpi, NULL}, {4, FRAME, "ucp_worker_progress", 40, {32}, ucp, NULL},
        {2, FRAME, "ucp_mine", 50, {64}, ucp, NULL},      {2, ROUTINE, "MPI_Wait", 60, {128}, NULL, NULL},
        {3, FRAME, "progress", 70, {256}, ucp, NULL},     {1, FRAME, "thread", 0, {512}, mpi, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree calls, folded;
    made_tree(ROWS(rows), 0, &arena, &calls);
    tap_ok(!fm_calltree_fold_mpi(&calls, &arena, &folded, NULL) && costs(folded.root, 0, 1023), "MPI");
    const struct fm_context *top = child(folded.root, "main", 0), *test = child(top, "MPI_Testsome", 20);
    tap_ok(costs(test, 56, 56) && test->n_children == 1 && costs(test->first, 56, 56) &&
               test->first->id.kind == FM_CONTEXT_CALL_SITE && test->first->id.line == 0,
           "what is below a function of MPI is a call site in it, with what other libraries do for it");
    const struct fm_context *recv = child(top, "mpi_recv_", 10);
    tap_ok(costs(recv, 2, 6) && recv->n_children == 2 && costs(child(recv, "MPI_Recv", 0), 4, 4),
           "a routine that is reached through it stays");
    tap_ok(costs(child(top, "MPI_Wait", 60), 384, 384) && !child(top, "MPI_Wait", 60)->first, "a routine is a leaf");
    tap_ok(costs(child(top, "ucp_mine", 50), 64, 64) && costs(child(folded.root, "thread", 0), 512, 512) &&
               costs(top, 1, 511),
           "the same library is not MPI when the program calls it");
    fm_arena_destroy(&arena);
}

static void test_lines(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1}, NULL, NULL},      {2, FRAME, "f", 30, {2}, NULL, NULL},
        {3, FRAME, "g", 50, {4}, NULL, NULL},        {2, FRAME, "f", 10, {8}, NULL, NULL},
        {3, FRAME, "g", 50, {16}, NULL, NULL},       {3, ROUTINE, "MPI_Wait", 60, {32}, NULL, NULL},
        {2, FRAME, "f", 20, {64}, NULL, "/s/a.c"},   {3, ROUTINE, "MPI_Wait", 61, {128}, NULL, NULL},
        {2, FRAME, "f", 20, {256}, "/l/m.so", NULL}, {2, FRAME, "f", 0, {512}, NULL, NULL},
        {2, FRAME, "once", 40, {1024}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree calls, folded;
    made_tree(ROWS(rows), 0, &arena, &calls);
    struct fm_context *first = (struct fm_context *)child(child(calls.root, "main", 0), "f", 30);
    first->facts.approximate = first->facts.inferred = first->id.inlined = true;
    ((struct fm_context *)child(child(calls.root, "main", 0), "once", 40))->id.inlined = true;
    tap_ok(!fm_calltree_fold_lines(&calls, &arena, &folded, NULL) && costs(folded.root, 0, 2047), "lines");
    const struct fm_context *top = child(folded.root, "main", 0), *once = child(top, "once", 40), *f = NULL;
    for (const struct fm_context *at = top->first; at; at = at->next)
        if (at->lines)
            f = at;
    tap_ok(top->n_children == 4 && costs(f, 2 + 8 + 64 + 512, 766) && costs(child(top, "f", 20), 256, 256),
           "calls of one function are one; another of the same name elsewhere is not");
    const struct fm_call_line *a = f->lines, *b = a->next, *c = b->next, *d = c->next;
    tap_ok(strcmp(a->path, "/s/a.c") == 0 && a->line == 20 && b->line == 10 && c->line == 30 && d->line == 0 &&
               !d->next && a->sum_ns == 192 * 1000000 && b->sum_ns == 56 * 1000000 && c->approximate && !b->approximate,
           "with a list of lines, unknown ones last");
    tap_ok(f->facts.inferred && !f->id.inlined && f->id.line == 0, "and all that is known about its occurrences");
    tap_ok(costs(child(f, "g", 50), 20, 20) && !child(f, "g", 50)->lines && costs(child(f, "MPI_Wait", 0), 160, 160),
           "what is below them is merged, too");
    tap_ok(once && !once->lines && once->id.inlined && costs(once, 1024, 1024), "a single line remains one");
    tap_ok(fm_context_hot(top) == once, "the hot path is that of the sums");
    fm_arena_destroy(&arena);
}

/* ---- any tree ---- */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void grow(struct fm_calltree *tree, struct fm_context *at, unsigned depth)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const modules[] = {MADE_PROGRAM, MADE_PROGRAM, "/x/libmpi.so"};
    for (unsigned n = below(4); n > 0 && depth < 9; n--)
        grow(tree, made_below(tree, at, FRAME, names[below(3)], modules[below(3)], "/s/x.c", 1 + below(2)), depth + 1);
    if (depth && (below(2) || !at->first))
        made_spend(tree, made_below(tree, at, STATEMENT, at->id.name, at->id.module, "/s/x.c", 1 + below(9)),
                   1 + below(50));
    if (depth && !below(3))
        made_spend(tree, made_below(tree, at, ROUTINE, "MPI_Recv", "", "/s/x.c", 1 + below(5)), 1 + below(50));
}

static uint64_t sum_own(const struct fm_calltree *tree, const char *name)
{
    uint64_t sum = 0;
    for (const struct fm_context *at = tree->root->first; at; at = fm_context_after(tree->root, at))
        if ((at->id.kind == FRAME || at->id.kind == ROUTINE) && (!name || strcmp(at->id.name, name) == 0))
            sum += at->own.of.sum_ns;
    return sum;
}

static bool is_square_free(const struct fm_context *at)
{
    for (size_t length = 1; length < 8; length++) {
        const struct fm_context *a = at, *b = at;
        size_t same = 0;
        for (size_t i = 0; i < length && b->parent; i++)
            b = b->parent;
        while (same < length && b->id.kind == FRAME && a->id.name == b->id.name && a->id.module == b->id.module) {
            a = a->parent;
            b = b->parent;
            same++;
        }
        if (same == length)
            return false;
    }
    return true;
}

/* Every inclusive cost is the sum of those below it. */
static bool adds_up(const struct fm_calltree *tree)
{
    bool right = true;
    for (const struct fm_context *at = tree->root; at; at = fm_context_after(tree->root, at)) {
        uint64_t children = 0;
        for (const struct fm_context *c = at->first; c; c = c->next)
            children += c->all.of.sum_ns;
        right &= !at->first || children == at->all.of.sum_ns;
    }
    return right;
}

static void test_random(void)
{
    size_t trees = 300, cycles = 0, inside = 0, lines = 0, before = 0, after = 0;
    for (size_t i = 0; i < trees; i++) {
        struct fm_arena arena = {0};
        struct fm_calltree calls, folded, outside, merged;
        fm_calltree_start(&calls, &arena, 1);
        grow(&calls, calls.root, 0);
        bool right = !fm_calltree_fold_cycles(&calls, &arena, &folded, NULL);
        static const char *const names[] = {"a", "b", "c", "MPI_Recv"};
        for (size_t n = 0; n < 4; n++)
            right &= sum_own(&calls, names[n]) == sum_own(&folded, names[n]);
        for (const struct fm_context *at = folded.root->first; at; at = fm_context_after(folded.root, at))
            right &= (at->id.kind != FRAME || is_square_free(at)) && at->all.of.sum_ns <= at->parent->all.of.sum_ns &&
                     !at->active;
        cycles += right;
        right = !fm_calltree_fold_mpi(&calls, &arena, &outside, NULL) &&
                sum_own(&outside, NULL) == calls.root->all.of.sum_ns &&
                sum_own(&outside, "MPI_Recv") == sum_own(&calls, "MPI_Recv");
        inside += right && adds_up(&outside);
        right = !fm_calltree_fold_lines(&calls, &arena, &merged, NULL) && adds_up(&merged) && merged.n < calls.n + 1;
        for (size_t n = 0; n < 4; n++)
            right &= sum_own(&calls, names[n]) == sum_own(&merged, names[n]);
        lines += right;
        before += calls.n;
        after += folded.n;
        fm_arena_destroy(&arena);
    }
    tap_ok(cycles == trees && after < before, "in %zu of %zu trees with %zu contexts, folded %zu, nothing is lost",
           cycles, trees, before, after);
    tap_ok(inside == trees, "in %zu without the inside of MPI all adds up", inside);
    tap_ok(lines == trees, "in %zu without lines of calls, too", lines);
}

int main(void)
{
    test_cycles();
    test_mpi();
    test_lines();
    test_random();
    return tap_done();
}
