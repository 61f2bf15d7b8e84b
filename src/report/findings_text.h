/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings (analyse/findings/finding.h) in reports. */
#ifndef FM_REPORT_FINDINGS_TEXT_H
#define FM_REPORT_FINDINGS_TEXT_H

#include "report/report.h"

/* The costliest ones for the summary, one line each; nothing if there are none. */
enum fm_status fm_print_findings(struct fm_report *report, FILE *out, struct fm_error *error);
const char *fm_finding_share_text(struct fm_report *report, const struct fm_finding *finding); /* "12 %"; "": no cost */
/* Whether a finding of this rule is among them. */
bool fm_summary_has_finding(struct fm_report *report, const char *rule);

#endif
