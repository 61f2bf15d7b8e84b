/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference values: where a figure stands among those of the site's users, or among those of runs of the same program.
 *
 *   users  each user's value over the interval, from roll-ups: sums over sums, so that large jobs count for more. Every user
 *          counts once.
 *   runs   the latest runs of a program at the site in the interval (FM_REFERENCE_RUNS), whoever ran it. Every run counts
 *          with its weight.
 *
 * The sums of all users are read when it is opened, in one pass; asking for a user is a search in memory. The runs of a
 * program are read when it is first asked for, and kept (FM_REFERENCE_PROGRAMS of them). One thread at a time. */
#ifndef FM_SITE_INSIGHTS_REFERENCES_H
#define FM_SITE_INSIGHTS_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/json.h"
#include "site/record/record.h"
#include "site/store/engine.h"

enum {
    FM_REFERENCE_RUNS = 2000,
    FM_REFERENCE_PROGRAMS = 2000,
    FM_REFERENCE_LEAST_OTHERS = 3, /* among fewer users, least and most would tell the figures of one of them */
};

enum fm_reference_figure {
    FM_REFERENCE_MPI,          /* fraction of the CPU time */
    FM_REFERENCE_PARALLEL,     /* parallel efficiency, fraction */
    FM_REFERENCE_INSTRUCTIONS, /* per second outside MPI, of a rank; as the next two */
    FM_REFERENCE_FP,
    FM_REFERENCE_L2_MISSES,
    FM_REFERENCE_FIGURES
};
struct fm_reference_kind {
    const char *key;  /* as in the API: "mpi_fraction" */
    const char *name; /* for people: "share of MPI" */
    bool high_is_better, fraction;
};
extern const struct fm_reference_kind fm_reference_kinds[FM_REFERENCE_FIGURES];

/* NAN is unknown; without values to compare with (n is 0) everything but `value` is. */
struct fm_reference {
    double value;
    size_t n, of;  /* users or runs whose figure is known, of so many */
    size_t others; /* users behind these n, without the one who asks */
    double min, p25, median, p75, max, avg;
    double percentile; /* 0 to 100: how much of them is below the value, half of what is equal included */
};

struct fm_references;

/* Days since 1970; `until` is the first that does not belong to the interval. */
enum fm_status fm_references_open(struct fm_references **references, struct fm_db *db, int64_t from, int64_t until,
                                  struct fm_error *error);
void fm_references_close(struct fm_references *references); /* may be NULL */

/* Whether it tells the figures of so few other users that the one who asks must not see it, unless of the staff. */
bool fm_reference_is_private(const struct fm_reference *reference);
/* Leaves the value, and how many there are. */
void fm_reference_hide(struct fm_reference *reference);

/* The figures of a user, who asks, among those of all users. False if the user has no jobs: all values are unknown then. */
bool fm_references_user(const struct fm_references *references, const char *user,
                        struct fm_reference found[FM_REFERENCE_FIGURES]);
/* The figures of a user's jobs of a program, who asks, among those of all runs of it. */
enum fm_status fm_references_program(struct fm_references *references, const char *user, const char *program,
                                     struct fm_reference found[FM_REFERENCE_FIGURES], struct fm_error *error);

/* Any values, such as those of a job: among users, and among runs of a program. `asker` may be NULL. */
void fm_references_among_users(const struct fm_references *references, const char *asker,
                               const double values[FM_REFERENCE_FIGURES],
                               struct fm_reference found[FM_REFERENCE_FIGURES]);
enum fm_status fm_references_among_runs(struct fm_references *references, const char *program, const char *asker,
                                        const double values[FM_REFERENCE_FIGURES],
                                        struct fm_reference found[FM_REFERENCE_FIGURES], struct fm_error *error);
/* The figures of a job; NAN if unknown. */
void fm_reference_values_of_job(const struct fm_record *record, double values[FM_REFERENCE_FIGURES]);

/* {"value", "n", "of", "others", "min", "p25", "median", "p75", "max", "avg", "percentile"}; the value only if `with_value`. */
void fm_reference_json(struct fm_json *json, const char *key, const struct fm_reference *reference, bool with_value);

/* ---- pure functions ---- */

struct fm_weighted {
    double value, weight;
};
/* Sorts the values, which are known and have weights above 0. */
void fm_weighted_sort(struct fm_weighted *values, size_t n);
/* Of sorted values: their number and what describes them, and the place of `value` among them. A quantile is the least
 * value that has at least this share of the weight up to it. */
struct fm_reference fm_weighted_reference(const struct fm_weighted *sorted, size_t n, double value);

#endif
