/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a program became slower than its own history.
 *
 * Only runs with the same number of ranks, the same command, and about the same time (FM_INPUT_GAP) are compared with each
 * other: they are a series. Times relative to the usual one of their series can be put together: their medians by day are
 * what analyse/history/change.h looks for changes in. A change counts if two independent tests agree: Student's t of the
 * days, and ranks of the runs, each within its series, which do not mind outliers. A change that was undone later is none.
 *
 * The chance is that of noise in one program, at the best of all days; who looks at many programs multiplies it. */
#ifndef FM_SITE_INSIGHTS_SLOWER_H
#define FM_SITE_INSIGHTS_SLOWER_H

#include "base/error.h"
#include "site/insights/runs.h"

enum { FM_SLOWER_PICKS = 40, FM_SLOWER_DAYS = 100 };

struct fm_slower {
    int64_t ended; /* of the first run after the change */
    double factor; /* time after / time before */
    double chance;
    double cost_s;            /* CPU time of the runs since, that would not have been needed before */
    double program, mpi, io;  /* shares in the growth */
    size_t n_before, n_after; /* runs that were compared */
    int64_t ranks;            /* the series that tells most, for example: */
    double before_s, after_s; /* wall time of its runs, medians */
    struct fm_pick before[FM_SLOWER_PICKS], after[FM_SLOWER_PICKS]; /* those next to the change first */
    size_t n_picked_before, n_picked_after;
    struct {
        int64_t day;        /* since 1970 */
        double factor;      /* median of the runs of that day, relative to the time before the change */
    } days[FM_SLOWER_DAYS]; /* the last ones that have runs */
    size_t n_days;
};

/* `runs` in the order of their ends. *tested: whether there are enough of them; *is_slower: whether there is a change, however
 * certain. */
enum fm_status fm_slower_find(const struct fm_run *runs, size_t n, bool *tested, bool *is_slower,
                              struct fm_slower *found, struct fm_error *error);

#endif
