#include "analyse/efficiency/thread_use.h"

#include <math.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

enum { MILLISECOND = 1000000 };

static struct fm_thread_use use_of(const struct made_row *rows, size_t n, uint64_t wall_ms, uint64_t outside_ms)
{
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    made_tree(rows, n, 0, &arena, &tree);
    struct fm_thread_use use = fm_thread_use_find(&tree, 10 * MILLISECOND, wall_ms * MILLISECOND,
                                                  outside_ms * MILLISECOND);
    fm_arena_destroy(&arena);
    return use;
}

/* The same after a long start of MPI. */
static const struct made_row started[] = {
    {1, FRAME, "main", 0, {100}, NULL, NULL},
    {2, ROUTINE, "MPI_Init_thread", 9, {5000}, NULL, NULL},
    {2, FRAME, "GOMP_parallel", 10, {100}, "/lib/libgomp.so.1", NULL},
    {3, FRAME, "step", 11, {600}, NULL, NULL},
    {2, ROUTINE, "MPI_Allreduce", 20, {200}, NULL, NULL},
    {1, FRAME, "gomp_thread_start", 0, {600}, "/lib/libgomp.so.1", NULL},
    {2, FRAME, "step", 11, {400}, NULL, NULL},
};

/* Two threads for 1000 ms, of which the first is in MPI for 200 ms. */
static const struct made_row hybrid[] = {
    {1, FRAME, "main", 0, {100}, NULL, NULL},
    {2, FRAME, "GOMP_parallel", 10, {100}, "/lib/libgomp.so.1", NULL},
    {3, FRAME, "step", 11, {600}, NULL, NULL},
    {2, ROUTINE, "MPI_Allreduce", 20, {200}, NULL, NULL},
    {1, FRAME, "gomp_thread_start", 0, {600}, "/lib/libgomp.so.1", NULL},
    {2, FRAME, "step", 11, {400}, NULL, NULL},
};

static const struct made_row alone[] = {
    {1, FRAME, "main", 0, {800}, NULL, NULL},
    {2, ROUTINE, "MPI_Allreduce", 20, {200}, NULL, NULL},
};

int main(void)
{
    struct fm_thread_use use = use_of(ROWS(hybrid), 1000, 800);
    tap_ok(use.known && fabs(use.threads - 2) < 1e-9, "two threads per process");
    tap_ok(fabs(use.efficiency - 1100 / 1600.) < 1e-9,
           "work of all threads / their time outside MPI: idle workers and barriers are not work");
    tap_ok(use.error > 0.05 && use.error < 0.1, "the error of some hundred samples");
    double whole = 1100 / 2000.;
    tap_ok(fabs(0.8 * use.efficiency - whole) < 1e-9,
           "both factors together are the part of all threads' time that is work");
    struct fm_thread_use late = use_of(ROWS(started), 6000, 800);
    tap_ok(late.known && fabs(late.efficiency - use.efficiency) < 1e-9 && fabs(late.threads - 2) < 1e-9,
           "starting MPI, when there are no threads yet, changes nothing");
    tap_ok(!use_of(ROWS(alone), 1000, 800).known, "not known of a program without threads");
    tap_ok(!use_of(ROWS(hybrid), 0, 0).known, "nor without a wall time");
    return tap_done();
}
