/* SPDX-License-Identifier: BSD-3-Clause */
/* The question about successive reductions (analyse/balance/mergeable.h). */
#ifndef FM_REPORT_MERGEABLE_TEXT_H
#define FM_REPORT_MERGEABLE_TEXT_H

#include "report/report.h"

/* "The MPI_Allreduce at pcg.f90:118 and :121 (pcg) follow each other 48,000 times per rank, often within 2 us: 9.0 % of
 * the time. Can they be one?" About the costliest ones of a routine; "" if there are none. */
const char *fm_mergeable_question(struct fm_report *report, const char *routine);

#endif
