/* The verdicts name what the paper's authors found in their programs. */
#include "analyse/scaling/scale_verdict.h"

#include <string.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

struct judged {
    struct fm_arena arena;
    struct fm_calltree trees[2];
    struct fm_scale_run runs[2];
    struct fm_scale scale;
    struct fm_verdicts verdicts;
};

static bool judge(struct judged *j, enum fm_scale_mode mode, uint32_t p, uint32_t q, const struct made_row *rows,
                  size_t n)
{
    *j = (struct judged){0};
    for (size_t i = 0; i < 2; i++) {
        made_tree(rows, n, i, &j->arena, &j->trees[i]);
        j->runs[i] = (struct fm_scale_run){&j->trees[i], i ? q : p, 10000000, MADE_PROGRAM, NULL, false, 0};
    }
    if (fm_scale_join(mode, j->runs, 2, &j->arena, &j->scale, NULL) ||
        fm_scale_judge(&j->scale, 0, 1, &j->verdicts, NULL))
        return false;
    for (size_t i = 0; i < j->verdicts.n; i++)
        printf("#   %s\n", fm_verdict_text(&j->scale, &j->verdicts.items[i], &j->arena));
    for (size_t i = 0; i < j->verdicts.n_gains; i++)
        printf("#   %s\n", fm_verdict_text(&j->scale, &j->verdicts.gains[i], &j->arena));
    return true;
}

static const char *name(const struct judged *j, uint32_t node)
{
    return j->scale.nodes[node].context->id.name;
}

static bool near(double value, double expected)
{
    return value > expected - 1e-9 && value < expected + 1e-9;
}

static bool is(const struct judged *j, size_t i, enum fm_scale_cause cause, const char *function, double own)
{
    const struct fm_verdict *v = &j->verdicts.items[i];
    return i < j->verdicts.n && v->cause == cause && strcmp(name(j, v->node), function) == 0 &&
           near(v->excess.own, own);
}

static bool calls(const struct judged *j, const struct fm_verdict_caller *caller, const char *function, double excess)
{
    return strcmp(name(j, caller->node), function) == 0 && near(caller->excess, excess);
}

static bool says(const char *text, const char *expected)
{
    if (text && strcmp(text, expected) == 0)
        return true;
    printf("# says: %s\n", text ? text : "nothing");
    return false;
}

/* The local computation of decomp, and sums made of barriers. */
static void test_lbmhd(void)
{
    static const char armci[] = "/lib/libarmci.so";
    static const struct made_row rows[] = {
        {1, FRAME, "mhd", 0, {2000, 2000}, NULL, NULL},
        {2, FRAME, "decomp", 10, {1000, 15000}, NULL, NULL},
        {2, FRAME, "stream", 20, {42000, 52500}, NULL, NULL},
        {3, FRAME, "ARMCI_Barrier", 400, {0, 2000}, armci, NULL},
        {2, FRAME, "caf_allsum_dp", 30, {0, 0}, NULL, NULL},
        {3, FRAME, "ARMCI_Barrier", 300, {400, 6000}, armci, NULL},
        {2, FRAME, "caf_allsum_dp", 31, {0, 0}, NULL, NULL},
        {3, FRAME, "ARMCI_Barrier", 300, {300, 6000}, armci, NULL},
        {2, FRAME, "caf_allsum_dp", 32, {0, 0}, NULL, NULL},
        {3, FRAME, "ARMCI_Barrier", 300, {300, 6000}, armci, NULL},
        {2, FRAME, "cafinit", 5, {1000, 10500}, NULL, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 4, 64, ROWS(rows)) && near(j.verdicts.whole.all, 0.53), "LBMHD");
    const struct fm_verdict *barrier = &j.verdicts.items[0];
    tap_ok(is(&j, 0, FM_CAUSE_OWN, "ARMCI_Barrier", 0.19) && barrier->n_callers == 2 && !barrier->through &&
               calls(&j, &barrier->callers[0], "mhd", 0.17) && calls(&j, &barrier->callers[1], "stream", 0.02) &&
               strcmp(name(&j, barrier->callers[0].through), "caf_allsum_dp") == 0 && !barrier->callers[1].through,
           "barriers, most of them through caf_allsum_dp");
    tap_ok(is(&j, 1, FM_CAUSE_OWN, "decomp", 0.14) && near(j.verdicts.items[1].excess.all, 0.14), "decomp itself");
    tap_ok(is(&j, 2, FM_CAUSE_OWN, "stream", 0.105) && is(&j, 3, FM_CAUSE_OWN, "cafinit", 0.095) && j.verdicts.n == 4,
           "and the rest");
    tap_ok(says(fm_verdict_text(&j.scale, barrier, &j.arena),
                "ARMCI_Barrier itself does not scale: 19 % of the run is its excess time, in calls from caf_allsum_dp, "
                "called by mhd (17 %); and stream (2.0 %)."),
           "in words");
    fm_arena_destroy(&j.arena);
}

/* The receive completion inside of MPI. */
static void test_pop(void)
{
    static const char mpich[] = "/usr/lib/libmpich.so.12";
    static const struct made_row rows[] = {
        {1, FRAME, "pop", 0, {25000, 36000}, NULL, NULL},
        {2, FRAME, "diag", 10, {0, 0}, NULL, NULL},
        {3, FRAME, "global_sum_int", 100, {0, 0}, NULL, NULL},
        {4, FRAME, "MPI_Allreduce", 200, {0, 0}, mpich, NULL},
        {5, FRAME, "MPID_RecvComplete", 7, {1000, 11000}, mpich, NULL},
        {3, FRAME, "global_sum_dbl", 101, {0, 0}, NULL, NULL},
        {4, FRAME, "MPI_Allreduce", 210, {0, 0}, mpich, NULL},
        {5, FRAME, "MPID_RecvComplete", 7, {1000, 12000}, mpich, NULL},
        {2, FRAME, "baroclinic", 20, {0, 0}, NULL, NULL},
        {3, FRAME, "boundary", 120, {0, 0}, NULL, NULL},
        {4, FRAME, "MPI_Waitall", 220, {0, 0}, mpich, NULL},
        {5, FRAME, "MPID_RecvComplete", 7, {2000, 41000}, mpich, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 4, 64, ROWS(rows)) && near(j.verdicts.whole.all, 0.71), "POP");
    const struct fm_verdict *complete = &j.verdicts.items[0];
    tap_ok(is(&j, 0, FM_CAUSE_MPI, "MPID_RecvComplete", 0.60) && complete->n_callers == 3 &&
               calls(&j, &complete->callers[0], "boundary", 0.39) &&
               calls(&j, &complete->callers[1], "global_sum_dbl", 0.11) &&
               calls(&j, &complete->callers[2], "global_sum_int", 0.10),
           "the receive completion, with the callers outside of MPI");
    tap_ok(says(fm_verdict_text(&j.scale, complete, &j.arena),
                "MPID_RecvComplete does not scale: 60 % of the run is excess communication and waiting in it, in calls "
                "from boundary (39 %), global_sum_dbl (11 %) and global_sum_int (10 %)."),
           "in words");
    fm_arena_destroy(&j.arena);
}

/* Notification from many places in adi. */
static void test_sp(void)
{
    static const char armci[] = "/lib/libarmci.so";
    static const struct made_row rows[] = {
        {1, FRAME, "mbsp", 0, {1000, 3000}, NULL, NULL},
        {2, FRAME, "adi", 10, {0, 0}, NULL, NULL},
        {3, FRAME, "x_solve", 20, {12000, 19000}, NULL, NULL},
        {4, FRAME, "armci_notify_proc", 100, {0, 13000}, armci, NULL},
        {3, FRAME, "y_solve", 21, {12000, 19000}, NULL, NULL},
        {4, FRAME, "armci_notify_proc", 200, {0, 12000}, armci, NULL},
        {3, FRAME, "z_solve", 22, {15000, 22000}, NULL, NULL},
        {4, FRAME, "armci_notify_proc", 300, {0, 7000}, armci, NULL},
        {4, FRAME, "armci_notify_proc", 310, {0, 5000}, armci, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 4, 64, ROWS(rows)) && near(j.verdicts.whole.all, 0.60), "SP");
    uint32_t adi = j.scale.nodes[j.scale.nodes[0].first].first;
    while (strcmp(name(&j, adi), "adi") != 0)
        adi = j.scale.nodes[adi].next;
    tap_ok(near(fm_scale_excess(&j.scale, adi, 0, 1).all, 0.58) && is(&j, 0, FM_CAUSE_OWN, "armci_notify_proc", 0.37) &&
               j.verdicts.items[0].n_callers == 3 && calls(&j, &j.verdicts.items[0].callers[0], "x_solve", 0.13),
           "adi has 58 %%, 37 %% of it in armci_notify_proc");
    fm_arena_destroy(&j.arena);
}

/* MG: one routine behind many reductions. CG: memory gets of a loop, and reductions made of barriers. */
static void test_mg_cg(void)
{
    static const char gm[] = "/lib/libmpich-gm.so";
    static const struct made_row mg[] = {
        {1, FRAME, "mg", 0, {17000, 59000}, NULL, NULL}, {2, STATEMENT, "mg", 20, {0, 2000}, NULL, NULL},
        {2, FRAME, "caf_sum", 10, {0, 0}, NULL, NULL},   {3, FRAME, "MPID_RecvComplete", 100, {1000, 20000}, gm, NULL},
        {2, FRAME, "caf_max", 30, {0, 0}, NULL, NULL},   {3, FRAME, "MPID_RecvComplete", 100, {1000, 19000}, gm, NULL},
    };
    static const struct made_row cg[] = {
        {1, FRAME, "main", 0, {1000, 4000}, NULL, NULL},
        {2, FRAME, "conj_grad", 10, {31000, 47000}, NULL, NULL},
        {3, FRAME, "upc_memget", 20, {2000, 27000}, "/lib/libupc.so", NULL},
        {3, FRAME, "reduce_sum", 30, {0, 0}, NULL, NULL},
        {4, FRAME, "upc_barrier", 40, {1000, 11000}, "/lib/libupc.so", NULL},
        {3, FRAME, "reduce_sum", 35, {0, 0}, NULL, NULL},
        {4, FRAME, "upc_barrier", 40, {2000, 11000}, "/lib/libupc.so", NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 1, 64, ROWS(mg)) && near(j.verdicts.whole.all, 0.81) &&
               is(&j, 1, FM_CAUSE_MPI, "MPID_RecvComplete", 0.37) && j.verdicts.items[1].n_callers == 2,
           "MG loses 81 %%, 37 %% in the receive completion");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 1, 16, ROWS(cg)) && near(j.verdicts.whole.all, 0.63), "CG loses 63 %%");
    tap_ok(is(&j, 0, FM_CAUSE_OWN, "upc_memget", 0.25) && is(&j, 1, FM_CAUSE_OWN, "upc_barrier", 0.19) &&
               strcmp(name(&j, j.verdicts.items[1].through), "reduce_sum") == 0,
           "25 %% in upc_memget, 19 %% in the barriers of reduce_sum");
    fm_arena_destroy(&j.arena);
}

/* wait_gather and do_gather, called from many places, over MPI. */
static void test_su3(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {600, 9760}, NULL, NULL},        {2, FRAME, "dslash", 10, {0, 0}, NULL, NULL},
        {3, FRAME, "wait_gather", 100, {0, 0}, NULL, NULL},    {4, ROUTINE, "MPI_Wait", 200, {30, 2420}, NULL, NULL},
        {3, FRAME, "do_gather", 90, {0, 0}, NULL, NULL},       {4, ROUTINE, "MPI_Send", 300, {10, 960}, NULL, NULL},
        {2, FRAME, "force", 20, {0, 0}, NULL, NULL},           {3, FRAME, "wait_gather", 110, {0, 0}, NULL, NULL},
        {4, ROUTINE, "MPI_Wait", 200, {20, 1900}, NULL, NULL}, {3, FRAME, "do_gather", 95, {0, 0}, NULL, NULL},
        {4, ROUTINE, "MPI_Send", 300, {10, 960}, NULL, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_WEAK, 1, 16, ROWS(rows)) && near(j.verdicts.whole.all, 0.33), "su3_rmd");
    const struct fm_verdict *wait = &j.verdicts.items[0], *send = &j.verdicts.items[1];
    tap_ok(is(&j, 0, FM_CAUSE_MPI, "MPI_Wait", 0.22) && strcmp(name(&j, wait->through), "wait_gather") == 0 &&
               wait->n_callers == 2 && calls(&j, &wait->callers[0], "dslash", 0.12125) &&
               calls(&j, &wait->callers[1], "force", 0.09875),
           "waiting in wait_gather, called from two places");
    tap_ok(is(&j, 1, FM_CAUSE_MPI, "MPI_Send", 0.10) && strcmp(name(&j, send->through), "do_gather") == 0,
           "sending in do_gather");
    tap_ok(says(fm_verdict_text(&j.scale, wait, &j.arena),
                "MPI_Wait does not scale: 22 % of the run is excess communication and waiting in it, through "
                "wait_gather, called from dslash (12 %) and force (9.9 %)."),
           "in words");
    fm_arena_destroy(&j.arena);
}

/* Each caller has less than is worth a sentence, all of them together a fifth of the run. */
static void test_many_callers(void)
{
    enum { CALLERS = 30 };
    static char names[CALLERS][16];
    struct made_row rows[1 + 3 * CALLERS] = {{1, FRAME, "main", 0, {8000, 8000}, NULL, NULL}};
    for (uint32_t i = 0; i < CALLERS; i++) {
        snprintf(names[i], sizeof names[i], "caller%02u", i);
        rows[1 + 3 * i] = (struct made_row){2, FRAME, names[i], 10 + i, {100, 100}, NULL, NULL};
        rows[2 + 3 * i] = (struct made_row){3, FRAME, "exchange", 100, {0, 0}, NULL, NULL};
        rows[3 + 3 * i] = (struct made_row){4, ROUTINE, "MPI_Waitall", 200, {0, 70 + i % 2}, NULL, NULL};
    }
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 4, 16, ROWS(rows)) && j.verdicts.n == 1 &&
               is(&j, 0, FM_CAUSE_MPI, "MPI_Waitall", 2115.0 / 13115) && j.verdicts.items[0].n_callers == CALLERS &&
               strcmp(name(&j, j.verdicts.items[0].through), "exchange") == 0,
           "many callers with little each are many callers");
    tap_ok(says(fm_verdict_text(&j.scale, &j.verdicts.items[0], &j.arena),
                "MPI_Waitall does not scale: 16 % of the run is excess communication and waiting in it, through "
                "exchange, called from caller01 (0.5 %), caller03 (0.5 %), caller05 (0.5 %) and 27 more."),
           "in words");
    fm_arena_destroy(&j.arena);
}

static void test_others(void)
{
    static const struct made_row chain[] = {
        {1, FRAME, "main", 0, {900, 900}, NULL, NULL},
        {2, FRAME, "solve", 10, {0, 0}, NULL, NULL},
        {3, FRAME, "solve", 11, {0, 0}, NULL, NULL},
        {4, FRAME, "mpi_allreduce_", 20, {0, 0}, "/lib/libmpi_mpifh.so.40", NULL},
        {5, ROUTINE, "MPI_Allreduce", 0, {100, 1100}, NULL, NULL},
    };
    static const struct made_row solver[] = {
        {1, FRAME, "main", 0, {100, 100}, NULL, NULL},
        {2, FRAME, "step", 10, {200, 200}, NULL, NULL},
        {3, FRAME, "pcg", 20, {200, 200}, NULL, NULL},
        {4, ROUTINE, "MPI_Allreduce", 30, {0, 500}, NULL, NULL},
        {2, FRAME, "step", 11, {200, 200}, NULL, NULL},
        {3, FRAME, "pcg", 20, {200, 200}, NULL, NULL},
        {4, ROUTINE, "MPI_Allreduce", 30, {0, 500}, NULL, NULL},
    };
    static const struct made_row bare[] = {
        {1, FRAME, "main", 0, {0, 0}, NULL, NULL},
        {2, FRAME, "run", 10, {0, 0}, NULL, NULL},
        {3, ROUTINE, "MPI_Barrier", 20, {100, 200}, NULL, NULL},
    };
    static const struct made_row tracers[] = {
        {1, FRAME, "main", 0, {100, 100}, NULL, NULL},
        {2, FRAME, "step_tracer", 10, {100, 200}, NULL, NULL},
        {2, FRAME, "step_tracer", 11, {100, 200}, NULL, NULL},
    };
    static const struct made_row noise[] = {
        {1, FRAME, "main", 0, {50000, 50000}, NULL, NULL},
        {2, FRAME, "work", 10, {1000, 1080}, NULL, NULL},
        {2, FRAME, "play", 20, {1080, 1000}, NULL, NULL},
    };
    static const struct made_row few[] = {
        /* 100 samples */
        {1, FRAME, "main", 0, {800, 800}, NULL, NULL},
        {2, FRAME, "work", 10, {100, 120}, NULL, NULL},
        {2, FRAME, "play", 20, {100, 80}, NULL, NULL},
    };
    static const struct made_row recursive[] = {
        {1, FRAME, "main", 0, {900, 900}, NULL, NULL},
        {2, FRAME, "sort", 10, {20, 120}, NULL, NULL},
        {3, FRAME, "sort", 30, {40, 540}, NULL, NULL},
        {4, FRAME, "sort", 30, {40, 440}, NULL, NULL},
    };
    static const struct made_row gain[] = {{1, FRAME, "main", 0, {10000, 8000}, NULL, NULL}};
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(chain)) && j.verdicts.n == 1 &&
               is(&j, 0, FM_CAUSE_MPI, "MPI_Allreduce", 0.5) && j.verdicts.items[0].n_callers == 1 &&
               calls(&j, &j.verdicts.items[0].callers[0], "solve", 0.5) && !j.verdicts.items[0].through,
           "the caller, past Fortran's binding and recursion");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(solver)) && j.verdicts.n == 1 && !j.verdicts.items[0].through &&
               j.verdicts.items[0].n_callers == 1 && calls(&j, &j.verdicts.items[0].callers[0], "pcg", 1000.0 / 1900),
           "a function that does more than that is no wrapper");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(bare)) && j.verdicts.n == 1 && !j.verdicts.items[0].through &&
               j.verdicts.items[0].n_callers == 1 && calls(&j, &j.verdicts.items[0].callers[0], "run", 0.5),
           "where there are only wrappers the next one is named");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(tracers)) && j.verdicts.n == 1 &&
               is(&j, 0, FM_CAUSE_OWN, "step_tracer", 0.4),
           "what the program computes twice is one function");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(noise)) && j.verdicts.n == 0, "chance is no cause");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(few)) && j.verdicts.n == 0, "nor is what a few samples may show");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(recursive)) && j.verdicts.n == 1 &&
               is(&j, 0, FM_CAUSE_OWN, "sort", 0.5) && near(j.verdicts.items[0].excess.all, 0.5) &&
               j.verdicts.items[0].n_callers == 1 && calls(&j, &j.verdicts.items[0].callers[0], "main", 0.5),
           "recursion counts once, and is no caller of itself");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(gain)) && j.verdicts.n == 0, "a gain is no loss");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_SAME, 2, 2, ROWS(chain)) &&
               says(fm_verdict_text(&j.scale, &j.verdicts.items[0], &j.arena),
                    "MPI_Allreduce takes longer in B, by 100 % of the time of A, in calls from solve."),
           "two versions");
    fm_arena_destroy(&j.arena);
}

/* Two wrappers that several functions call, one of which calls the other, and a function that calls MPI itself. */
static void test_wrappers(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {4000, 4000}, NULL, NULL},
        {2, FRAME, "cfl_check", 10, {2000, 2000}, NULL, NULL},
        {3, FRAME, "global_maxval", 31, {0, 0}, NULL, NULL},
        {4, FRAME, "reduce", 70, {10, 10}, NULL, NULL},
        {5, ROUTINE, "MPI_Allreduce", 80, {40, 1500}, NULL, NULL},
        {2, FRAME, "pcg", 20, {2000, 2000}, NULL, NULL},
        {3, FRAME, "global_maxval", 41, {0, 0}, NULL, NULL},
        {4, FRAME, "reduce", 70, {10, 10}, NULL, NULL},
        {5, ROUTINE, "MPI_Allreduce", 80, {40, 1100}, NULL, NULL},
        {3, STATEMENT, "pcg", 42, {500, 500}, NULL, NULL},
        {3, FRAME, "global_sum", 43, {0, 0}, NULL, NULL},
        {4, ROUTINE, "MPI_Allreduce", 90, {50, 900}, NULL, NULL},
        {3, STATEMENT, "pcg", 44, {500, 500}, NULL, NULL},
        {3, FRAME, "global_sum", 45, {0, 0}, NULL, NULL},
        {4, ROUTINE, "MPI_Allreduce", 90, {50, 900}, NULL, NULL},
        {2, FRAME, "output", 30, {800, 800}, NULL, NULL},
        {3, ROUTINE, "MPI_Allreduce", 50, {0, 300}, NULL, NULL},
    };
    struct judged j;
    bool judged = judge(&j, FM_SCALE_STRONG, 2, 8, ROWS(rows));
    const struct fm_verdict *sums = &j.verdicts.items[0];
    tap_ok(judged && j.verdicts.n == 1 && sums->n_callers == 4 && !sums->through &&
               strcmp(name(&j, sums->callers[0].node), "pcg") == 0 &&
               strcmp(name(&j, sums->callers[0].through), "global_sum") == 0 &&
               strcmp(name(&j, sums->callers[1].node), "cfl_check") == 0 &&
               strcmp(name(&j, sums->callers[1].through), "global_maxval") == 0 &&
               strcmp(name(&j, sums->callers[3].node), "output") == 0 && !sums->callers[3].through,
           "the callers of wrappers, and of wrappers of wrappers");
    tap_ok(
        says(fm_verdict_text(&j.scale, sums, &j.arena),
             "MPI_Allreduce does not scale: 31 % of the run is excess communication and waiting in it, in calls from "
             "global_sum, called by pcg (12 %); global_maxval, called by cfl_check (10 %); global_maxval, called by "
             "pcg (7.3 %); and 1 more."),
        "in words");
    bool at_call = true;
    for (uint32_t i = 1; i < j.scale.n; i++)
        if (j.scale.nodes[i].context->id.line == 80)
            at_call &= strcmp(name(&j, fm_verdict_call(&j.scale, sums, i)), "global_maxval") == 0;
    tap_ok(at_call, "a call through a wrapper is where the wrapper is called");
    fm_arena_destroy(&j.arena);
}

/* A solver that does little but wait on many processes, and is called once, is no wrapper. */
static void test_no_wrapper(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {4000, 4000}, NULL, NULL},
        {2, FRAME, "solve", 10, {2000, 2000}, NULL, NULL},
        {3, ROUTINE, "MPI_Allreduce", 80, {100, 20000}, NULL, NULL},
        {2, FRAME, "solve", 20, {2000, 2000}, NULL, NULL},
        {3, ROUTINE, "MPI_Allreduce", 80, {100, 20000}, NULL, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 8, ROWS(rows)) && j.verdicts.n == 1 && !j.verdicts.items[0].n_wrappers &&
               strcmp(name(&j, j.verdicts.items[0].callers[0].node), "solve") == 0,
           "a function that computed in the smaller run is no wrapper");
    fm_arena_destroy(&j.arena);
}

/* 40 % lost in waiting, 15 % gained in computation: the parts add up to the whole, without starting MPI. */
static void test_parts(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {900, 900}, NULL, NULL},         {2, ROUTINE, "MPI_Init", 5, {50, 250}, NULL, NULL},
        {2, FRAME, "flux", 10, {4800, 3300}, NULL, NULL},      {2, ROUTINE, "MPI_Wait", 20, {0, 4000}, NULL, NULL},
        {2, ROUTINE, "MPI_Recv", 25, {1000, 500}, NULL, NULL}, {2, FRAME, "output", 30, {500, 1000}, NULL, NULL},
        {2, ROUTINE, "MPI_Finalize", 40, {0, 50}, NULL, NULL},
    };
    struct judged j;
    tap_ok(judge(&j, FM_SCALE_STRONG, 4, 16, ROWS(rows)) && near(j.verdicts.whole.all, 0.275) && j.verdicts.n == 2 &&
               is(&j, 0, FM_CAUSE_MPI, "MPI_Wait", 0.4) && is(&j, 1, FM_CAUSE_OWN, "output", 0.05),
           "losses can exceed the whole; starting MPI is none");
    tap_ok(j.verdicts.n_gains == 2 && near(j.verdicts.gains[0].excess.own, -0.15) &&
               near(j.verdicts.gains[1].excess.own, -0.05) && near(j.verdicts.startup.own, 0.025) &&
               near(j.verdicts.startup_share, 0.03),
           "gains and starting MPI are the rest");
    tap_ok(says(fm_verdict_text(&j.scale, &j.verdicts.gains[0], &j.arena),
                "flux itself scales better than ideal: 15 % of the run is saved in it, in calls from main."),
           "in words");
    fm_arena_destroy(&j.arena);
    tap_ok(judge(&j, FM_SCALE_SAME, 4, 4, ROWS(rows)) &&
               says(fm_verdict_text(&j.scale, &j.verdicts.gains[0], &j.arena),
                    "flux itself takes less time in B, by 21 % of the time of A, in calls from main."),
           "of two versions");
    fm_arena_destroy(&j.arena);
}

/* Twice as many ranks as cores: computation takes twice as long, which is not its own loss. Another function computes
 * more in CPU time as well. */
static void test_cores(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {100, 100}, NULL, NULL},
        {2, FRAME, "flux", 10, {5000, 10000}, NULL, NULL},
        {2, FRAME, "copy", 20, {1000, 8000}, NULL, NULL},
        {2, ROUTINE, "MPI_Wait", 30, {0, 4000}, NULL, NULL},
    };
    struct judged j;
    struct fm_verdicts verdicts;
    tap_ok(judge(&j, FM_SCALE_STRONG, 2, 4, ROWS(rows)) && j.verdicts.n == 3, "with cores of their own all are losses");
    j.runs[1].lacks_cores = true;
    j.runs[1].running = 0.5;
    tap_ok(!fm_scale_join(FM_SCALE_STRONG, j.runs, 2, &j.arena, &j.scale, NULL) &&
               !fm_scale_judge(&j.scale, 0, 1, &verdicts, NULL) && verdicts.n == 2 &&
               strcmp(name(&j, verdicts.items[0].node), "copy") == 0 &&
               strcmp(name(&j, verdicts.items[1].node), "MPI_Wait") == 0,
           "waiting for a core is no computation");
    tap_ok(says(fm_verdict_text(&j.scale, &verdicts.items[1], &j.arena),
                "MPI_Wait: 18 % of the run is excess time in it, in calls from main."),
           "and no verdict on communication");
    tap_ok(!fm_scale_judge(&j.scale, 1, 0, &verdicts, NULL) && verdicts.n_gains == 2 &&
               strcmp(name(&j, verdicts.gains[0].node), "copy") == 0,
           "nor is it a gain to have cores");
    fm_arena_destroy(&j.arena);
    static const struct made_row moved[] = {
        {1, FRAME, "main", 0, {5000, 5000}, NULL, NULL},
        {2, ROUTINE, "MPI_Wait", 30, {1000, 2000}, NULL, NULL},
        {2, ROUTINE, "MPI_Recv", 40, {2000, 1000}, NULL, NULL},
    };
    tap_ok(judge(&j, FM_SCALE_SAME, 4, 4, ROWS(moved)) && j.verdicts.n == 1 && j.verdicts.n_gains == 1,
           "equal times with different parts");
    j.runs[0].lacks_cores = true;
    tap_ok(!fm_scale_join(FM_SCALE_SAME, j.runs, 2, &j.arena, &j.scale, NULL) &&
               !fm_scale_judge(&j.scale, 0, 1, &verdicts, NULL) && !verdicts.n && !verdicts.n_gains,
           "without cores are chance");
    fm_arena_destroy(&j.arena);
}

/* Repeated runs of a balanced program that differ by chance: in the samples of each function, and by up to 2 % in all of
 * them. */
static void test_repeated(void)
{
    enum { FUNCTIONS = 40, PAIRS = 1000 };
    static char names[FUNCTIONS][16];
    static const enum fm_scale_mode modes[] = {FM_SCALE_SAME, FM_SCALE_WEAK, FM_SCALE_STRONG};
    uint64_t state = 1;
    size_t sentences = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        snprintf(names[i], sizeof names[i], "function%02u", i);
    for (size_t pair = 0; pair < PAIRS; pair++) {
        struct made_row rows[1 + FUNCTIONS] = {{1, FRAME, "main", 0, {10, 10}, NULL, NULL}};
        struct judged j;
        for (uint32_t i = 0; i < FUNCTIONS; i++)
            rows[1 + i] = (struct made_row){2, i % 4 ? FRAME : ROUTINE, names[i], 10 + i, {0}, NULL, NULL};
        for (size_t run = 0; run < 2; run++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            unsigned samples = 500 + (unsigned)(state >> 33) % 10;
            for (unsigned k = 0; k < samples; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                uint64_t which = (state >> 33) % FUNCTIONS;
                rows[1 + which * which / FUNCTIONS].own_ms[run] += 10; /* few have many */
            }
        }
        judge(&j, modes[pair % 3], 4, 4, rows, 1 + FUNCTIONS);
        sentences += j.verdicts.n + j.verdicts.n_gains +
                     fm_is_clear(j.verdicts.whole.all, j.verdicts.whole.all_error, FM_SCALE_NOISE);
        fm_arena_destroy(&j.arena);
    }
    tap_ok(sentences == 0, "nothing is said about %d pairs of equal runs", PAIRS);
}

int main(void)
{
    test_lbmhd();
    test_pop();
    test_sp();
    test_mg_cg();
    test_su3();
    test_many_callers();
    test_wrappers();
    test_no_wrapper();
    test_parts();
    test_cores();
    test_repeated();
    test_others();
    return tap_done();
}
