/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TURNS_AHEAD = 100 };
#define LONGEST_INTERVAL_US 86400e6
#define LONGEST_AHEAD_US 600e6

/* ---- writing: each in a transaction of its own ---- */

static enum fm_status finish(struct fm_db *db, enum fm_status status, struct fm_error *error)
{
    if (!status)
        status = fm_db_commit(db, error);
    if (status)
        fm_db_rollback(db);
    return status;
}

enum fm_status fm_mail_claim(struct fm_db *db, const char *period, const char *user, int64_t now, int64_t retry_before,
                             bool *claimed, struct fm_error *error)
{
    struct fm_query *query = NULL;
    *claimed = false;
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = fm_query_open(&query, db,
                           "INSERT INTO mails (user_name, period, state, at) VALUES ($1, $2, '" FM_MAIL_SENDING
                           "', $3) ON CONFLICT (period, user_name) DO UPDATE SET state = '" FM_MAIL_SENDING
                           "', at = $3 WHERE mails.state = '" FM_MAIL_FAILED "' OR (mails.state = '" FM_MAIL_SENDING
                           "' AND mails.at < $4) RETURNING at",
                           error);
    if (!status) {
        fm_query_text(query, 1, user);
        fm_query_text(query, 2, period);
        fm_query_whole(query, 3, now);
        fm_query_whole(query, 4, retry_before);
        status = fm_query_next(query, claimed, error);
    }
    fm_query_close(query);
    status = finish(db, status, error);
    *claimed = *claimed && !status;
    return status;
}

enum fm_status fm_mail_settle(struct fm_db *db, const char *period, const char *user, bool sent, int64_t now,
                              struct fm_error *error)
{
    struct fm_query *query = NULL;
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = fm_query_open(&query, db, "UPDATE mails SET state = $1, at = $2 WHERE period = $3 AND user_name = $4",
                           error);
    if (!status) {
        fm_query_text(query, 1, sent ? FM_MAIL_SENT : FM_MAIL_FAILED);
        fm_query_whole(query, 2, now);
        fm_query_text(query, 3, period);
        fm_query_text(query, 4, user);
        status = fm_query_run(query, error);
    }
    fm_query_close(query);
    return finish(db, status, error);
}

/* One statement, so that of two runs each gets a turn of its own. A turn that is very far away was taken when a clock was wrong. */
static const char next_turn[] =
    "INSERT INTO fathom (name, value) VALUES ('next_mail', $1) ON CONFLICT (name) DO UPDATE SET value ="
    " CASE WHEN CAST(fathom.value AS BIGINT) BETWEEN $2 AND $3 THEN CAST(CAST(fathom.value AS BIGINT) + $4 AS TEXT)"
    " ELSE $1 END RETURNING value";

enum fm_status fm_mail_turn(struct fm_db *db, double per_minute, int64_t now_us, int64_t *start_us,
                            struct fm_error *error)
{
    struct fm_query *query = NULL;
    bool row;
    char first[24];
    *start_us = now_us;
    if (!(per_minute > 0))
        return FM_OK;
    int64_t interval_us = (int64_t)fmin(60e6 / per_minute, LONGEST_INTERVAL_US);
    int64_t ahead_us = (int64_t)fmax(fmin(MOST_TURNS_AHEAD * (double)interval_us, LONGEST_AHEAD_US),
                                     2 * (double)interval_us);
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = fm_query_open(&query, db, next_turn, error);
    if (!status) {
        snprintf(first, sizeof first, "%" PRId64, now_us + interval_us);
        fm_query_text(query, 1, first);
        fm_query_whole(query, 2, now_us);
        fm_query_whole(query, 3, now_us + ahead_us);
        fm_query_whole(query, 4, interval_us);
        status = fm_query_next(query, &row, error);
    }
    if (!status)
        *start_us = strtoll(fm_column_text(query, 0), NULL, 10) - interval_us;
    fm_query_close(query);
    return finish(db, status, error);
}

enum fm_status fm_mail_refuse(struct fm_db *db, const char *user, bool refuse, int64_t now, struct fm_error *error)
{
    struct fm_query *query = NULL;
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = fm_query_open(&query, db,
                           refuse ? "INSERT INTO mail_refusals (user_name, at) VALUES ($1, $2) "
                                    "ON CONFLICT (user_name) DO NOTHING"
                                  : "DELETE FROM mail_refusals WHERE user_name = $1",
                           error);
    if (!status) {
        fm_query_text(query, 1, user);
        if (refuse)
            fm_query_whole(query, 2, now);
        status = fm_query_run(query, error);
    }
    fm_query_close(query);
    return finish(db, status, error);
}

/* ---- reading ---- */

static int by_user(const void *a, const void *b)
{
    return strcmp(((const struct fm_mail_state *)a)->user, ((const struct fm_mail_state *)b)->user);
}

static enum fm_status read_rows(struct fm_query *query, struct fm_arena *arena, struct fm_mail_states *states,
                                struct fm_error *error)
{
    size_t capacity = 0;
    for (;;) {
        bool row;
        enum fm_status status = fm_query_next(query, &row, error);
        if (status || !row)
            return status;
        if (states->n == capacity) {
            struct fm_mail_state *grown = fm_arena_grow(arena, states->items, &capacity, states->n + 1, sizeof *grown);
            if (!grown)
                return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the states of mails");
            states->items = grown;
        }
        const char *user = fm_column_text(query, 0), *state = fm_column_text(query, 1);
        struct fm_mail_state *item = &states->items[states->n++];
        item->user = fm_arena_strndup(arena, user, strlen(user));
        item->state = fm_arena_strndup(arena, state, strlen(state));
        item->at = fm_column_whole(query, 2);
        if (!item->user || !item->state)
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the states of mails");
    }
}

static enum fm_status read_states(struct fm_db *db, const char *sql, const char *period, struct fm_arena *arena,
                                  struct fm_mail_states *states, struct fm_error *error)
{
    struct fm_query *query = NULL;
    *states = (struct fm_mail_states){0};
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (!status) {
        if (period)
            fm_query_text(query, 1, period);
        status = read_rows(query, arena, states, error);
    }
    fm_query_close(query);
    if (states->n)
        qsort(states->items, states->n, sizeof *states->items, by_user);
    return status;
}

enum fm_status fm_mail_states_read(struct fm_db *db, const char *period, struct fm_arena *arena,
                                   struct fm_mail_states *states, struct fm_error *error)
{
    return read_states(db, "SELECT user_name, state, at FROM mails WHERE period = $1", period, arena, states, error);
}

enum fm_status fm_mail_refusals_read(struct fm_db *db, struct fm_arena *arena, struct fm_mail_states *refusals,
                                     struct fm_error *error)
{
    return read_states(db, "SELECT user_name, '', at FROM mail_refusals", NULL, arena, refusals, error);
}

const struct fm_mail_state *fm_mail_state_of(const struct fm_mail_states *states, const char *user)
{
    const struct fm_mail_state key = {.user = user};
    return states->n ? bsearch(&key, states->items, states->n, sizeof key, by_user) : NULL;
}
