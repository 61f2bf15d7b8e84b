/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags that somebody gave to a job by hand. They belong to the job: a record that takes another one's place keeps them, and
 * they go with the job. */
#ifndef FM_SITE_STORE_TAGS_H
#define FM_SITE_STORE_TAGS_H

#include "base/arena.h"
#include "site/store/engine.h"

enum { FM_TAG_BYTES = 40, FM_TAGS_OF_JOB = 20 };

/* 1 to FM_TAG_BYTES bytes of UTF-8 that can be shown, without blanks at its ends. */
bool fm_tag_is_valid(const char *tag);

/* The tags of a job, in order. Memory comes from the arena. */
enum fm_status fm_tags_of(struct fm_db *db, int64_t job, struct fm_arena *arena, const char **tags, size_t *n,
                          struct fm_error *error);

/* What became of it. */
enum fm_tagging { FM_TAGGED, FM_TAG_NO_JOB, FM_TAG_TOO_MANY };
/* Gives the tag to the job, or takes it away; nothing changes if it has the tag already, or has not. owner: whose job it must
 * be; NULL: anybody's. user: who does it. A transaction of its own. */
enum fm_status fm_tag_set(struct fm_db *db, int64_t job, const char *owner, const char *tag, const char *user,
                          enum fm_tagging *became, struct fm_error *error);
enum fm_status fm_tag_remove(struct fm_db *db, int64_t job, const char *owner, const char *tag, enum fm_tagging *became,
                             struct fm_error *error);

#endif
