/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of the records of a site: what no single job can tell.
 *
 *   jobs of a window, by user and program, read once --> slower.h, scaling.h --> candidates
 *   roll-up of hosts                                 --> slow_hosts.h        --> candidates
 *   candidates that are certain, given how many there were  --> details.h reads their records --> insights
 *
 * Memory holds the runs of one program (FM_RUNS_MOST) and the candidates; the database sorts in temporary files. One
 * thread. */
#ifndef FM_SITE_INSIGHTS_ANALYSE_H
#define FM_SITE_INSIGHTS_ANALYSE_H

#include "site/insights/insight.h"
#include "site/store/store.h"

struct fm_analysis_window {
    int64_t from, until; /* days since 1970; `until` is the first that does not belong to it */
};

struct fm_analysis {
    struct fm_insight_list list;
    uint64_t jobs, programs, hosts; /* that were looked at; programs count once for each user */
};

/* Reads only; temporary tables of the connection are gone afterwards. Memory of the insights comes from `arena`; list.analysed is set by the caller. */
enum fm_status fm_analyse(struct fm_store *store, const struct fm_analysis_window *window, struct fm_arena *arena,
                          struct fm_analysis *analysis, struct fm_error *error);

#endif
