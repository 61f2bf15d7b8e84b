/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow hosts: from the roll-up, and what the jobs on them say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/history/change.h"
#include "base/writer.h"
#include "site/insights/candidates.h"
#include "site/insights/limits.h"
#include "site/insights/statistics.h"
#include "site/summary/scope.h"

enum { DAY_S = 86400, LEAST_JOBS_OF_PROGRAM = 3, MOST_CHANGES = 16 };

static enum fm_status no_memory(struct fm_error *error)
{
    fm_fail(error, FM_ERR_MEMORY, "not enough memory for the hosts of a site");
    return FM_ERR_MEMORY;
}

static enum fm_status read_sums(struct fm_query *query, struct fm_host_sums **hosts, size_t *n, struct fm_arena *arena,
                                struct fm_error *error)
{
    size_t capacity = 0;
    for (;;) {
        bool row;
        enum fm_status status = fm_query_next(query, &row, error);
        if (status || !row)
            return status;
        if (*n == capacity) {
            struct fm_host_sums *grown = fm_arena_grow(arena, *hosts, &capacity, *n + 1, sizeof *grown);
            if (!grown)
                return no_memory(error);
            *hosts = grown;
        }
        const char *name = fm_column_text(query, 0);
        struct fm_host_sums *host = &(*hosts)[(*n)++];
        *host = (struct fm_host_sums){fm_arena_strndup(arena, name, strlen(name)), fm_column_real(query, 1),
                                      fm_column_real(query, 2), fm_column_real(query, 3)};
        if (!host->host)
            return no_memory(error);
    }
}

static enum fm_status read_hosts(struct fm_host_sums **hosts, size_t *n, struct fm_db *db,
                                 const struct fm_analysis_window *window, struct fm_arena *arena,
                                 struct fm_error *error)
{
    const struct fm_scope scope = {.from = window->from, .until = window->until};
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    fm_write(&sql, "SELECT n.name, s.jobs, s.sums, s.squares FROM (SELECT host_id, SUM(slowness_jobs) AS jobs, "
                   "SUM(slowness_ppm) / 1e6 AS sums, SUM(slowness_squares_ppm) / 1e6 AS squares FROM ");
    fm_scope_write(&sql, &scope, FM_ROLLUP_HOSTS);
    fm_write(&sql,
             " GROUP BY host_id HAVING SUM(slowness_jobs) > 0) s JOIN names n ON n.id = s.host_id ORDER BY n.name");
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    *n = 0;
    enum fm_status status = statement ? fm_query_open(&query, db, statement, error) : no_memory(error);
    if (!status) {
        fm_scope_bind(query, &scope, FM_ROLLUP_HOSTS);
        status = read_sums(query, hosts, n, arena, error);
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    return status;
}

/* ---- since when ---- */

/* The day from which on means of days are high, without a change back. */
static void find_beginning(const int64_t *days, const double *means, size_t n, double least,
                           struct fm_host_candidate *candidate)
{
    struct fm_change changes[MOST_CHANGES];
    size_t n_changes = fm_changes_find(means, n, FM_SLOW_HOST_LEAST / 2, changes, MOST_CHANGES);
    for (size_t i = n_changes; i-- > 0;)
        if (changes[i].after >= least && changes[i].before < least) {
            candidate->since = days[changes[i].at];
            candidate->always = false;
            return;
        }
}

static enum fm_status read_days(struct fm_host_candidate *candidate, struct fm_db *db,
                                const struct fm_analysis_window *window, struct fm_error *error)
{
    size_t room = (size_t)(window->until - window->from), n = 0;
    int64_t *days = calloc(room + 1, sizeof *days);
    double *means = calloc(room + 1, sizeof *means);
    struct fm_query *query = NULL;
    enum fm_status status = days && means ? FM_OK : no_memory(error);
    if (!status)
        status = fm_query_open(
            &query, db,
            "SELECT day, slowness_ppm / 1e6 / slowness_jobs FROM day_hosts WHERE day >= $1 AND day < $2 "
            "AND host_id = (SELECT id FROM names WHERE name = $3) AND slowness_jobs > 0 ORDER BY day",
            error);
    if (!status) {
        fm_query_whole(query, 1, window->from);
        fm_query_whole(query, 2, window->until);
        fm_query_text(query, 3, candidate->host);
    }
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (status || !row || n == room)
            break;
        days[n] = fm_column_whole(query, 0);
        means[n++] = fm_column_real(query, 1);
    }
    fm_query_close(query);
    candidate->since = window->from;
    candidate->always = true;
    if (!status)
        find_beginning(days, means, n, 1 + FM_SLOW_HOST_LEAST / 2, candidate);
    free(days);
    free(means);
    return status;
}

/* ---- its programs ---- */

static enum fm_status add_program(struct fm_host_candidate *candidate, size_t *capacity, const struct fm_query *query,
                                  struct fm_arena *arena, struct fm_error *error)
{
    if (candidate->n_programs == *capacity) {
        struct fm_host_program *grown = fm_arena_grow(arena, candidate->programs, capacity, candidate->n_programs + 1,
                                                      sizeof *grown);
        if (!grown)
            return no_memory(error);
        candidate->programs = grown;
    }
    const char *user = fm_column_text(query, 0), *program = fm_column_text(query, 1);
    struct fm_host_program *one = &candidate->programs[candidate->n_programs++];
    *one = (struct fm_host_program){fm_arena_strndup(arena, user, strlen(user)),
                                    fm_arena_strndup(arena, program, strlen(program)), fm_column_real(query, 2),
                                    fm_column_real(query, 3)};
    double cost = fm_column_real(query, 4);
    candidate->cost_s += cost > 0 ? cost : 0;
    return one->user && one->program ? FM_OK : no_memory(error);
}

static enum fm_status read_programs(struct fm_host_candidate *candidate, struct fm_db *db,
                                    const struct fm_analysis_window *window, struct fm_arena *arena,
                                    struct fm_error *error)
{
    struct fm_query *query;
    size_t capacity = 0;
    enum fm_status status = fm_query_open(
        &query, db,
        "SELECT j.user_name, j.program, COUNT(*) AS jobs, AVG(h.slowness), "
        "SUM(CASE WHEN h.slowness > 1 THEN j.weight * j.program_s * (h.slowness - 1) ELSE 0 END) "
        "FROM hosts h JOIN jobs j ON j.id = h.job AND j.started = h.started "
        "WHERE h.host = $1 AND h.slowness IS NOT NULL AND j.ended >= $2 AND j.ended < $3 "
        "GROUP BY j.user_name, j.program ORDER BY jobs DESC, j.user_name, j.program",
        error);
    if (status)
        return status;
    fm_query_text(query, 1, candidate->host);
    fm_query_whole(query, 2, window->from * DAY_S);
    fm_query_whole(query, 3, window->until * DAY_S);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (!status && row)
            status = add_program(candidate, &capacity, query, arena, error);
    }
    fm_query_close(query);
    return status;
}

/* A program whose ranks have different work, and that is always placed alike, is not the host's fault: half of the programs
 * must be slower there. */
static enum fm_status confirm(const struct fm_host_candidate *candidate, bool *confirmed, struct fm_error *error)
{
    double *means = calloc(candidate->n_programs + 1, sizeof *means);
    size_t n = 0;
    if (!means)
        return no_memory(error);
    for (size_t i = 0; i < candidate->n_programs; i++)
        if (candidate->programs[i].jobs >= LEAST_JOBS_OF_PROGRAM)
            means[n++] = candidate->programs[i].slowness;
    *confirmed = n >= FM_SLOW_HOST_PROGRAMS && fm_median(means, n) >= 1 + FM_SLOW_HOST_LEAST / 2;
    free(means);
    return FM_OK;
}

/* ---- all ---- */

static enum fm_status look_at(struct fm_host_candidate *candidate, bool *confirmed, struct fm_db *db,
                              const struct fm_analysis_window *window, struct fm_arena *arena, struct fm_error *error)
{
    enum fm_status status = read_programs(candidate, db, window, arena, error);
    if (!status)
        status = confirm(candidate, confirmed, error);
    if (!status && *confirmed)
        status = read_days(candidate, db, window, error);
    return status;
}

enum fm_status fm_host_candidates_read(struct fm_host_candidate **found, size_t *n, uint64_t *hosts, struct fm_db *db,
                                       const struct fm_analysis_window *window, struct fm_arena *arena,
                                       struct fm_error *error)
{
    struct fm_host_sums *sums = NULL;
    size_t n_sums = 0, n_slow = 0, tested = 0;
    *n = *hosts = 0;
    enum fm_status status = read_hosts(&sums, &n_sums, db, window, arena, error);
    if (status || !sums)
        return status;
    struct fm_slow_host *slow = fm_arena_alloc(arena, n_sums * sizeof *slow);
    if (!slow)
        return no_memory(error);
    status = fm_slow_hosts_find(sums, n_sums, slow, &n_slow, &tested, error);
    if (!status && !(*found = fm_arena_alloc(arena, n_slow * sizeof **found)))
        status = no_memory(error);
    *hosts = tested;
    for (size_t i = 0; i < n_slow && !status; i++) {
        bool confirmed = false;
        if (slow[i].chance * (double)tested >= FM_INSIGHT_CHANCE)
            continue;
        slow[i].chance *= (double)tested;
        struct fm_host_candidate *one = &(*found)[*n];
        *one = (struct fm_host_candidate){
            .host = sums[slow[i].host].host, .slow = slow[i], .jobs = sums[slow[i].host].jobs};
        status = look_at(one, &confirmed, db, window, arena, error);
        *n += confirmed;
    }
    return status;
}
