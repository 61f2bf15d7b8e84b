/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/intern.h"

#include <string.h>

static uint32_t hash_text(const char *text, size_t *length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    const char *c = text;
    for (; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    *length = (size_t)(c - text);
    return hash;
}

static struct fm_intern_slot *probe(const struct fm_intern *table, const char *text, uint32_t hash)
{
    size_t at = hash & (table->capacity - 1);
    for (;; at = (at + 1) & (table->capacity - 1)) {
        struct fm_intern_slot *slot = &table->slots[at];
        if (!slot->text || (slot->hash == hash && !strcmp(slot->text, text)))
            return slot;
    }
}

static bool enlarge(struct fm_intern *table, struct fm_arena *arena)
{
    struct fm_intern larger = {.n = table->n, .capacity = table->capacity ? table->capacity * 4 : 64};
    larger.slots = fm_arena_alloc(arena, larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].text)
            *probe(&larger, table->slots[i].text, table->slots[i].hash) = table->slots[i];
    *table = larger;
    return true;
}

struct fm_intern_slot *fm_intern_put(struct fm_intern *table, struct fm_arena *arena, const char *text, bool copy)
{
    size_t length;
    uint32_t hash = hash_text(text, &length);
    if (table->n * 2 >= table->capacity && !enlarge(table, arena))
        return NULL;
    struct fm_intern_slot *slot = probe(table, text, hash);
    if (!slot->text) {
        const char *kept = copy ? fm_arena_strndup(arena, text, length) : text;
        if (!kept)
            return NULL;
        *slot = (struct fm_intern_slot){.text = kept, .hash = hash};
        table->n++;
    }
    return slot;
}

struct fm_intern_slot *fm_intern_find(const struct fm_intern *table, const char *text)
{
    if (!table->capacity)
        return NULL;
    size_t length;
    uint32_t hash = hash_text(text, &length);
    struct fm_intern_slot *slot = probe(table, text, hash);
    return slot->text ? slot : NULL;
}
