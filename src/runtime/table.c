/* SPDX-License-Identifier: BSD-3-Clause */
/* The cold side of the table of events: inserting keys, and giving up detail when it is full.
 *
 * Detail is given up in the order peer, call site, size: a part of the table is reserved for keys with less detail. The
 * totals of a routine in a region are kept as long as there is any detail left: to insert a new one, the entry with the
 * least time is folded into the total of its own routine and region, and its slot is reused. After that regions are
 * folded in the same way. The last part is for threads that own nothing that they could fold.
 *
 * An entry is folded only by the thread that writes it. Index positions that pointed to it remain and point to an entry
 * with another key, which a search skips. */
#include <string.h>

#include "runtime/load_modules.h"
#include "runtime/record.h"

#include "runtime/extremes.h"

void fm_entry_carry(struct fm_entry *entry, uint64_t bin)
{
    entry->histogram_high[bin]++;
}

void fm_entry_note_extreme(struct fm_entry *entry, uint64_t ns)
{
    fm_extremes_note(&entry->extremes, ns, entry->count);
}

/* Fill limits in sixteenths of the capacity: a key with that much detail is inserted only below its limit. */
enum { FULL_DETAIL = 12, NO_PEER = 13, NO_SITE = 14, TOTAL = 15, SHARED_TOTAL = 16 };
enum { ANY_THREAD = 0xff };

/* Finds the entry of a key. `place` is its position in the index, or the one where it belongs. */
static struct fm_entry *find_existing(const struct fm_key *key, uint32_t *place)
{
    struct fm_key_words wanted = fm_key_words(key);
    struct fm_key_words early = {{wanted.word[0] & ~FM_KEY_SIZE_BITS, wanted.word[1]}};
    uint32_t at = fm_key_hash(early, key->size_bin) & fm_rt.index_mask;
    for (;; at = (at + 1) & fm_rt.index_mask) {
        if (at == 0) /* see fast_mask */
            continue;
        uint32_t number = __atomic_load_n(&fm_rt.index[at], __ATOMIC_ACQUIRE);
        *place = at;
        if (number == 0)
            return NULL;
        if (fm_key_equal(fm_key_words(&fm_rt.entries[number - 1].key), wanted))
            return &fm_rt.entries[number - 1];
    }
}

/* The caller holds the lock and has searched for the key, which belongs at position `at` of the index. */
static void publish(struct fm_entry *entry, const struct fm_key *key, uint32_t at)
{
    entry->key = *key;
    fm_rt.index_used++;
    __atomic_store_n(&fm_rt.index[at], (uint32_t)(entry - fm_rt.entries) + 1, __ATOMIC_RELEASE);
}

/* Returns NULL if the table is too full for a key with this much detail. */
static struct fm_entry *insert(const struct fm_key *key, unsigned sixteenths)
{
    const uint32_t limit = (uint32_t)((uint64_t)fm_rt.entries_capacity * sixteenths / 16);
    if (__atomic_load_n(&fm_rt.segment->n_entries, __ATOMIC_RELAXED) >= limit)
        return NULL;
    fm_load_module_list((uintptr_t)(key->site_region >> 16));
    fm_lock(&fm_rt.table_lock);
    uint32_t at;
    struct fm_entry *entry = find_existing(key, &at);
    uint32_t used = fm_rt.segment->n_entries;
    if (!entry && used < limit) {
        entry = &fm_rt.entries[used];
        __atomic_store_n(&fm_rt.segment->n_entries, used + 1, __ATOMIC_RELAXED);
        publish(entry, key, at);
    }
    fm_unlock(&fm_rt.table_lock);
    return entry;
}

/* ---- folding ---- */

static struct fm_key total_of(const struct fm_key *key, bool of_region)
{
    struct fm_key total = *key;
    total.size_bin = FM_SIZE_NONE;
    total.site_region &= of_region ? 0xffff : 0;
    if (total.peer != FM_PEER_NONE || !of_region)
        total.peer = FM_PEER_OTHER;
    return total;
}

static bool same_key(const struct fm_key *a, const struct fm_key *b)
{
    return fm_key_equal(fm_key_words(a), fm_key_words(b));
}

/* Merges and clears `from`. Its events are numbered as if they followed those of `into`. */
static void merge(struct fm_entry *into, struct fm_entry *from)
{
    fm_extremes_join(&into->extremes, &from->extremes, into->count);
    into->count += from->count;
    into->count_arguments += from->count_arguments;
    into->total_ns += from->total_ns;
    into->bytes += from->bytes;
    into->bytes_sent += from->bytes_sent;
    into->bytes_received += from->bytes_received;
    into->messages += from->messages;
    for (unsigned i = 0; i < FM_DURATION_BINS; i++) {
        uint32_t before = into->histogram[i];
        into->histogram[i] += from->histogram[i];
        into->histogram_high[i] += from->histogram_high[i] + (into->histogram[i] < before);
    }
    fm_rt.segment->degraded_size += from->count;
    *from = (struct fm_entry){.key = from->key};
    fm_forget_memos(); /* either entry gets another key, or may get one */
}

/* Folds the entry with the least time whose total exists already into that total. */
static struct fm_entry *fold_least(uint32_t thread, bool of_region)
{
    struct fm_entry *least = NULL, *into = NULL;
    for (uint32_t i = 0; i < fm_rt.segment->n_entries; i++) {
        struct fm_entry *entry = &fm_rt.entries[i];
        struct fm_key total = total_of(&entry->key, of_region);
        uint32_t at;
        if (entry->key.thread != thread || same_key(&total, &entry->key) ||
            (least && entry->total_ns >= least->total_ns))
            continue;
        struct fm_entry *target = find_existing(&total, &at);
        if (target) {
            least = entry;
            into = target;
        }
    }
    if (least)
        merge(into, least);
    return least;
}

/* Of two entries with the same total that does not exist yet, turns the first into the total and folds the second into
 * it. */
static struct fm_entry *fold_pair(uint32_t thread, bool of_region)
{
    const uint32_t n = fm_rt.segment->n_entries;
    for (uint32_t i = 0; i < n; i++) {
        struct fm_entry *first = &fm_rt.entries[i];
        struct fm_key total = total_of(&first->key, of_region);
        if (first->key.thread != thread)
            continue;
        for (uint32_t k = i + 1; k < n; k++) {
            struct fm_entry *second = &fm_rt.entries[k];
            struct fm_key other = total_of(&second->key, of_region);
            uint32_t at;
            if (!same_key(&total, &other) || find_existing(&total, &at))
                continue;
            merge(first, second);
            publish(first, &total, at);
            return second;
        }
    }
    return NULL;
}

/* Frees an entry. Returns NULL if all entries of the thread are totals of different things. */
static struct fm_entry *free_entry(uint32_t thread, bool of_region)
{
    bool *done = &fm_rt.folded_all[of_region];
    if (*done || fm_rt.index_used > fm_rt.index_mask / 4 * 3)
        return NULL;
    struct fm_entry *entry = fold_least(thread, of_region);
    if (!entry)
        entry = fold_pair(thread, of_region);
    *done = !entry && !fm_rt.threaded;
    return entry;
}

static struct fm_entry *insert_total(const struct fm_key *key, bool of_region)
{
    struct fm_entry *entry = insert(key, TOTAL);
    if (entry)
        return entry;
    fm_lock(&fm_rt.table_lock);
    uint32_t at;
    if (!(entry = find_existing(key, &at))) {
        entry = free_entry(key->thread, true);
        if (!entry && !of_region)
            entry = free_entry(key->thread, false);
        if (entry && !find_existing(key, &at)) /* search again: the index has changed */
            publish(entry, key, at);
    }
    fm_unlock(&fm_rt.table_lock);
    return entry;
}

/* ---- finding ---- */

struct fm_entry *fm_table_find(struct fm_key key)
{
    struct fm_segment_header *h = fm_rt.segment;
    uint32_t at;
    struct fm_entry *entry = find_existing(&key, &at);
    if (entry || (entry = insert(&key, FULL_DETAIL)))
        return entry;
    if (key.peer != FM_PEER_NONE) {
        key.peer = FM_PEER_OTHER;
        if ((entry = find_existing(&key, &at)) || (entry = insert(&key, NO_PEER))) {
            h->degraded_peer++;
            return entry;
        }
    }
    key.site_region &= 0xffff;
    if ((entry = find_existing(&key, &at)) || (entry = insert(&key, NO_SITE))) {
        h->degraded_site++;
        return entry;
    }
    key.size_bin = FM_SIZE_NONE;
    h->degraded_size++;
    if ((entry = find_existing(&key, &at)) || (entry = insert_total(&key, true)))
        return entry;
    key = total_of(&key, false);
    if ((entry = find_existing(&key, &at)) || (entry = insert_total(&key, false)))
        return entry;
    key.thread = ANY_THREAD;
    if ((entry = find_existing(&key, &at)) || (entry = insert(&key, SHARED_TOTAL)))
        return entry;
    return &fm_rt.entries[0];
}

void fm_table_take_back(const struct fm_key *key)
{
    uint32_t at;
    memset(find_existing(key, &at), 0, sizeof(struct fm_entry));
    fm_rt.index[at] = 0;
    fm_rt.index_used--;
    fm_rt.segment->n_entries--;
}
