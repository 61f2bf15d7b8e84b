/* SPDX-License-Identifier: BSD-3-Clause */
/* What may become an insight. Private to analyse*.c. */
#ifndef FM_SITE_INSIGHTS_CANDIDATES_H
#define FM_SITE_INSIGHTS_CANDIDATES_H

#include "site/insights/analyse.h"
#include "site/insights/details.h"
#include "site/insights/scaling.h"
#include "site/insights/slow_hosts.h"
#include "site/insights/slower.h"

struct fm_program_candidate {
    const char *user, *program;
    bool is_slower; /* otherwise it stops scaling */
    struct fm_slower slower;
    struct fm_scaling_limit scaling;
};

struct fm_candidates {
    struct fm_arena arena;
    struct fm_program_candidate **programs;
    size_t n_programs, capacity;
    uint64_t jobs, n_all, tested_slower, tested_scaling; /* jobs; programs */
};

/* Reads the jobs of the window. To be destroyed by fm_arena_destroy, in any case. */
enum fm_status fm_candidates_read(struct fm_candidates *candidates, struct fm_db *db,
                                  const struct fm_analysis_window *window, struct fm_error *error);

/* A host, with what its jobs say. */
struct fm_host_program {
    const char *user, *program;
    double jobs, slowness;
};
struct fm_host_candidate {
    const char *host;
    struct fm_slow_host slow;
    double jobs;
    int64_t since; /* day; that of the window's beginning if it was always slow */
    bool always;   /* within the window */
    double cost_s;
    struct fm_host_program *programs; /* most jobs first */
    size_t n_programs;
};

/* The slow hosts that are certain. */
enum fm_status fm_host_candidates_read(struct fm_host_candidate **found, size_t *n, uint64_t *hosts, struct fm_db *db,
                                       const struct fm_analysis_window *window, struct fm_arena *arena,
                                       struct fm_error *error);

/* Sentences and documents. Texts come from the arena; false if it has no memory. `certainty` is that of the insight. */
bool fm_insight_of_slower(const struct fm_program_candidate *candidate, const struct fm_details *details,
                          double certainty, struct fm_arena *arena, struct fm_insight *insight);
bool fm_insight_of_scaling(const struct fm_program_candidate *candidate, const struct fm_details *details,
                           double certainty, int64_t day, struct fm_arena *arena, struct fm_insight *insight);
bool fm_insight_of_host(const struct fm_host_candidate *candidate, double certainty, struct fm_arena *arena,
                        struct fm_insight *insight);

#endif
