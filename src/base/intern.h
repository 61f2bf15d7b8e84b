/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of strings: each distinct text is kept once, so that repeated merges do not multiply strings.
 * An open-addressing table in the caller's arena; texts are copied there too, or only pointed at. */
#ifndef FM_BASE_INTERN_H
#define FM_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_intern_slot {
    const char *text; /* NULL = free */
    uint32_t hash;
    uint32_t number; /* free for the user of the table; 0 at first */
};

struct fm_intern {
    struct fm_intern_slot *slots;
    size_t n, capacity; /* capacity: 0 or a power of two */
};

/* The slot of `text`, put there first if it was absent (copied into the arena if `copy`). NULL: no memory.
 * The slot stays where it is until the next text is added. */
struct fm_intern_slot *fm_intern_put(struct fm_intern *table, struct fm_arena *arena, const char *text, bool copy);
/* NULL when absent. */
struct fm_intern_slot *fm_intern_find(const struct fm_intern *table, const char *text);

#endif
