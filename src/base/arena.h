/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator over anonymous mappings. Everything allocated from an arena
 * lives until the arena is destroyed; nothing is freed individually. It never
 * calls malloc, so it can be used inside a user's program without disturbing the
 * program's heap. Not thread-safe: an arena belongs to one thread at a time.
 *
 *   chunk -> chunk -> chunk       each one mmap of at least FM_ARENA_CHUNK bytes
 */
#ifndef FM_BASE_ARENA_H
#define FM_BASE_ARENA_H

#include <stddef.h>

struct fm_arena {
    struct fm_arena_chunk *chunks; /* newest first */
    struct fm_arena *spare;        /* pool for small chunks, or NULL: many short-lived arenas then fault their pages in
                                      only once. It must outlive this arena and belong to the same thread */
};

/* Zeroed memory aligned to 16 bytes, or NULL if out of memory. Size 0 returns a valid pointer. */
void *fm_arena_alloc(struct fm_arena *arena, size_t size);
/* array = fm_arena_grow(arena, array, &capacity, needed, sizeof *array): at least doubles, copies; NULL on failure. */
void *fm_arena_grow(struct fm_arena *arena, void *array, size_t *capacity, size_t needed, size_t item_size);
char *fm_arena_strndup(struct fm_arena *arena, const char *text, size_t length);
size_t fm_arena_bytes(const struct fm_arena *arena); /* used, without what belongs to `spare` */
void fm_arena_destroy(struct fm_arena *arena);       /* leaves it empty; a zeroed arena is valid and empty, too */

#endif
