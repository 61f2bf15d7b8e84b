/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/tags.h"

#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "site/store/schema_tables.h"

bool fm_tag_is_valid(const char *tag)
{
    size_t length = strlen(tag);
    if (!length || length > FM_TAG_BYTES || *tag == ' ' || tag[length - 1] == ' ')
        return false;
    for (const char *at = tag; *at;) {
        const char *start = at;
        uint32_t code = fm_utf8_next(&at);
        if (code == FM_UTF8_DAMAGED || fm_utf8_unprintable(code, (size_t)(at - start)))
            return false;
    }
    return true;
}

enum fm_status fm_tags_of(struct fm_db *db, int64_t job, struct fm_arena *arena, const char **tags, size_t *n,
                          struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    *n = 0;
    enum fm_status status = fm_query_open(&query, db, "SELECT tag FROM tags WHERE job = $1 ORDER BY tag LIMIT 20",
                                          error);
    if (status)
        return status;
    fm_query_whole(query, 1, job);
    while (!(status = fm_query_next(query, &row, error)) && row && *n < FM_TAGS_OF_JOB) {
        const char *tag = fm_column_text(query, 0);
        tags[*n] = fm_arena_strndup(arena, tag, strlen(tag));
        if (!tags[(*n)++]) {
            status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the tags of a job");
            break;
        }
    }
    fm_query_close(query);
    return status;
}

/* A statement whose first row has one number; -1 if there is none. text NULL: one parameter. */
static enum fm_status number_of(struct fm_db *db, const char *sql, int64_t job, const char *text, int64_t *number,
                                struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_whole(query, 1, job);
    if (text)
        fm_query_text(query, 2, text);
    status = fm_query_next(query, &row, error);
    *number = !status && row ? fm_column_whole(query, 0) : -1;
    fm_query_close(query);
    return status;
}

static enum fm_status begin(struct fm_db *db, int64_t job, const char *owner, enum fm_tagging *became,
                            struct fm_error *error)
{
    int64_t jobs = 0;
    enum fm_status status = fm_db_begin(db, error);
    /* as everybody who writes: otherwise the job could be deleted meanwhile */
    if (!status && fm_db_kind(db) == FM_DB_POSTGRES)
        status = fm_db_run(db, "SELECT pg_advisory_xact_lock(" FM_STORE_LOCK ")", error);
    if (!status)
        status = number_of(db,
                           owner ? "SELECT COUNT(*) FROM jobs WHERE id = $1 AND user_name = $2"
                                 : "SELECT COUNT(*) FROM jobs WHERE id = $1",
                           job, owner, &jobs, error);
    *became = jobs > 0 ? FM_TAGGED : FM_TAG_NO_JOB;
    return status;
}

static enum fm_status end(struct fm_db *db, enum fm_status status, struct fm_error *error)
{
    if (!status)
        return fm_db_commit(db, error);
    fm_db_rollback(db);
    return status;
}

static enum fm_status insert(struct fm_db *db, int64_t job, const char *tag, const char *user, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(
        &query, db,
        "INSERT INTO tags (job, tag, user_name, at) VALUES ($1, $2, $3, $4) ON CONFLICT (job, tag) DO NOTHING", error);
    if (status)
        return status;
    fm_query_whole(query, 1, job);
    fm_query_text(query, 2, tag);
    fm_query_text(query, 3, user);
    fm_query_whole(query, 4, (int64_t)time(NULL));
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

enum fm_status fm_tag_set(struct fm_db *db, int64_t job, const char *owner, const char *tag, const char *user,
                          enum fm_tagging *became, struct fm_error *error)
{
    int64_t others = 0;
    enum fm_status status = begin(db, job, owner, became, error);
    if (!status && *became == FM_TAGGED)
        status = number_of(db, "SELECT COUNT(*) FROM tags WHERE job = $1 AND tag <> $2", job, tag, &others, error);
    if (others >= FM_TAGS_OF_JOB)
        *became = FM_TAG_TOO_MANY;
    if (!status && *became == FM_TAGGED)
        status = insert(db, job, tag, user, error);
    return end(db, status, error);
}

enum fm_status fm_tag_remove(struct fm_db *db, int64_t job, const char *owner, const char *tag, enum fm_tagging *became,
                             struct fm_error *error)
{
    int64_t none;
    enum fm_status status = begin(db, job, owner, became, error);
    if (!status && *became == FM_TAGGED)
        status = number_of(db, "DELETE FROM tags WHERE job = $1 AND tag = $2", job, tag, &none, error);
    return end(db, status, error);
}
