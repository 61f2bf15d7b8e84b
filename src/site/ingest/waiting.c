/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/ingest/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"

enum { SLOTS = 8192 };

static size_t slot_of(int64_t uid, const char *key, uint32_t crc)
{
    uint32_t hash = (uint32_t)uid * 2654435761u ^ crc;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash % SLOTS;
}

static bool is(const struct fm_chunks_waiting *waiting, int64_t uid, const struct fm_chunk *chunk)
{
    return waiting->uid == uid && waiting->crc == chunk->crc && waiting->total == chunk->total &&
           strcmp(waiting->key, chunk->key) == 0;
}

static struct fm_chunks_waiting *create(struct fm_waiting_list *waitings, const struct fm_chunk *chunk,
                                        const struct fm_message *message)
{
    struct fm_chunks_waiting *made = calloc(1, sizeof *made);
    char *position = strdup(message->position);
    if (!made || !position) {
        free(made);
        free(position);
        return NULL;
    }
    made->uid = message->uid;
    made->since = message->time;
    memcpy(made->key, chunk->key, sizeof made->key);
    made->crc = chunk->crc;
    made->total = chunk->total;
    made->position = position;
    made->older = waitings->newest;
    *(waitings->newest ? &waitings->newest->newer : &waitings->oldest) = made;
    waitings->newest = made;
    struct fm_chunks_waiting **slot = &waitings->table[slot_of(made->uid, made->key, made->crc)];
    made->chained = *slot;
    *slot = made;
    waitings->n++;
    return made;
}

enum fm_chunk_result fm_waiting_add(struct fm_waiting_list *waitings, const struct fm_chunk *chunk,
                                    const struct fm_message *message, struct fm_chunks_waiting **waiting)
{
    if (!waitings->table && !(waitings->table = calloc(SLOTS, sizeof *waitings->table)))
        return FM_CHUNK_NO_MEMORY;
    struct fm_chunks_waiting *found = waitings->table[slot_of(message->uid, chunk->key, chunk->crc)];
    while (found && !is(found, message->uid, chunk))
        found = found->chained;
    if (!found && !(found = create(waitings, chunk, message)))
        return FM_CHUNK_NO_MEMORY;
    *waiting = found;
    unsigned i = chunk->number - 1;
    if (found->pieces[i])
        return found->lengths[i] == chunk->payload_length &&
                       memcmp(found->pieces[i], chunk->payload, chunk->payload_length) == 0
                   ? FM_CHUNK_REPEATED
                   : FM_CHUNK_CONTRADICTS;
    found->pieces[i] = malloc(chunk->payload_length + 1);
    if (!found->pieces[i])
        return FM_CHUNK_NO_MEMORY;
    memcpy(found->pieces[i], chunk->payload, chunk->payload_length);
    found->lengths[i] = chunk->payload_length;
    found->length += chunk->payload_length;
    return ++found->have == found->total ? FM_CHUNK_LAST : FM_CHUNK_KEPT;
}

bool fm_waiting_join(const struct fm_chunks_waiting *waiting, char *text, size_t *length)
{
    *length = 0;
    if (waiting->length > FM_RECORD_BYTES)
        return false;
    for (unsigned i = 0; i < waiting->total; i++) {
        memcpy(text + *length, waiting->pieces[i], waiting->lengths[i]);
        *length += waiting->lengths[i];
    }
    text[*length] = 0;
    return fm_crc32c(text, *length) == waiting->crc;
}

static void destroy(struct fm_chunks_waiting *waiting)
{
    for (unsigned i = 0; i < waiting->total; i++)
        free(waiting->pieces[i]);
    free(waiting->position);
    free(waiting);
}

void fm_waiting_remove(struct fm_waiting_list *waitings, struct fm_chunks_waiting *waiting)
{
    struct fm_chunks_waiting **slot = &waitings->table[slot_of(waiting->uid, waiting->key, waiting->crc)];
    while (*slot != waiting)
        slot = &(*slot)->chained;
    *slot = waiting->chained;
    *(waiting->older ? &waiting->older->newer : &waitings->oldest) = waiting->newer;
    *(waiting->newer ? &waiting->newer->older : &waitings->newest) = waiting->older;
    destroy(waiting);
    waitings->n--;
}

struct fm_chunks_waiting *fm_waiting_given_up(struct fm_waiting_list *waitings, int64_t now, int64_t uid)
{
    struct fm_chunks_waiting *oldest = waitings->oldest;
    if (!oldest)
        return NULL;
    if (waitings->n > FM_INGEST_WAITING || now - oldest->since > FM_INGEST_PATIENCE_S)
        return oldest;
    if (waitings->n <= FM_INGEST_WAITING_OF_USER)
        return NULL;
    size_t of_user = 0;
    struct fm_chunks_waiting *first = NULL;
    for (struct fm_chunks_waiting *at = oldest; at; at = at->newer)
        if (at->uid == uid && !of_user++)
            first = at;
    return of_user > FM_INGEST_WAITING_OF_USER ? first : NULL;
}

void fm_waiting_clear(struct fm_waiting_list *waitings)
{
    for (struct fm_chunks_waiting *at = waitings->oldest, *newer; at; at = newer) {
        newer = at->newer;
        destroy(at);
    }
    free(waitings->table);
    *waitings = (struct fm_waiting_list){0};
}
