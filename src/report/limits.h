/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits that a run has to keep, for `fathom check`: what can be limited is one table, fm_limit_kinds, from which the help
 * and the error messages are made.
 *
 * A value with an uncertainty breaks its limit only if it does so beyond that: samples have a statistical error, and the
 * times of repeated runs differ. A value that is unknown does not keep its limit. */
#ifndef FM_REPORT_LIMITS_H
#define FM_REPORT_LIMITS_H

#include "report/report_efficiency.h"

/* A run and those it is compared with. */
struct fm_checked {
    struct fm_report *report;
    struct fm_report_efficiency efficiency;
    const struct fm_profile *const *against;
    const char *const *against_files;
    size_t n_against;
};

struct fm_limit_value {
    double value, error; /* error: half the width of the 95 % interval; 0 if measured */
    const char *unknown; /* why it is unknown; NULL: it is known */
};

enum fm_limit_unit { FM_LIMIT_FRACTION, FM_LIMIT_SECONDS, FM_LIMIT_BYTES, FM_LIMIT_CHANGE, FM_LIMIT_NUMBER };

struct fm_limit_kind {
    const char *name;
    const char *meaning; /* "parallel efficiency" */
    enum fm_limit_unit unit;
    bool least;   /* the value has to be at least the limit, not at most */
    bool against; /* needs runs to compare with */
    struct fm_limit_value (*find)(const struct fm_checked *checked);
};
extern const struct fm_limit_kind fm_limit_kinds[]; /* ends with name NULL */

struct fm_limit {
    const struct fm_limit_kind *kind;
    double limit;
    const char *text; /* as the user wrote it: "parallel=0.8" */
};

/* Parses "parallel=0.8", "wall=2min", "memory=4GiB", "slower=5%". Usage errors name what can be given. */
enum fm_status fm_limit_parse(const char *text, struct fm_limit *limit, struct fm_error *error);

struct fm_limit_result {
    bool holds;
    const char
        *text; /* if it holds: "parallel 91.2 %"; if not: "parallel: parallel efficiency 62.1 %, below the limit of
                         80.0 %" */
};
struct fm_limit_result fm_limit_check(const struct fm_limit *limit, const struct fm_checked *checked);

#endif
