/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"

struct fm_cached {
    struct fm_cached *next;          /* in the bucket */
    struct fm_cached *newer, *older; /* by use */
    struct fm_blob *blob;
    char key[];
};

static struct fm_cached **slot_of(struct fm_cache *cache, const char *key)
{
    struct fm_cached **slot = &cache->buckets[fm_crc64(key, strlen(key)) % FM_CACHE_BUCKETS];
    while (*slot && strcmp((*slot)->key, key) != 0)
        slot = &(*slot)->next;
    return slot;
}

static size_t size_of(const struct fm_cached *item)
{
    return sizeof *item + strlen(item->key) + 1 + sizeof *item->blob + item->blob->bytes;
}

static void unlink_use(struct fm_cache *cache, struct fm_cached *item)
{
    *(item->newer ? &item->newer->older : &cache->newest) = item->older;
    *(item->older ? &item->older->newer : &cache->oldest) = item->newer;
}

static void link_newest(struct fm_cache *cache, struct fm_cached *item)
{
    item->newer = NULL;
    item->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = item;
    cache->newest = item;
}

static void drop(struct fm_cache *cache, struct fm_cached **slot)
{
    struct fm_cached *item = *slot;
    if (!item)
        return;
    *slot = item->next;
    unlink_use(cache, item);
    cache->bytes -= size_of(item);
    cache->n--;
    fm_blob_release(item->blob);
    free(item);
}

struct fm_blob *fm_cache_find(struct fm_cache *cache, const char *key)
{
    struct fm_cached *item = *slot_of(cache, key);
    if (!item)
        return NULL;
    unlink_use(cache, item);
    link_newest(cache, item);
    return fm_blob_keep(item->blob);
}

void fm_cache_put(struct fm_cache *cache, const char *key, struct fm_blob *blob)
{
    struct fm_cached **slot = slot_of(cache, key), *item = malloc(sizeof *item + strlen(key) + 1);
    if (*slot)
        drop(cache, slot);
    if (!item)
        return;
    item->blob = fm_blob_keep(blob);
    strcpy(item->key, key);
    item->next = *slot;
    *slot = item;
    link_newest(cache, item);
    cache->bytes += size_of(item);
    cache->n++;
    while (cache->oldest && cache->bytes > cache->limit)
        drop(cache, slot_of(cache, cache->oldest->key));
}

void fm_cache_clear(struct fm_cache *cache)
{
    while (cache->oldest)
        drop(cache, slot_of(cache, cache->oldest->key));
}
