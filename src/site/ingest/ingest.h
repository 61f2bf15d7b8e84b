/* SPDX-License-Identifier: BSD-3-Clause */
/* From messages of a log to records in the store, exactly once.
 *
 * A source (source_*.h) delivers messages with their positions. Chunks wait here until all of their record are there;
 * records are added in batches. With every batch the position of the source is committed: where the oldest chunk is that
 * still waits (reading goes on from there after a restart, and what is in the store already is ignored), and up to where
 * messages have been counted (what was refused before it is not counted again).
 *
 * Whatever is in a message is hostile. Memory is limited: what waits longest is given up first, and counted as
 * "incomplete". */
#ifndef FM_SITE_INGEST_INGEST_H
#define FM_SITE_INGEST_INGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/siphash.h"
#include "site/record/plausible.h"
#include "site/store/store.h"

enum {
    FM_INGEST_POSITION = 512,  /* bytes of a position */
    FM_INGEST_BATCH = 5000,    /* records: of more, more share a cell of a roll-up; the database is locked longer */
    FM_INGEST_WAITING = 20000, /* records whose chunks are not all there */
    FM_INGEST_WAITING_OF_USER = 2000, /* the same, of one uid: nobody can drive out what others have sent */
    FM_INGEST_PATIENCE_S = 3600,      /* how long chunks wait for the others, in the time of the log (ingest.c) */
};

struct fm_message {
    const char *position; /* of this message: reading can start here */
    const char *next;     /* of what follows it */
    bool again;           /* was counted before a restart */
    int64_t uid;          /* vouched for by the daemon; -1: unknown */
    int64_t time;         /* seconds since 1970 */
    const char *text;
    size_t length;
};

struct fm_ingest_counts {
    uint64_t messages, added, replaced, known, old, refused, waiting;
};

struct fm_ingest;

/* `source` names it in the store. */
enum fm_status fm_ingest_open(struct fm_ingest **ingest, struct fm_store *store, const char *source,
                              struct fm_error *error);
void fm_ingest_close(struct fm_ingest *ingest); /* without a commit what came since the last one comes again */
/* Where reading goes on, and up to where messages have been counted; "" if the source is new. */
const char *fm_ingest_from(const struct fm_ingest *ingest);
const char *fm_ingest_counted(const struct fm_ingest *ingest);
void fm_ingest_limit_batch(struct fm_ingest *ingest, size_t records);
/* What is known of the site; `now` is set for each record. */
void fm_ingest_limit_records(struct fm_ingest *ingest, const struct fm_record_limits *limits);
/* Users have the names that records say: the site replaces them by hashes. Otherwise those of the system. */
void fm_ingest_take_names(struct fm_ingest *ingest, bool of_records);
/* With the site's key the hash is made of the name that the system knows the uid by; only of others it is that of the record. */
void fm_ingest_hash_names(struct fm_ingest *ingest, const struct fm_siphash_key *key);

/* Commits by itself when a batch is full. */
enum fm_status fm_ingest_message(struct fm_ingest *ingest, const struct fm_message *message, struct fm_error *error);
/* A whole document that did not come as chunks. */
enum fm_status fm_ingest_document(struct fm_ingest *ingest, enum fm_store_origin origin,
                                  const struct fm_message *message, struct fm_error *error);
/* Something that is not even a message; `why` is a fixed word. */
enum fm_status fm_ingest_refuse(struct fm_ingest *ingest, const struct fm_message *message, const char *why,
                                struct fm_error *error);
/* Commits what is there. */
enum fm_status fm_ingest_commit(struct fm_ingest *ingest, struct fm_error *error);
const struct fm_ingest_counts *fm_ingest_counts(const struct fm_ingest *ingest);

#endif
