/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/ingest/ingest.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "site/ingest/waiting.h"
#include "site/store/classes.h"

enum { KNOWN_USERS = 4096, USER_CHARS = 256, MESSAGES_BETWEEN_COMMITS = 200000 };

/* Names change, and a directory of users may not answer for a while. */
#define USER_NS 60000000000ull

/* A source that has nothing new is noted as read so often. */
#define NOTE_NS 60000000000ull

/* Between the two positions in the store. No position has it. */
#define BETWEEN "\t"

struct fm_ingest {
    struct fm_store *store;
    char *source;
    char from[FM_INGEST_POSITION], counted[FM_INGEST_POSITION]; /* of the last time */
    char next[FM_INGEST_POSITION];                              /* after the last message */
    struct fm_waiting_list waitings;
    struct fm_ingest_counts counts;
    size_t batch, in_batch, messages_in_batch; /* batch: records */
    bool open;                                 /* a batch is begun */
    uint64_t noted_ns;                         /* when the source was noted as read; 0: not yet */
    bool names_of_records, hash_names;
    struct fm_record_limits limits;
    int64_t log_time; /* that the log has reached */
    struct fm_siphash_key hash_key;
    struct {
        int64_t uid;
        uint64_t until_ns;
        char name[USER_CHARS];
    } users[KNOWN_USERS];
};

static void copy(char to[FM_INGEST_POSITION], const char *from, size_t length)
{
    snprintf(to, FM_INGEST_POSITION, "%.*s", (int)length, from);
}

enum fm_status fm_ingest_open(struct fm_ingest **ingest, struct fm_store *store, const char *source,
                              struct fm_error *error)
{
    char *position = NULL;
    enum fm_status status = fm_store_position(store, source, &position, error);
    if (status)
        return status;
    struct fm_ingest *made = calloc(1, sizeof *made);
    char *name = strdup(source);
    if (!made || !name) {
        free(made);
        free(name);
        free(position);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", source);
    }
    made->source = name;
    made->store = store;
    made->batch = FM_INGEST_BATCH;
    for (size_t i = 0; i < KNOWN_USERS; i++)
        made->users[i].uid = -1;
    size_t length = strcspn(position, BETWEEN);
    copy(made->from, position, length);
    if (position[length])
        copy(made->counted, position + length + 1, FM_INGEST_POSITION - 1);
    copy(made->next, made->counted, FM_INGEST_POSITION - 1);
    free(position);
    *ingest = made;
    return FM_OK;
}

void fm_ingest_close(struct fm_ingest *ingest)
{
    if (!ingest)
        return;
    if (ingest->open)
        fm_store_rollback(ingest->store);
    fm_waiting_clear(&ingest->waitings);
    free(ingest->source);
    free(ingest);
}

const char *fm_ingest_from(const struct fm_ingest *ingest)
{
    return ingest->from;
}

const char *fm_ingest_counted(const struct fm_ingest *ingest)
{
    return ingest->counted;
}

void fm_ingest_limit_batch(struct fm_ingest *ingest, size_t records)
{
    ingest->batch = records;
}

void fm_ingest_take_names(struct fm_ingest *ingest, bool of_records)
{
    ingest->names_of_records = of_records;
}

void fm_ingest_limit_records(struct fm_ingest *ingest, const struct fm_record_limits *limits)
{
    ingest->limits = *limits;
}

void fm_ingest_hash_names(struct fm_ingest *ingest, const struct fm_siphash_key *key)
{
    ingest->hash_names = true;
    ingest->hash_key = *key;
}

const struct fm_ingest_counts *fm_ingest_counts(const struct fm_ingest *ingest)
{
    return &ingest->counts;
}

static enum fm_status begin(struct fm_ingest *ingest, struct fm_error *error)
{
    if (ingest->open)
        return FM_OK;
    enum fm_status status = fm_store_begin(ingest->store, error);
    ingest->open = !status;
    return status;
}

enum fm_status fm_ingest_commit(struct fm_ingest *ingest, struct fm_error *error)
{
    uint64_t now_ns = fm_clock_ns(CLOCK_MONOTONIC);
    if (!ingest->messages_in_batch && ingest->noted_ns && now_ns < ingest->noted_ns + NOTE_NS)
        return FM_OK;
    enum fm_status status = begin(ingest, error);
    char position[2 * FM_INGEST_POSITION + 2];
    const struct fm_chunks_waiting *oldest = ingest->waitings.oldest;
    snprintf(position, sizeof position, "%s" BETWEEN "%s", oldest ? oldest->position : ingest->next, ingest->next);
    if (!status && ingest->messages_in_batch)
        status = fm_store_set_position(ingest->store, ingest->source, position, error);
    if (!status)
        status = fm_store_note_read(ingest->store, ingest->source, (int64_t)time(NULL), ingest->waitings.n, error);
    if (!status)
        status = fm_store_commit(ingest->store, error);
    if (status)
        return status;
    const struct fm_store_counts *counts = fm_store_counts(ingest->store);
    ingest->counts.added += counts->added;
    ingest->counts.replaced += counts->replaced;
    ingest->counts.known += counts->known;
    ingest->counts.old += counts->old;
    ingest->counts.waiting = ingest->waitings.n;
    /* What still waits is in memory: this process goes on from here. */
    copy(ingest->from, ingest->next, FM_INGEST_POSITION - 1);
    copy(ingest->counted, ingest->next, FM_INGEST_POSITION - 1);
    ingest->noted_ns = now_ns;
    ingest->open = false;
    ingest->in_batch = ingest->messages_in_batch = 0;
    return FM_OK;
}

static enum fm_status count_refused(struct fm_ingest *ingest, int64_t time, bool again, const char *why,
                                    struct fm_error *error)
{
    if (again)
        return FM_OK;
    ingest->counts.refused++;
    enum fm_status status = begin(ingest, error);
    return status ? status : fm_store_refused(ingest->store, why, fm_day_of(time), error);
}

static void hash_name(const struct fm_ingest *ingest, const char *name, char hash[USER_CHARS])
{
    snprintf(hash, USER_CHARS, "h%016" PRIx64, fm_siphash(&ingest->hash_key, name, strlen(name)));
}

/* The name that the system knows this uid by, else its number. What the record says is of no importance; but with hashed names
 * it is all that there is if the key or the user is not known here: then NULL. */
static const char *user_name(struct fm_ingest *ingest, int64_t uid)
{
    char *name = ingest->users[uid % KNOWN_USERS].name;
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    if (ingest->names_of_records && !ingest->hash_names)
        return NULL;
    if (ingest->users[uid % KNOWN_USERS].uid == uid && now < ingest->users[uid % KNOWN_USERS].until_ns)
        return *name ? name : NULL;
    struct passwd *entry = getpwuid((uid_t)uid);
    bool is_known = entry && *entry->pw_name && strlen(entry->pw_name) < USER_CHARS;
    if (ingest->names_of_records && is_known)
        hash_name(ingest, entry->pw_name, name);
    else if (ingest->names_of_records)
        *name = '\0';
    else if (is_known)
        snprintf(name, USER_CHARS, "%s", entry->pw_name);
    else
        snprintf(name, USER_CHARS, "%lld", (long long)uid);
    ingest->users[uid % KNOWN_USERS].uid = uid;
    ingest->users[uid % KNOWN_USERS].until_ns = now + USER_NS;
    return *name ? name : NULL;
}

static bool is_hash(const char *name)
{
    return *name == 'h' && strlen(name) == 17 && strspn(name + 1, "0123456789abcdef") == 16;
}

/* With hashed names no other name gets into the database, whoever wrote the record: not the number of a uid that is not known
 * here either, which is hashed like a name. */
static const char *hidden_name(const struct fm_ingest *ingest, int64_t uid, const char *of_record,
                               char hash[USER_CHARS])
{
    char number[24];
    if (is_hash(of_record))
        return of_record;
    *hash = '\0';
    snprintf(number, sizeof number, "%" PRId64, uid);
    if (ingest->hash_names)
        hash_name(ingest, number, hash);
    return hash;
}

/* key: of the chunks; NULL if there were none. */
static enum fm_status add(struct fm_ingest *ingest, enum fm_store_origin origin, const struct fm_message *message,
                          const char *text, size_t length, const char *key, struct fm_error *error)
{
    struct fm_record record;
    struct fm_error refused;
    unsigned left_out;
    enum fm_status status = fm_record_read(&record, text, length, &left_out, &refused);
    if (status == FM_ERR_MEMORY) {
        *error = refused;
        return status;
    }
    if (status)
        return count_refused(ingest, message->time, message->again, "malformed", error);
    if (key && strcmp(key, record.key) != 0) {
        fm_record_destroy(&record);
        return count_refused(ingest, message->time, message->again, "contradictory", error);
    }
    ingest->limits.now = (int64_t)time(NULL);
    const char *why = fm_record_implausible(&record, &ingest->limits);
    if (why) {
        fm_record_destroy(&record);
        return count_refused(ingest, message->time, message->again, why, error);
    }
    char hash[USER_CHARS];
    const char *user = user_name(ingest, message->uid);
    const struct fm_store_source source = {
        .origin = origin,
        .uid = message->uid,
        .user = user ? user : hidden_name(ingest, message->uid, record.user, hash),
        .weight = 0,
        .text = text,
        .length = length,
    };
    status = begin(ingest, error);
    if (!status)
        status = fm_store_add(ingest->store, &record, &source, error);
    if (status == FM_ERR_INPUT)
        status = count_refused(ingest, message->time, message->again, "malformed", error);
    ingest->in_batch++;
    fm_record_destroy(&record);
    return status;
}

static enum fm_status give_up(struct fm_ingest *ingest, const struct fm_message *message, struct fm_error *error)
{
    struct fm_chunks_waiting *waiting;
    enum fm_status status = FM_OK;
    while (!status && (waiting = fm_waiting_given_up(&ingest->waitings, message->time, message->uid))) {
        fm_waiting_remove(&ingest->waitings, waiting);
        status = count_refused(ingest, message->time, message->again, "incomplete", error);
    }
    return status;
}

static enum fm_status take_chunk(struct fm_ingest *ingest, const struct fm_message *message,
                                 const struct fm_chunk *chunk, struct fm_error *error)
{
    struct fm_chunks_waiting *waiting = NULL;
    enum fm_status status = FM_OK;
    switch (fm_waiting_add(&ingest->waitings, chunk, message, &waiting)) {
    case FM_CHUNK_KEPT:
    case FM_CHUNK_REPEATED:
        break;
    case FM_CHUNK_NO_MEMORY:
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the chunks of records");
    case FM_CHUNK_CONTRADICTS:
        return count_refused(ingest, message->time, message->again, "contradictory", error);
    case FM_CHUNK_LAST: {
        char text[FM_RECORD_BYTES + 1];
        size_t length;
        if (fm_waiting_join(waiting, text, &length))
            status = add(ingest, FM_ORIGIN_LOG, message, text, length, waiting->key, error);
        else
            status = count_refused(ingest, message->time, message->again, "damaged", error);
        fm_waiting_remove(&ingest->waitings, waiting);
    }
    }
    return status;
}

/* Clocks of nodes differ and jump. The time of the log does not go back, so that what comes from a node behind the others has
 * not waited for long already; and it is not ahead of this host's, so that one from the future does not end the patience with
 * all others. */
static struct fm_message in_log_time(struct fm_ingest *ingest, const struct fm_message *message)
{
    struct fm_message timed = *message;
    int64_t now = (int64_t)time(NULL), at = message->time < now ? message->time : now;
    timed.time = ingest->log_time = at > ingest->log_time ? at : ingest->log_time;
    return timed;
}

/* After each message, whatever became of it. */
static enum fm_status go_on(struct fm_ingest *ingest, const struct fm_message *message, struct fm_error *error)
{
    copy(ingest->next, message->next, FM_INGEST_POSITION - 1);
    ingest->counts.messages++;
    ingest->messages_in_batch++;
    if (ingest->in_batch < ingest->batch && ingest->messages_in_batch < MESSAGES_BETWEEN_COMMITS)
        return FM_OK;
    return fm_ingest_commit(ingest, error);
}

enum fm_status fm_ingest_message(struct fm_ingest *ingest, const struct fm_message *received, struct fm_error *error)
{
    struct fm_chunk chunk;
    const struct fm_message timed = in_log_time(ingest, received), *message = &timed;
    enum fm_status status = give_up(ingest, message, error);
    if (status)
        return status;
    if (message->uid < 0)
        status = count_refused(ingest, message->time, message->again, "no uid", error);
    else if (!fm_chunk_read(message->text, message->length, &chunk))
        status = count_refused(ingest, message->time, message->again, "malformed", error);
    else
        status = take_chunk(ingest, message, &chunk, error);
    return status ? status : go_on(ingest, message, error);
}

enum fm_status fm_ingest_document(struct fm_ingest *ingest, enum fm_store_origin origin,
                                  const struct fm_message *message, struct fm_error *error)
{
    enum fm_status status;
    if (message->length > FM_RECORD_BYTES)
        status = count_refused(ingest, message->time, message->again, "oversized", error);
    else
        status = add(ingest, origin, message, message->text, message->length, NULL, error);
    return status ? status : go_on(ingest, message, error);
}

enum fm_status fm_ingest_refuse(struct fm_ingest *ingest, const struct fm_message *message, const char *why,
                                struct fm_error *error)
{
    enum fm_status status = count_refused(ingest, message->time, message->again, why, error);
    return status ? status : go_on(ingest, message, error);
}
