/* The cache keeps what was used last, and what is being sent outlives it. */
#include <stdlib.h>
#include <string.h>

#include "http/cache.h"
#include "tap.h"

static struct fm_blob *blob_of(const char *text)
{
    return fm_blob_make(text, strlen(text));
}

static void put(struct fm_cache *cache, const char *key, const char *text)
{
    struct fm_blob *blob = blob_of(text);
    fm_cache_put(cache, key, blob);
    fm_blob_release(blob);
}

static bool has(struct fm_cache *cache, const char *key, const char *text)
{
    struct fm_blob *blob = fm_cache_find(cache, key);
    char *plain = blob ? fm_blob_plain(blob) : NULL;
    bool same = plain && blob->plain_bytes == strlen(text) && memcmp(plain, text, strlen(text)) == 0;
    free(plain);
    fm_blob_release(blob);
    return same;
}

static void keeps_what_was_used_last(void)
{
    struct fm_cache cache = {.limit = 1 << 20};
    put(&cache, "a", "first");
    size_t one = cache.bytes;
    cache.limit = 3 * one + one / 2;
    put(&cache, "b", "later");
    put(&cache, "c", "third");
    tap_ok(has(&cache, "a", "first") && has(&cache, "b", "later") && has(&cache, "c", "third"), "three fit");
    has(&cache, "a", "first");
    put(&cache, "d", "forth");
    tap_ok(cache.n == 3 && !fm_cache_find(&cache, "b"), "the one that was not used for longest goes");
    tap_ok(has(&cache, "a", "first") && has(&cache, "c", "third") && has(&cache, "d", "forth"), "the others stay");
    put(&cache, "a", "other");
    tap_ok(cache.n == 3 && has(&cache, "a", "other"), "the same key replaces");
    fm_cache_clear(&cache);
    tap_ok(cache.n == 0 && cache.bytes == 0 && !cache.newest && !cache.oldest, "empty");
}

static void what_is_sent_outlives_it(void)
{
    struct fm_cache cache = {.limit = 1 << 20};
    put(&cache, "a", "text");
    struct fm_blob *sent = fm_cache_find(&cache, "a");
    fm_cache_clear(&cache);
    char *plain = fm_blob_plain(sent);
    tap_ok(plain && memcmp(plain, "text", 4) == 0, "a response goes on with what is no longer kept");
    free(plain);
    fm_blob_release(sent);
}

static void what_is_too_large_is_not_kept(void)
{
    struct fm_cache cache = {.limit = 10};
    put(&cache, "a", "more than this");
    tap_ok(cache.n == 0 && cache.bytes == 0, "too large for the limit");
}

static void many_keys(void)
{
    struct fm_cache cache = {.limit = 64 << 20};
    char key[32];
    size_t found = 0;
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key/%d", i);
        put(&cache, key, key);
    }
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key/%d", i);
        found += has(&cache, key, key);
    }
    tap_ok(found == 5000, "many keys in few buckets");
    put(&cache, "", "");
    tap_ok(has(&cache, "", ""), "an empty key and an empty document");
    fm_cache_clear(&cache);
}

int main(void)
{
    keeps_what_was_used_last();
    what_is_sent_outlives_it();
    what_is_too_large_is_not_kept();
    many_keys();
    return tap_done();
}
