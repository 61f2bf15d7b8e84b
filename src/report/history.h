/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeated runs of programs: how their time, their efficiency and their findings developed, and since when something is
 * slower. Runs of the same program on the same number of ranks are one history. Strings are copied: a profile may be
 * destroyed after it was added. Not thread-safe. */
#ifndef FM_REPORT_HISTORY_H
#define FM_REPORT_HISTORY_H

#include <stdio.h>

#include "report/report.h"

struct fm_history_finding {
    const char *rule, *text;
    double share; /* of the time */
};

/* One number of a run: seconds per rank, or a factor. */
enum fm_history_kind {
    FM_HISTORY_RUN,
    FM_HISTORY_FACTOR,
    FM_HISTORY_REGION,
    FM_HISTORY_TIMER,
    FM_HISTORY_ROUTINE,
};
struct fm_history_value {
    enum fm_history_kind kind;
    const char *name;
    double value;
};

struct fm_history_run {
    const char *id, *file, *program, *job, *build_id, *commit; /* commit: "" if unknown */
    uint32_t ranks;
    uint64_t started_ns; /* since 1970; 0: unknown */
    bool complete, lacks_cores;
    struct fm_history_value *values; /* by kind and name */
    size_t n_values, values_capacity;
    struct fm_history_finding *findings;
    size_t n_findings;
};

struct fm_history {
    struct fm_arena arena;
    struct fm_history_run *runs;
    size_t n, capacity;
};

int fm_history_compare(const void *a, const void *b); /* of values: by kind and name */

/* id: how pages refer to the profile, or NULL. symbols may be NULL. */
enum fm_status fm_history_add(struct fm_history *history, const char *id, const char *file,
                              const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_error *error);
/* Sorts the runs; doc/JSON.md describes the document. */
enum fm_status fm_history_json(struct fm_history *history, FILE *out, struct fm_error *error);
void fm_history_close(struct fm_history *history);

#endif
