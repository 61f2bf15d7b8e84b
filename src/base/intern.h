/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of strings: each distinct string is stored once, so that repeated merges do not duplicate strings. An
 * open-addressing hash table in the caller's arena; strings are copied there too, or only referenced. */
#ifndef FM_BASE_INTERN_H
#define FM_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_intern_slot {
    const char *text; /* NULL = free */
    uint32_t hash;
    uint32_t number; /* for the user of the table; initially 0 */
};

struct fm_intern {
    struct fm_intern_slot *slots;
    size_t n, capacity; /* capacity: 0 or a power of two */
};

/* Returns the slot of `text`, after adding it if it was absent (copied into the arena if `copy`), or NULL if out of
 * memory. The slot is valid until the next string is added. */
struct fm_intern_slot *fm_intern_put(struct fm_intern *table, struct fm_arena *arena, const char *text, bool copy);
/* Returns NULL if absent. */
struct fm_intern_slot *fm_intern_find(const struct fm_intern *table, const char *text);

#endif
