/* Excess work at every context: the numbers of the paper's LBMHD and POP from trees made by hand, top down and bottom up;
 * what corresponds in rebuilt programs; chance; and on trees made at random that all of it adds up. */
#include "analyse/scaling/scale.h"

#include <string.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

struct compared {
    struct fm_arena arena;
    struct fm_calltree trees[MADE_RUNS];
    struct fm_scale_run runs[MADE_RUNS];
    struct fm_scale scale;
};

static void make(struct compared *c, const struct made_row *rows, size_t n, const uint32_t *processes, size_t runs)
{
    *c = (struct compared){0};
    for (size_t i = 0; i < runs; i++) {
        made_tree(rows, n, i, &c->arena, &c->trees[i]);
        c->runs[i] = (struct fm_scale_run){&c->trees[i], processes[i], 0, MADE_PROGRAM, NULL, false, 0};
    }
}

static bool join(struct compared *c, enum fm_scale_mode mode, size_t runs)
{
    return !fm_scale_join(mode, c->runs, runs, &c->arena, &c->scale, NULL);
}

static uint32_t child(const struct fm_scale *scale, uint32_t parent, const char *name, uint32_t line)
{
    for (uint32_t at = scale->nodes[parent].first; at; at = scale->nodes[at].next)
        if (strcmp(scale->nodes[at].context->id.name, name) == 0 && scale->nodes[at].context->id.line == line)
            return at;
    return 0;
}

static bool near(double value, double expected)
{
    return value > expected - 1e-9 && value < expected + 1e-9;
}

static bool loses(const struct compared *c, uint32_t node, double all, double own)
{
    struct fm_excess x = fm_scale_excess(&c->scale, node, 0, c->scale.n_runs - 1);
    if (node && near(x.all, all) && near(x.own, own))
        return true;
    printf("# node %u: X_I %.4f, X_E %.4f\n", node, x.all, x.own);
    return false;
}

/* ---- the paper ---- */

/* 100 s on all 64 processes, 47 s on 4. */
static const struct made_row lbmhd[] = {
    {1, FRAME, "mhd", 0, {2000, 2000}, NULL, NULL},
    {2, FRAME, "decomp", 10, {1000, 15000}, NULL, NULL},
    {2, FRAME, "caf_allsum_dp", 20, {0, 1000}, NULL, NULL},
    {3, FRAME, "ARMCI_Barrier", 300, {1000, 17000}, "/lib/libarmci.so", NULL},
    {2, FRAME, "stream", 30, {42000, 52000}, NULL, NULL},
    {3, FRAME, "ARMCI_Barrier", 400, {0, 2000}, "/lib/libarmci.so", NULL},
    {2, FRAME, "cafinit", 5, {1000, 11000}, NULL, NULL},
};

static void test_lbmhd(void)
{
    static const uint32_t processes[] = {4, 64};
    struct compared c;
    make(&c, ROWS(lbmhd), processes, 2);
    tap_ok(join(&c, FM_SCALE_STRONG, 2), "LBMHD on 4 and 64");
    uint32_t mhd = child(&c.scale, 0, "mhd", 0), allsum = child(&c.scale, mhd, "caf_allsum_dp", 20);
    tap_ok(near(fm_scale_efficiency(&c.scale, 0, 1), 0.47) && loses(&c, mhd, 0.53, 0), "the whole loses 53 %%");
    tap_ok(loses(&c, child(&c.scale, mhd, "decomp", 10), 0.14, 0.14), "decomp 14 %%, all of it its own");
    tap_ok(loses(&c, allsum, 0.17, 0.01) && loses(&c, child(&c.scale, allsum, "ARMCI_Barrier", 300), 0.16, 0.16),
           "caf_allsum_dp 17 %%, nearly all of it below");
    tap_ok(fm_scale_total(&c.scale, 0) == 47e9 / 4 && fm_scale_total(&c.scale, 1) == 100e9 / 64,
           "times are those of a process");
    tap_ok(!fm_scale_sort(&c.scale, 0, 1, false, NULL) && c.scale.nodes[mhd].first == allsum &&
               fm_scale_hot(&c.scale, 0, 0, 1) == mhd && !fm_scale_hot(&c.scale, mhd, 0, 1) &&
               fm_scale_hot(&c.scale, allsum, 0, 1) == child(&c.scale, allsum, "ARMCI_Barrier", 300),
           "most comes first; the hot path goes where half of the loss is");
    fm_scale_sort(&c.scale, 0, 1, true, NULL);
    tap_ok(c.scale.nodes[mhd].first == child(&c.scale, mhd, "decomp", 10), "or most of its own");
    fm_arena_destroy(&c.arena);
}

/* The receive completion lies inside of MPI; two scalar reductions are called in succession. */
static const char MPICH[] = "/usr/lib/libmpich.so.12";
static const struct made_row pop[] = {
    {1, FRAME, "pop", 0, {25000, 33000}, NULL, NULL},
    {2, FRAME, "diag", 10, {0, 3000}, NULL, NULL},
    {3, FRAME, "global_sum_int", 100, {0, 0}, NULL, NULL},
    {4, FRAME, "MPI_Allreduce", 200, {0, 0}, MPICH, NULL},
    {5, FRAME, "MPID_RecvComplete", 7, {1000, 11000}, "/usr/lib/libgm.so", NULL},
    {3, FRAME, "global_sum_dbl", 101, {0, 0}, NULL, NULL},
    {4, FRAME, "MPI_Allreduce", 210, {0, 0}, MPICH, NULL},
    {5, FRAME, "MPID_RecvComplete", 7, {1000, 12000}, "/usr/lib/libgm.so", NULL},
    {2, FRAME, "baroclinic", 20, {0, 0}, NULL, NULL},
    {3, FRAME, "boundary", 120, {0, 0}, NULL, NULL},
    {4, FRAME, "MPI_Waitall", 220, {0, 0}, MPICH, NULL},
    {5, FRAME, "MPID_RecvComplete", 7, {2000, 41000}, "/usr/lib/libgm.so", NULL},
};

static void test_pop(void)
{
    static const uint32_t processes[] = {4, 64};
    struct compared c;
    make(&c, ROWS(pop), processes, 2);
    struct fm_calltree callers[2], outside[2];
    for (size_t i = 0; i < 2; i++) {
        tap_ok(!fm_calltree_callers(&c.trees[i], 8, &c.arena, &callers[i], NULL) &&
                   !fm_calltree_fold_mpi(&c.trees[i], &c.arena, &outside[i], NULL),
               "POP bottom up");
        c.runs[i].tree = &callers[i];
    }
    tap_ok(join(&c, FM_SCALE_STRONG, 2) && loses(&c, child(&c.scale, 0, "pop", 0), 0.71, 0.08), "71 %% are lost");
    uint32_t complete = child(&c.scale, 0, "MPID_RecvComplete", 0);
    tap_ok(loses(&c, complete, 0.60, 0.60), "60 %% in the receive completion");
    uint32_t allreduce = child(&c.scale, complete, "MPI_Allreduce", 7);
    tap_ok(loses(&c, allreduce, 0.21, 0.21), "21 %% of them from reductions");
    tap_ok(loses(&c, child(&c.scale, allreduce, "global_sum_int", 200), 0.10, 0.10) &&
               loses(&c, child(&c.scale, allreduce, "global_sum_dbl", 210), 0.11, 0.11) &&
               child(&c.scale, child(&c.scale, allreduce, "global_sum_dbl", 210), "diag", 101),
           "from two scalar ones that one routine calls");
    for (size_t i = 0; i < 2; i++)
        c.runs[i].tree = &outside[i];
    tap_ok(join(&c, FM_SCALE_STRONG, 2), "the same without what MPI does inside");
    uint32_t diag = child(&c.scale, child(&c.scale, 0, "pop", 0), "diag", 10);
    uint32_t entry = child(&c.scale, child(&c.scale, diag, "global_sum_dbl", 101), "MPI_Allreduce", 210);
    tap_ok(loses(&c, entry, 0.11, 0.11) &&
               c.scale.nodes[c.scale.nodes[entry].first].context->id.kind == FM_CONTEXT_CALL_SITE,
           "the routine has it");
    fm_arena_destroy(&c.arena);
}

static void test_weak(void)
{
    /* su3_rmd: sums over 1 and over 16 processes */
    static const struct made_row su3[] = {
        {1, FRAME, "main", 0, {600, 9760}, NULL, NULL},
        {2, FRAME, "wait_gather", 10, {50, 4320}, NULL, NULL},
        {2, FRAME, "do_gather", 20, {20, 1920}, NULL, NULL},
    };
    static const uint32_t processes[] = {1, 16};
    struct compared c;
    make(&c, ROWS(su3), processes, 2);
    tap_ok(join(&c, FM_SCALE_WEAK, 2), "su3_rmd on 1 and 16, a problem that grows");
    uint32_t at = child(&c.scale, 0, "main", 0);
    tap_ok(loses(&c, at, 0.33, 0.01) && loses(&c, child(&c.scale, at, "wait_gather", 10), 0.22, 0.22) &&
               loses(&c, child(&c.scale, at, "do_gather", 20), 0.10, 0.10),
           "33 %% = 22 %% + 10 %% + the rest");
    c.runs[1].processes = 1;
    tap_ok(join(&c, FM_SCALE_SAME, 2) && near(fm_scale_efficiency(&c.scale, 0, 1), 670.0 / 16000), "two versions");
    fm_arena_destroy(&c.arena);
}

/* ---- what corresponds ---- */

static struct fm_context *child_of(const struct fm_context *parent, const char *name)
{
    struct fm_context *at = parent->first;
    while (at && strcmp(at->id.name, name) != 0)
        at = at->next;
    return at;
}

static bool has_pairs(const struct fm_scale *scale)
{
    for (size_t at = 0; at < scale->n; at++)
        if (scale->nodes[at].by_name)
            return true;
    return false;
}

static void test_rebuilt(void)
{
    struct fm_arena arena = {0};
    struct fm_calltree trees[3];
    struct fm_scale_run runs[3];
    struct fm_scale scale;
    static const char *const programs[] = {"/home/a/pop", "/home/b/bin/pop.new", "/home/c/pop"};
    /* solve is called at two lines; in the second program both are elsewhere, and it calls it a third time */
    static const uint32_t lines[3][3] = {{10, 20, 0}, {11, 25, 30}, {10, 20, 0}};
    for (size_t i = 0; i < 3; i++) {
        fm_calltree_start(&trees[i], &arena, 1);
        struct fm_context *main_frame = made_below(&trees[i], trees[i].root, FRAME, "main", programs[i], "", 0);
        for (size_t j = 0; j < 3 && lines[i][j]; j++)
            made_spend(&trees[i],
                       made_below(&trees[i], main_frame, FRAME, "solve", programs[i], i ? "/b/main.c" : "/a/main.c",
                                  lines[i][j]),
                       10 * (j + 1));
        const char *unknown = i == 1 ? "[pop.new]" : "[pop]";
        made_spend(&trees[i], made_below(&trees[i], main_frame, FRAME, unknown, programs[i], "", 0), 5);
        made_spend(&trees[i], made_below(&trees[i], main_frame, FRAME, "sqrt", i ? "/b/libm.so" : "/a/libm.so", "", 0),
                   7);
        runs[i] = (struct fm_scale_run){&trees[i], 4, 0, programs[i], i == 1 ? "2222" : "1111", false, 0};
    }
    tap_ok(!fm_scale_join(FM_SCALE_SAME, runs, 2, &arena, &scale, NULL) && scale.n == 7, "a program built again");
    uint32_t top = child(&scale, 0, "main", 0), first = child(&scale, top, "solve", 11),
             third = child(&scale, top, "solve", 30);
    tap_ok(scale.nodes[top].runs == 3 && !scale.nodes[top].by_name, "under another name is still the program");
    tap_ok(scale.nodes[first].by_name && fm_scale_cost(&scale, first, 0)->all_ns == 10000000 &&
               fm_scale_cost(&scale, child(&scale, top, "solve", 25), 0)->all_ns == 20000000 &&
               scale.nodes[third].runs == 2 && !fm_scale_cost(&scale, third, 0)->all_ns && !scale.nodes[third].by_name,
           "calls that are at other lines now are paired in their order; a call that is new is new");
    tap_ok(scale.nodes[child(&scale, top, "[pop.new]", 0)].runs == 3 &&
               scale.nodes[child(&scale, top, "sqrt", 0)].runs == 3 &&
               !scale.nodes[child(&scale, top, "sqrt", 0)].by_name,
           "a library in another directory is the same, and so is what is not known of the program");
    tap_ok(!fm_scale_join(FM_SCALE_SAME, runs, 3, &arena, &scale, NULL) && scale.n == 7, "three of them");
    top = child(&scale, 0, "main", 0);
    first = child(&scale, top, "solve", 10);
    tap_ok(scale.nodes[first].runs == 7 && fm_scale_cost(&scale, first, 1)->all_ns == 10000000 &&
               scale.nodes[child(&scale, top, "solve", 20)].runs == 7,
           "what is the same in two of them is paired with the third");
    struct fm_scale_run alike[2] = {runs[0], runs[1]};
    alike[1].build = "1111";
    tap_ok(!fm_scale_join(FM_SCALE_SAME, alike, 2, &arena, &scale, NULL) && scale.n == 9 &&
               scale.nodes[child(&scale, child(&scale, 0, "main", 0), "solve", 25)].runs == 2,
           "in programs of one build other lines are other calls");
    for (size_t i = 0; i < 2; i++) {
        struct fm_context *sqrt_frame = made_below(&trees[2 * i], child_of(trees[2 * i].root, "main"), FRAME, "sqrt",
                                                   i ? "/b/libm.so" : "/a/libm.so", "", 0);
        made_spend(&trees[2 * i], made_below(&trees[2 * i], sqrt_frame, STATEMENT, "sqrt", "", "/m.c", 3 + i), 1);
    }
    struct fm_scale_run moved[2] = {runs[0], runs[2]};
    tap_ok(!fm_scale_join(FM_SCALE_SAME, moved, 2, &arena, &scale, NULL) && scale.n == 7 && has_pairs(&scale),
           "but a library from elsewhere may be another one");
    struct fm_context *sqrt_frame = child_of(child_of(trees[0].root, "main"), "sqrt");
    struct fm_calltree copy;
    tap_ok(!fm_calltree_fold_cycles(&trees[0], &arena, &copy, NULL), "a copy");
    moved[1] = moved[0];
    moved[1].tree = &copy;
    made_spend(&copy, made_below(&copy, sqrt_frame->twin, STATEMENT, "sqrt", "", "/m.c", 9), 1);
    made_spend(&trees[0], made_below(&trees[0], sqrt_frame, STATEMENT, "sqrt", "", "/m.c", 8), 1);
    tap_ok(!fm_scale_join(FM_SCALE_SAME, moved, 2, &arena, &scale, NULL) && scale.n == 9 && !has_pairs(&scale),
           "from the same place it is the same");
    tap_ok(fm_scale_join(FM_SCALE_SAME, runs, 1, &arena, &scale, NULL) == FM_ERR_USAGE,
           "one run is nothing to compare");
    fm_arena_destroy(&arena);
}

static void test_same_names(void)
{
    /* Two files of one name, in a tree that moved: what is wholly equal first, then in order. */
    struct fm_arena arena = {0};
    struct fm_calltree trees[2];
    struct fm_scale_run runs[2];
    struct fm_scale scale;
    static const char *const paths[2][2] = {{"/a/x/util.h", "/a/y/util.h"}, {"/a/y/util.h", "/b/x/util.h"}};
    for (size_t i = 0; i < 2; i++) {
        fm_calltree_start(&trees[i], &arena, 1);
        struct fm_context *frame = made_below(&trees[i], trees[i].root, FRAME, "f", MADE_PROGRAM, "", 0);
        for (size_t j = 0; j < 2; j++)
            made_spend(&trees[i], made_below(&trees[i], frame, STATEMENT, "f", MADE_PROGRAM, paths[i][j], 5),
                       strstr(paths[i][j], "/x/") ? 3 : 4);
        runs[i] = (struct fm_scale_run){&trees[i], 4, 0, NULL, NULL, false, 0};
    }
    bool joined = !fm_scale_join(FM_SCALE_SAME, runs, 2, &arena, &scale, NULL);
    uint32_t first = scale.nodes[child(&scale, 0, "f", 0)].first, second = scale.nodes[first].next;
    tap_ok(joined && scale.n == 4 && near(fm_scale_excess(&scale, first, 0, 1).all, 0) &&
               near(fm_scale_excess(&scale, second, 0, 1).all, 0) && !scale.nodes[first].by_name,
           "lines of two files with the same last name");
    fm_arena_destroy(&arena);
}

/* What one line more at the top of a file does. */
static void test_shifted(void)
{
    struct fm_arena arena = {0};
    struct fm_calltree trees[2], flat[2];
    struct fm_scale_run runs[2];
    struct fm_scale scale;
    for (size_t i = 0; i < 2; i++) {
        static const uint32_t lines[] = {10, 11, 20};
        fm_calltree_start(&trees[i], &arena, 1);
        struct fm_context *frame = made_below(&trees[i], trees[i].root, FRAME, "f", MADE_PROGRAM, "", 0);
        for (size_t j = 0; j < 3; j++)
            made_spend(&trees[i], made_below(&trees[i], frame, ROUTINE, "MPI_Send", "", "/a/f.c", lines[j] + i), 5);
        if (i) /* in the flat tree line 11 is a statement here, a call site there */
            made_spend(&trees[i], made_below(&trees[i], frame, STATEMENT, "f", MADE_PROGRAM, "/a/f.c", 11), 7);
        fm_calltree_flat(&trees[i], &arena, &flat[i], NULL);
        runs[i] = (struct fm_scale_run){&trees[i], 4, 0, MADE_PROGRAM, i ? "2" : "1", false, 0};
    }
    bool joined = !fm_scale_join(FM_SCALE_SAME, runs, 2, &arena, &scale, NULL);
    size_t paired = 0;
    for (size_t at = 0; at < scale.n; at++)
        paired += scale.nodes[at].context->id.kind == ROUTINE && scale.nodes[at].runs == 3;
    tap_ok(joined && paired == 3, "all calls are paired when some lines are the same by chance");
    for (size_t i = 0; i < 2; i++)
        runs[i].tree = &flat[i];
    joined = !fm_scale_join(FM_SCALE_SAME, runs, 2, &arena, &scale, NULL);
    uint32_t line = 0;
    for (uint32_t at = 0; at < scale.n; at++)
        if (scale.nodes[at].context->id.line == 11)
            line = at;
    tap_ok(joined && line && scale.nodes[line].runs == 3 && !scale.nodes[line].by_name &&
               scale.nodes[line].context->id.kind == STATEMENT,
           "a line is the same line, with time of its own or without");
    fm_arena_destroy(&arena);
}

/* ---- several runs, chance, gains ---- */

static const struct made_row several[] = {
    {1, FRAME, "main", 0, {0, 0, 0}, NULL, NULL},
    {2, FRAME, "work", 10, {8000, 6000, 7000}, NULL, NULL},
    {2, FRAME, "setup", 20, {1000, 2000, 3000}, NULL, NULL},
    {2, ROUTINE, "MPI_Barrier", 30, {0, 1000, 0}, NULL, NULL},
    {2, FRAME, "rare", 40, {0, 0, 10}, NULL, NULL},
};

static void test_several(void)
{
    static const uint32_t processes[] = {16, 1, 4}; /* not in order */
    struct compared c;
    make(&c, ROWS(several), processes, 3);
    tap_ok(join(&c, FM_SCALE_STRONG, 3) && c.scale.runs[0].processes == 1 && c.scale.runs[1].processes == 4 &&
               c.scale.runs[2].processes == 16,
           "runs go by the number of processes");
    uint32_t top = child(&c.scale, 0, "main", 0), barrier = child(&c.scale, top, "MPI_Barrier", 30);
    tap_ok(c.scale.nodes[barrier].runs == 1 && fm_scale_cost(&c.scale, barrier, 0)->all_ns == 1000000000 &&
               !fm_scale_cost(&c.scale, barrier, 1)->all_ns && !fm_scale_cost(&c.scale, barrier, 2)->all_ns,
           "what only one run has costs the others nothing");
    tap_ok(near(fm_scale_excess(&c.scale, top, 0, 2).all, 0) &&
               near(fm_scale_excess(&c.scale, child(&c.scale, top, "setup", 20), 0, 2).all, -1.0 / 9) &&
               near(fm_scale_excess(&c.scale, child(&c.scale, top, "setup", 20), 0, 1).all, 1000.0 / 10010),
           "each pair of runs can be compared");
    uint32_t numbers[8] = {0};
    for (uint32_t at = 0; at < c.scale.n; at++)
        numbers[c.scale.nodes[at].function]++;
    tap_ok(c.scale.n_functions == 5 && numbers[0] == 4 && numbers[1] == 1 && numbers[5] == 1, "functions are numbered");
    fm_arena_destroy(&c.arena);
}

static void test_chance(void)
{
    /* 100 s in samples of 10 ms. */
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {49300, 69300}, NULL, NULL},   {2, FRAME, "noise", 10, {10000, 10200}, NULL, NULL},
        {2, FRAME, "loss", 20, {0, 100}, NULL, NULL},        {2, FRAME, "sample", 30, {0, 10}, NULL, NULL},
        {2, FRAME, "cache", 40, {40700, 20390}, NULL, NULL},
    };
    static const uint32_t processes[] = {2, 8};
    struct compared c;
    make(&c, ROWS(rows), processes, 2);
    for (size_t i = 0; i < 2; i++)
        c.runs[i].period_ns = 10000000;
    tap_ok(join(&c, FM_SCALE_STRONG, 2), "sampled runs");
    uint32_t top = child(&c.scale, 0, "main", 0), noise = child(&c.scale, top, "noise", 10);
    struct fm_excess x = fm_scale_excess(&c.scale, noise, 0, 1);
    /* 1000 of 10000 samples and 1020 of 10000: 1.96 sqrt(900 + 915.96) of 10000 */
    tap_ok(near(x.all, 0.002) && x.all_error > 0.0083523 && x.all_error < 0.0083525 &&
               !fm_is_certain(x.all, x.all_error),
           "a difference as large as chance makes it is not certain");
    x = fm_scale_excess(&c.scale, child(&c.scale, top, "loss", 20), 0, 1);
    tap_ok(near(x.all, 0.001) && x.all_error > 0.000627 && x.all_error < 0.000629, "10 samples more are");
    x = fm_scale_excess(&c.scale, child(&c.scale, top, "sample", 30), 0, 1);
    tap_ok(x.all_error > x.all, "one sample against none is not");
    x = fm_scale_excess(&c.scale, 0, 0, 1);
    tap_ok(x.all_error > 0.00014 && x.all_error < 0.00015, "the whole is known to a sample in each run");
    fm_scale_sort(&c.scale, 0, 1, false, NULL);
    static const char *const order[] = {"main", "loss", "noise", "sample", "cache"};
    uint32_t at = c.scale.nodes[top].first;
    size_t right = 0;
    for (; at && right < 5 && strcmp(c.scale.nodes[at].context->id.name, order[right]) == 0; right++)
        at = c.scale.nodes[at].next;
    tap_ok(right == 5 && !at, "certain losses come first, then what may be chance, then gains");
    fm_arena_destroy(&c.arena);
}

static void test_gain(void)
{
    static const struct made_row rows[] = {{1, FRAME, "main", 0, {1000, 800}, NULL, NULL}};
    static const uint32_t processes[] = {2, 8};
    struct compared c;
    make(&c, ROWS(rows), processes, 2);
    tap_ok(join(&c, FM_SCALE_STRONG, 2) && near(fm_scale_efficiency(&c.scale, 0, 1), 1.25) &&
               !fm_scale_hot(&c.scale, 0, 0, 1),
           "more than was hoped for is an efficiency above 1");
    fm_arena_destroy(&c.arena);
}

/* ---- any trees ---- */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void grow(struct fm_calltree *tree, struct fm_context *at, unsigned depth)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const char *const modules[] = {MADE_PROGRAM, "/x/libfoo.so", "/y/libfoo.so"};
    static const char *const paths[] = {"/s/x.c", "/s/y.c", "/t/x.c"};
    for (unsigned n = below(4); n > 0 && depth < 7; n--)
        grow(tree, made_below(tree, at, FRAME, names[below(4)], modules[below(3)], paths[below(3)], 1 + below(3)),
             depth + 1);
    for (unsigned n = depth ? below(3) + !at->first : 0; n > 0; n--)
        made_spend(tree,
                   made_below(tree, at, below(2) ? STATEMENT : FM_CONTEXT_CALL_SITE, at->id.name, at->id.module,
                              paths[below(3)], 1 + below(9)),
                   1 + below(50));
    if (depth && !below(3))
        made_spend(tree, made_below(tree, at, ROUTINE, "MPI_Recv", "", "/s/x.c", 1 + below(5)), 1 + below(50));
}

/* Each run's contexts are there once, below the right parents, and X of functions adds up to that of the whole. */
static bool adds_up(const struct fm_scale *scale)
{
    double own = 0;
    size_t contexts[MADE_RUNS] = {0};
    for (uint32_t at = 1; at < scale->n; at++) {
        const struct fm_scale_node *node = &scale->nodes[at];
        if (node->function)
            own += fm_scale_excess(scale, at, 0, scale->n_runs - 1).own;
        if (node->parent >= at || (node->runs & ~scale->nodes[node->parent].runs) || !node->runs)
            return false;
        double children = 0;
        for (uint32_t c = node->first; c; c = scale->nodes[c].next)
            children += fm_scale_excess(scale, c, 0, scale->n_runs - 1).all;
        double all = fm_scale_excess(scale, at, 0, scale->n_runs - 1).all;
        if (node->first && !near(children, all))
            return false;
        for (size_t run = 0; run < scale->n_runs; run++) {
            contexts[run] += node->runs >> run & 1;
            if (!(node->runs >> run & 1) && fm_scale_cost(scale, at, run)->all_ns)
                return false;
        }
    }
    for (size_t run = 0; run < scale->n_runs; run++)
        if (contexts[run] != scale->runs[run].tree->n)
            return false;
    return near(own, fm_scale_excess(scale, 0, 0, scale->n_runs - 1).all);
}

/* A walk over the joined tree, after it was sorted, meets every context once. */
static bool is_whole(struct fm_scale *scale)
{
    size_t n = 1;
    fm_scale_sort(scale, 0, 1, false, NULL);
    for (uint32_t at = scale->nodes[0].first; at; at = fm_scale_after(scale, 0, at))
        n++;
    return n == scale->n;
}

static void test_random(void)
{
    size_t trees = 500, right = 0, nodes = 0, paired = 0;
    for (size_t i = 0; i < trees; i++) {
        struct compared c = {0};
        size_t runs = 2 + below(4);
        for (size_t run = 0; run < runs; run++) {
            fm_calltree_start(&c.trees[run], &c.arena, 1);
            while (!c.trees[run].root->all.of.sum_ns)
                grow(&c.trees[run], c.trees[run].root, 0);
            c.runs[run] = (struct fm_scale_run){
                &c.trees[run], 1u << run, below(2) * 1000000, MADE_PROGRAM, below(2) ? "1" : "2", false, 0};
        }
        right += join(&c, (enum fm_scale_mode)below(3), runs) && adds_up(&c.scale) && is_whole(&c.scale);
        nodes += c.scale.n;
        for (size_t at = 0; at < c.scale.n; at++)
            paired += c.scale.nodes[at].by_name;
        fm_arena_destroy(&c.arena);
    }
    tap_ok(right == trees && nodes > 20 * trees && paired > trees,
           "of %zu random joins with %zu contexts, %zu of them paired by name, %zu add up", trees, nodes, paired,
           right);
}

static void test_itself(void)
{
    struct compared c;
    static const uint32_t processes[] = {4, 64};
    make(&c, ROWS(lbmhd), processes, 2);
    c.runs[1] = c.runs[0];
    size_t zero = 0;
    bool joined = join(&c, FM_SCALE_STRONG, 2);
    for (uint32_t at = 0; joined && at < c.scale.n; at++)
        zero += fm_scale_excess(&c.scale, at, 0, 1).all == 0;
    tap_ok(joined && c.scale.n == c.trees[0].n + 1 && zero == c.scale.n, "a run against itself has no excess at all");
    fm_arena_destroy(&c.arena);
}

int main(void)
{
    test_lbmhd();
    test_pop();
    test_weak();
    test_rebuilt();
    test_same_names();
    test_shifted();
    test_several();
    test_chance();
    test_gain();
    test_itself();
    test_random();
    return tap_done();
}
