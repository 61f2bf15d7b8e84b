/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiency of the run of a report, with the factor of threads, for the view, JSON and `fathom check`. */
#ifndef FM_REPORT_REPORT_EFFICIENCY_H
#define FM_REPORT_REPORT_EFFICIENCY_H

#include "analyse/efficiency/efficiency.h"
#include "analyse/efficiency/thread_use.h"
#include "report/views.h"

struct fm_report_efficiency {
    struct fm_efficiency of;
    struct fm_thread_use threads; /* always of the whole run */
    bool calibrated;              /* the estimates are from a calibration of the machine */
};

/* According to the option from_first. */
enum fm_status fm_report_efficiency(struct fm_report *report, struct fm_report_efficiency *efficiency,
                                    struct fm_error *error);
/* Both factors of a hybrid program; that of MPI alone if the other is unknown. */
double fm_hybrid_efficiency(const struct fm_report_efficiency *efficiency);

#endif
