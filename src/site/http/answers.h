/* SPDX-License-Identifier: BSD-3-Clause */
/* The answers of a site's server, one function per address. Each is called by a worker with a connection of its own, and writes
 * a document. What a viewer may see is decided in one place, fm_site_scope_of: everything below takes its names from there,
 * and puts them into the statements. */
#ifndef FM_SITE_HTTP_ANSWERS_H
#define FM_SITE_HTTP_ANSWERS_H

#include "render/json.h"
#include "site/http/state.h"
#include "site/insights/references.h"

/* What an answer is about. For whoever is not among the staff it is as if the database had no other jobs than theirs. */
struct fm_site_scope {
    const char *owner; /* whose jobs may be seen at all; NULL: all */
    const char *user;  /* who was asked for, or the owner; NULL: all */
    bool nothing;      /* asked for somebody whose jobs may not be seen: as if there were none */
};
struct fm_site_scope fm_site_scope_of(const struct fm_site_request *request);

struct fm_site_answering {
    struct fm_site_server *server;
    const struct fm_site_request *request;
    struct fm_site_scope scope;
    struct fm_store *store;
    struct fm_db *db;
    FILE *out;
    struct fm_arena arena;
    /* if it is not 200: status of HTTP, and why */
    unsigned code;
    const char *sentence;
};

/* Not found, or wrong: the answer ends with that. Always FM_OK. */
enum fm_status fm_site_refuse(struct fm_site_answering *answering, unsigned code, const char *sentence);
#define FM_SITE_NOT_FOUND \
    "there is nothing at this address" /* whatever it is that is not there, or not for the viewer */

enum fm_status fm_site_answer_me(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_jobs(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_job(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_tag(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_summary(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_load(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_insights(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_program(struct fm_site_answering *answering, struct fm_error *error);
enum fm_status fm_site_answer_metrics(struct fm_site_answering *answering, struct fm_error *error);

/* ---- shared by answers ---- */

/* "16405, 16436": the months that have jobs, for day IN (...) of a roll-up by month, which is then sought with what else is
 * asked for. In the arena of the answer. */
enum fm_status fm_site_months(struct fm_site_answering *answering, const char **list, struct fm_error *error);
/* "2026-11-18" of days since 1970. */
const char *fm_site_day_text(int64_t day, char text[16]);
void fm_site_json_day(struct fm_json *json, const char *key, int64_t day);
/* The members of a job as in the list. */
enum fm_status fm_site_write_job(struct fm_site_answering *answering, struct fm_json *json,
                                 const struct fm_site_job *job, struct fm_error *error);
void fm_site_text_or_null(struct fm_json *json, const char *key, const char *text);
/* Among fewer than five users or runs, least and most would be those of somebody: only the staff see them. */
void fm_site_hide_few(const struct fm_site_answering *answering, struct fm_reference *references);
/* The days that `from` and `to` ask for; without them the last `usual` days. False if they are wrong, with the answer. */
bool fm_site_days(struct fm_site_answering *answering, int64_t usual, int64_t *from, int64_t *until);

#endif
