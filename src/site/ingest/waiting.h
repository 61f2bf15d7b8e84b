/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that wait for the others of their record, oldest first. */
#ifndef FM_SITE_INGEST_WAITING_H
#define FM_SITE_INGEST_WAITING_H

#include "site/ingest/ingest.h"
#include "site/record/chunk.h"

/* A record on its way. */
struct fm_chunks_waiting {
    struct fm_chunks_waiting *older, *newer; /* by the first chunk that came */
    struct fm_chunks_waiting *chained;       /* with the same hash */
    int64_t uid, since;
    char key[FM_CHUNK_KEY + 1];
    uint32_t crc;
    unsigned total, have;
    size_t length;
    char *position;              /* of the first chunk */
    char *pieces[FM_CHUNKS_MAX]; /* NULL: not there yet */
    size_t lengths[FM_CHUNKS_MAX];
};

struct fm_waiting_list {
    struct fm_chunks_waiting *oldest, *newest;
    struct fm_chunks_waiting **table;
    size_t n;
};

enum fm_chunk_result { FM_CHUNK_KEPT, FM_CHUNK_LAST, FM_CHUNK_REPEATED, FM_CHUNK_CONTRADICTS, FM_CHUNK_NO_MEMORY };

/* Adds a chunk; *waiting is the record it belongs to. */
enum fm_chunk_result fm_waiting_add(struct fm_waiting_list *waitings, const struct fm_chunk *chunk,
                                    const struct fm_message *message, struct fm_chunks_waiting **waiting);
/* The whole document, in `text` of FM_RECORD_BYTES + 1 bytes; false if it is too long or its CRC is wrong. */
bool fm_waiting_join(const struct fm_chunks_waiting *waiting, char *text, size_t *length);
void fm_waiting_remove(struct fm_waiting_list *waitings, struct fm_chunks_waiting *waiting);
/* The oldest one that must be given up: it waits too long, or there are too many of all or of this uid; NULL: none. */
struct fm_chunks_waiting *fm_waiting_given_up(struct fm_waiting_list *waitings, int64_t now, int64_t uid);
void fm_waiting_clear(struct fm_waiting_list *waitings);

#endif
