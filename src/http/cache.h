/* SPDX-License-Identifier: BSD-3-Clause */
/* Responses by key, the most recently used ones up to a limit in bytes. Not thread-safe. */
#ifndef FM_HTTP_CACHE_H
#define FM_HTTP_CACHE_H

#include "http/blob.h"

enum { FM_CACHE_BUCKETS = 1024 };

struct fm_cached;
struct fm_cache {
    size_t limit, bytes, n;
    struct fm_cached *buckets[FM_CACHE_BUCKETS];
    struct fm_cached *newest, *oldest;
};

/* The caller gets a reference of its own; NULL if there is none of this key. */
struct fm_blob *fm_cache_find(struct fm_cache *cache, const char *key);
/* Replaces the one of the same key. What is larger than the limit is not kept. */
void fm_cache_put(struct fm_cache *cache, const char *key, struct fm_blob *blob);
void fm_cache_clear(struct fm_cache *cache);

#endif
