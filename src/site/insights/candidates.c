/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the jobs of a window and looks at each program. */
#include "site/insights/candidates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "site/insights/limits.h"

enum { DAY_S = 86400 };

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the analysis");
}

/* The program whose runs are being read. */
struct current {
    char user[FM_RECORD_TEXT + 1], program[FM_RECORD_TEXT + 1];
    struct fm_runs runs;
};

static struct fm_program_candidate *add(struct fm_candidates *candidates, const struct current *current)
{
    struct fm_arena *arena = &candidates->arena;
    if (candidates->n_programs == candidates->capacity) {
        struct fm_program_candidate **grown = fm_arena_grow(arena, candidates->programs, &candidates->capacity,
                                                            candidates->n_programs + 1, sizeof(void *));
        if (!grown)
            return NULL;
        candidates->programs = grown;
    }
    struct fm_program_candidate *one = fm_arena_alloc(arena, sizeof *one);
    if (!one)
        return NULL;
    one->user = fm_arena_strndup(arena, current->user, strlen(current->user));
    one->program = fm_arena_strndup(arena, current->program, strlen(current->program));
    if (!one->user || !one->program)
        return NULL;
    candidates->programs[candidates->n_programs++] = one;
    return one;
}

/* What is not certain enough among the programs so far will not be among all of them. */
static bool may_be_certain(double chance, uint64_t tested)
{
    return chance * (double)tested < FM_INSIGHT_CHANCE;
}

static enum fm_status look_at(struct fm_candidates *candidates, const struct current *current, struct fm_error *error)
{
    bool tested, found;
    struct fm_slower slower;
    struct fm_scaling_limit scaling;
    struct fm_program_candidate *one;
    candidates->n_all++;
    enum fm_status status = fm_slower_find(current->runs.runs, current->runs.n, &tested, &found, &slower, error);
    if (status)
        return status;
    candidates->tested_slower += tested;
    if (found && may_be_certain(slower.chance, candidates->tested_slower)) {
        if (!(one = add(candidates, current)))
            return no_memory(error);
        one->is_slower = true;
        one->slower = slower;
    }
    status = fm_scaling_find(current->runs.runs, current->runs.n, &tested, &found, &scaling, error);
    if (status)
        return status;
    candidates->tested_scaling += tested;
    if (found && may_be_certain(scaling.chance, candidates->tested_scaling)) {
        if (!(one = add(candidates, current)))
            return no_memory(error);
        one->scaling = scaling;
    }
    return FM_OK;
}

static enum fm_status next_program(struct fm_candidates *candidates, struct current *current, const char *user,
                                   const char *program, struct fm_error *error)
{
    enum fm_status status = current->runs.n ? look_at(candidates, current, error) : FM_OK;
    fm_runs_clear(&current->runs);
    snprintf(current->user, sizeof current->user, "%s", user);
    snprintf(current->program, sizeof current->program, "%s", program);
    return status;
}

static enum fm_status add_run(struct fm_candidates *candidates, struct current *current, const struct fm_query *query,
                              struct fm_error *error)
{
    const char *user = fm_column_text(query, 0), *program = fm_column_text(query, 1),
               *command = fm_column_text(query, 2);
    enum fm_status status = FM_OK;
    if (strncmp(user, current->user, FM_RECORD_TEXT) != 0 || strncmp(program, current->program, FM_RECORD_TEXT) != 0)
        status = next_program(candidates, current, user, program, error);
    if (status)
        return status;
    const struct fm_run run = {
        .command = fm_crc32c(command, strlen(command)),
        .id = fm_column_whole(query, 3),
        .ended = fm_column_whole(query, 4),
        .weight = fm_column_real(query, 5),
        .cpu_s = fm_column_real(query, 6),
        .wall_s = fm_column_real(query, 7),
        .program_s = fm_column_real(query, 8),
        .mpi_s = fm_column_real(query, 9),
        .io_s = fm_column_real(query, 10),
        .ranks = fm_column_whole(query, 11),
    };
    candidates->jobs++;
    return fm_runs_add(&current->runs, &run) ? FM_OK : no_memory(error);
}

enum fm_status fm_candidates_read(struct fm_candidates *candidates, struct fm_db *db,
                                  const struct fm_analysis_window *window, struct fm_error *error)
{
    /* Jobs that were killed took any time. SQLite is told not to read job by job in the order of an index. */
    static const char columns[] =
        "SELECT user_name, program, command, id, ended, weight, cpu_s, wall_s, program_s, mpi_s, "
        "io_s, ranks FROM jobs WHERE ended >= $1 AND ended < $2 AND COALESCE(complete, 1) = 1 "
        "AND cpu_s > 0 AND wall_s > 0 AND ranks > 0";
    char sql[512];
    snprintf(sql, sizeof sql, "%s ORDER BY %suser_name, program, ended, id", columns,
             fm_db_kind(db) == FM_DB_SQLITE ? "+" : "");
    struct current current = {0};
    struct fm_query *query;
    *candidates = (struct fm_candidates){0};
    /* Millions of jobs are sorted in a file; otherwise SQLite does it in memory. */
    enum fm_status status = fm_db_kind(db) == FM_DB_SQLITE ? fm_db_run(db, "PRAGMA temp_store = FILE", error) : FM_OK;
    if (!status)
        status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_stream(query);
    fm_query_whole(query, 1, window->from * DAY_S);
    fm_query_whole(query, 2, window->until * DAY_S);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (!status && row)
            status = add_run(candidates, &current, query, error);
    }
    if (!status)
        status = next_program(candidates, &current, "", "", error);
    fm_query_close(query);
    fm_runs_destroy(&current.runs);
    return status;
}
