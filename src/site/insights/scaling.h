/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a program stops scaling: its runs with different numbers of ranks, compared.
 *
 * Inputs are told apart by the time outside MPI and I/O: if there are runs in which its sum over ranks is the same whatever
 * their number, the problem is the same (strong scaling); if it is the same per rank, the problem grows with the ranks
 * (weak); otherwise that is unknown. The efficiency of a number of ranks is the CPU time per unit of work with the smallest
 * number divided by that with this number. The unit is the time outside MPI and I/O, so that somewhat larger problems do no
 * harm; only if it rises with the ranks where it should not (work that is repeated on every rank), it is the problem. */
#ifndef FM_SITE_INSIGHTS_SCALING_H
#define FM_SITE_INSIGHTS_SCALING_H

#include "base/error.h"
#include "site/insights/runs.h"

enum fm_scaling_mode { FM_SCALING_STRONG, FM_SCALING_WEAK, FM_SCALING_UNKNOWN };
extern const char *const fm_scaling_modes[]; /* "strong", "weak", "unknown" */

struct fm_scaling_point {
    int64_t ranks;
    size_t runs;
    double wall_s, cpu_s, program_s, mpi_s, io_s; /* medians, of the usual problem */
    double unit;                                  /* ... which has so many units of work */
    double efficiency;                            /* relative to the first point */
};

enum { FM_SCALING_POINTS = 24, FM_SCALING_PICKS = 8 };
struct fm_scaling_limit {
    enum fm_scaling_mode mode;
    struct fm_scaling_point points[FM_SCALING_POINTS]; /* by number of ranks; the smallest ones */
    size_t n;
    double efficiency;       /* of the last point */
    double chance;           /* that the cost of the work does not rise with the ranks */
    double cost_s;           /* CPU time beyond what the smallest number of ranks would have needed */
    int64_t efficient_ranks; /* the last number up to which the efficiency never falls below FM_SCALING_EFFICIENCY */
    int64_t fastest_ranks;   /* shortest wall time; strong only, else 0 */
    double estimated_ranks;  /* where the time of a model that fits is shortest; NAN: no estimate */
    double program, mpi, io; /* shares of what is lost at the last point */
    struct fm_pick small[FM_SCALING_PICKS], large[FM_SCALING_PICKS]; /* runs of the first and of the last point */
    size_t n_small, n_large;
};

/* *tested: whether there are runs that can be compared; *stops: whether the efficiency falls below FM_SCALING_EFFICIENCY,
 * however certain. */
enum fm_status fm_scaling_find(const struct fm_run *runs, size_t n, bool *tested, bool *stops,
                               struct fm_scaling_limit *found, struct fm_error *error);

/* The efficiency with the largest number of ranks if so much time per unit of work had not been lost there. */
double fm_scaling_without(const struct fm_scaling_limit *limit, double lost_per_unit);

/* wall = a + b / ranks + c * log2(ranks), fitted to points: the number of ranks with the shortest time, or NAN if the
 * points do not look like that (10 % at most), or it has none within their range. */
double fm_scaling_estimate(const struct fm_scaling_point *points, size_t n);

#endif
