/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator over anonymous mappings. Everything allocated from an arena
 * lives until the arena is destroyed; nothing is freed singly. It never calls
 * malloc, so that it can be used inside a user's program without disturbing the
 * program's heap. Not thread-safe: an arena belongs to one thread at a time.
 *
 *   chunk -> chunk -> chunk       each one mmap of at least FM_ARENA_CHUNK bytes
 */
#ifndef FM_BASE_ARENA_H
#define FM_BASE_ARENA_H

#include <stddef.h>

struct fm_arena {
    struct fm_arena_chunk *chunks; /* newest first */
    struct fm_arena *spare;        /* where small chunks go to and come from, or NULL: so that many arenas in turn cost
                                      the system's pages once. It lives longer than this one, in the same thread */
};

/* Zeroed memory aligned to 16 bytes, or NULL when the system has none (size 0 gives a valid pointer). */
void *fm_arena_alloc(struct fm_arena *arena, size_t size);
/* array = fm_arena_grow(arena, array, &capacity, needed, sizeof *array): at least doubles, copies; NULL on failure. */
void *fm_arena_grow(struct fm_arena *arena, void *array, size_t *capacity, size_t needed, size_t item_size);
char *fm_arena_strndup(struct fm_arena *arena, const char *text, size_t length);
void fm_arena_destroy(struct fm_arena *arena); /* a zeroed struct fm_arena is a valid empty arena again */

#endif
