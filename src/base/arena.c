/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Chunk sizes double up to FM_ARENA_CHUNK_MAX: a small profile stays small, a large one needs few mappings. Untouched
 * pages of a chunk cost nothing. */
enum { FM_ARENA_ALIGN = 16, FM_ARENA_CHUNK = 64 << 10, FM_ARENA_CHUNK_MAX = 16 << 20 };

/* A chunk for a single allocation of up to FM_ARENA_POPULATE bytes is populated by the kernel at once: all of it will
 * be used, and one system call is far cheaper than a page fault per page. */
enum { FM_ARENA_PAGE = 4096, FM_ARENA_POPULATE = 1 << 20 };

enum { FM_ARENA_SPARE = 1 << 20 }; /* larger chunks are unmapped at once */

struct fm_arena_chunk {
    struct fm_arena_chunk *next;
    size_t size, used; /* both include this header */
    size_t last;       /* offset of the newest allocation, the only one that can be extended in place */
};

_Static_assert(sizeof(struct fm_arena_chunk) % FM_ARENA_ALIGN == 0, "the first item of a chunk is aligned");

/* Takes a chunk that another arena left in `spare`, or returns NULL. */
static struct fm_arena_chunk *take_spare(struct fm_arena *spare, size_t size)
{
    struct fm_arena_chunk **at = spare ? &spare->chunks : NULL, *chunk = NULL;
    while (at && *at && (*at)->size < size)
        at = &(*at)->next;
    if (at && (chunk = *at))
        *at = chunk->next;
    return chunk;
}

static void put_spare(struct fm_arena *spare, struct fm_arena_chunk *chunk)
{
    memset(chunk + 1, 0, chunk->used - sizeof *chunk);
    chunk->used = sizeof *chunk;
    chunk->last = 0;
    chunk->next = spare->chunks;
    spare->chunks = chunk;
}

static struct fm_arena_chunk *new_chunk(struct fm_arena *arena, size_t size, bool single)
{
    struct fm_arena_chunk *left = take_spare(arena->spare, size);
    if (left)
        return left;
    size = (size + FM_ARENA_PAGE - 1) & ~(size_t)(FM_ARENA_PAGE - 1);
    int populate = single && size <= FM_ARENA_POPULATE ? MAP_POPULATE : 0;
    struct fm_arena_chunk *chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1,
                                        0);
    if (chunk == MAP_FAILED)
        return NULL;
    chunk->size = size;
    chunk->used = sizeof *chunk;
    return chunk;
}

/* Adds a chunk with room for `size` bytes: as the new first one, or behind the first if the request needs a chunk of
 * its own, so that the rest of the first one is not wasted. */
static struct fm_arena_chunk *add_chunk(struct fm_arena *arena, size_t size)
{
    struct fm_arena_chunk *first = arena->chunks;
    size_t next_size = first ? first->size * 2 : FM_ARENA_CHUNK;
    if (next_size > FM_ARENA_CHUNK_MAX)
        next_size = FM_ARENA_CHUNK_MAX;
    size_t needed = size + sizeof *first;
    bool single = needed > next_size;
    struct fm_arena_chunk *chunk = new_chunk(arena, single ? needed : next_size, single);
    if (!chunk)
        return NULL;
    if (first && single) {
        chunk->next = first->next;
        first->next = chunk;
    } else {
        chunk->next = first;
        arena->chunks = chunk;
    }
    return chunk;
}

void *fm_arena_alloc(struct fm_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + FM_ARENA_ALIGN - 1) & ~(size_t)(FM_ARENA_ALIGN - 1);
    struct fm_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = add_chunk(arena, size);
        if (!chunk)
            return NULL;
    }
    void *memory = (char *)chunk + chunk->used;
    chunk->last = chunk->used;
    chunk->used += size;
    return memory;
}

/* Extends the newest allocation of the first chunk in place, if `array` is that and there is room. */
static int extend_in_place(struct fm_arena *arena, void *array, size_t bytes)
{
    struct fm_arena_chunk *chunk = arena->chunks;
    bytes = (bytes + FM_ARENA_ALIGN - 1) & ~(size_t)(FM_ARENA_ALIGN - 1);
    if (!chunk || (char *)array != (char *)chunk + chunk->last || chunk->size - chunk->last < bytes)
        return 0;
    chunk->used = chunk->last + bytes;
    return 1;
}

void *fm_arena_grow(struct fm_arena *arena, void *array, size_t *capacity, size_t needed, size_t item_size)
{
    if (needed <= *capacity && array)
        return array;
    size_t larger = *capacity <= SIZE_MAX / 4 ? *capacity * 2 : SIZE_MAX;
    if (larger < needed)
        larger = needed;
    if (larger < 4)
        larger = 4;
    if (larger > SIZE_MAX / 4 / item_size)
        return NULL;
    if (array && extend_in_place(arena, array, larger * item_size)) {
        *capacity = larger;
        return array;
    }
    void *copy = fm_arena_alloc(arena, larger * item_size);
    if (!copy)
        return NULL;
    if (array)
        memcpy(copy, array, *capacity * item_size);
    *capacity = larger;
    return copy;
}

char *fm_arena_strndup(struct fm_arena *arena, const char *text, size_t length)
{
    char *copy = fm_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

size_t fm_arena_bytes(const struct fm_arena *arena)
{
    size_t bytes = 0;
    for (const struct fm_arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        bytes += chunk->used;
    return bytes;
}

void fm_arena_destroy(struct fm_arena *arena)
{
    struct fm_arena_chunk *chunk = arena->chunks;
    arena->chunks = NULL;
    while (chunk) {
        struct fm_arena_chunk *next = chunk->next;
        if (arena->spare && chunk->size <= FM_ARENA_SPARE)
            put_spare(arena->spare, chunk);
        else
            munmap(chunk, chunk->size);
        chunk = next;
    }
}
