/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the record of a job from its profile. The numbers are those of `fathom report --format json`. */
#ifndef FM_SITE_MAKE_MAKE_H
#define FM_SITE_MAKE_MAKE_H

#include "report/report.h"
#include "site/make/rules.h"
#include "site/record/record.h"

/* `report` has the profile and, for lines of source, symbols; weight: see fm_record_wanted. On success the record must be
 * destroyed; it does not refer to the report. */
enum fm_status fm_record_make(struct fm_record *record, struct fm_report *report, const struct fm_record_rules *rules,
                              double weight, struct fm_error *error);

#endif
