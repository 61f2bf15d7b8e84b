/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole report as one JSON document: the contract of doc/JSON.md, version FM_JSON_VERSION. Keys may be added at any
 * time; the version increases if a key is removed or changes its meaning. */
#ifndef FM_REPORT_REPORT_JSON_H
#define FM_REPORT_REPORT_JSON_H

#include "report/views.h"

enum { FM_JSON_VERSION = 1 };

enum fm_status fm_report_json(struct fm_report *report, FILE *out, struct fm_error *error);

#endif
