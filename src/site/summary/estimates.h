/* SPDX-License-Identifier: BSD-3-Clause */
/* The time in MPI of a summary split into latency, transfer and synchronisation by a calibration
 * (site/calibration/estimate.h): columns 9 to 13 of the seed's weekly summary.
 *
 * Roll-ups have sums by class of ranks, so each class is estimated like one job with its mean number of ranks. How many
 * hosts jobs had is asked of the latest FM_ESTIMATED_JOBS jobs, and only if the calibration tells hosts apart. */
#ifndef FM_SITE_SUMMARY_ESTIMATES_H
#define FM_SITE_SUMMARY_ESTIMATES_H

#include "site/calibration/calibration.h"
#include "site/summary/sheet.h"

enum { FM_ESTIMATED_JOBS = 20000 };
#define FM_ESTIMATES_KEY "estimates"
#define FM_ESTIMATE_GROUPS_KEY "estimate_groups"

/* Fills two tables, by routine and by group of routines, and the estimated parts of the totals. */
enum fm_status fm_estimates_fill(struct fm_sheet *routines, struct fm_sheet *groups, struct fm_totals *totals,
                                 struct fm_db *db, const struct fm_scope *scope,
                                 const struct fm_calibration *calibration, struct fm_arena *arena,
                                 struct fm_error *error);

/* The same table for the routines of one job; `groups` may be NULL. */
struct fm_estimated_routine {
    const char *name;
    double calls, time_s, bytes, comm_calls; /* bytes and comm_calls: 0 is unknown */
};
enum fm_status fm_estimates_of_job(struct fm_sheet *sheet, const struct fm_estimated_routine *routines, size_t n,
                                   double ranks, double hosts, const struct fm_calibration *calibration,
                                   struct fm_arena *arena, struct fm_error *error);

#endif
