/* SPDX-License-Identifier: BSD-3-Clause */
/* What a calibration of the machine tells about the MPI time of a report (site/calibration/estimate.h): for the view
 * mpi, for JSON, and for the efficiency. Without a calibration nothing is estimated and nothing printed. */
#ifndef FM_REPORT_REPORT_ESTIMATES_H
#define FM_REPORT_REPORT_ESTIMATES_H

#include "analyse/efficiency/efficiency.h"
#include "report/report.h"
#include "site/calibration/estimate.h"

struct fm_report_estimates {
    const struct fm_estimate *routines; /* of the routines of the summary, in their order; NULL without a calibration */
    /* Sums: of routines that were split, that exchange no data, and that the calibration does not have. */
    double latency_s, transfer_s, synchronisation_s, local_s, unknown_s;
};

enum fm_status fm_report_estimates(struct fm_report *report, struct fm_report_estimates *estimates,
                                   struct fm_error *error);
/* For struct fm_transfer_source; the context is the report. Routines that are not calibrated keep their floor. */
double fm_report_transfer(void *report, const struct fm_call_sums *sums, size_t n);

/* The table of the view mpi, with where it is from. */
enum fm_status fm_print_estimates(struct fm_report *report, size_t rows, FILE *out, struct fm_error *error);
/* The cells latency, transfer, synchronisation and flags. */
void fm_estimate_cells(struct fm_report *report, struct fm_table *table, const struct fm_estimate *estimate);
/* "Estimates from FILE: Open MPI 4.1.4 on node7, 2026-11-18." and what makes them doubtful. */
void fm_print_calibration(struct fm_report *report, FILE *out);

#endif
