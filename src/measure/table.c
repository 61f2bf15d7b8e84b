/* The cold side of the table of events: inserting keys, and giving up detail when it is full.
 *
 * Detail is given up in the order peer, call site, size. A part of the table is kept back for keys that have
 * already given up detail, so that a routine's total in a region always finds room; should even that run out, the
 * regions and at last the routines are folded too. */
#include "measure/record.h"
#include "measure/site.h"

/* Below these fills (in sixteenths of the capacity) a key with that much detail is still inserted. */
enum { FULL_DETAIL = 12, NO_PEER = 13, NO_SITE = 14, NO_SIZE = 16 };

static struct fm_entry *find_existing(const struct fm_key *key, uint32_t *free_at)
{
    struct fm_key_words wanted = fm_key_words(key);
    uint32_t at = fm_key_hash(wanted) & fm_rt.index_mask;
    for (;; at = (at + 1) & fm_rt.index_mask) {
        uint32_t number = __atomic_load_n(&fm_rt.index[at], __ATOMIC_ACQUIRE);
        if (number == 0) {
            *free_at = at;
            return NULL;
        }
        if (fm_key_equal(fm_key_words(&fm_rt.entries[number - 1].key), wanted))
            return &fm_rt.entries[number - 1];
    }
}

/* NULL when the table is too full for a key of this much detail. The index is four times larger than the table
 * at least, so a free place is always found. */
static struct fm_entry *insert(const struct fm_key *key, unsigned sixteenths)
{
    fm_site_register((uintptr_t)(key->site_region >> 16));
    fm_lock(&fm_rt.table_lock);
    uint32_t at;
    struct fm_entry *entry = find_existing(key, &at);
    uint32_t used = fm_rt.segment->n_entries;
    if (!entry && used < (uint64_t)fm_rt.entries_capacity * sixteenths / 16) {
        entry = &fm_rt.entries[used];
        entry->key = *key;
        fm_rt.segment->n_entries = used + 1;
        __atomic_store_n(&fm_rt.index[at], used + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.table_lock);
    return entry;
}

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
    if ((entry = find_existing(&key, &at)) || (entry = insert(&key, NO_SIZE)))
        return entry;
    key.site_region = 0;
    key.peer = FM_PEER_OTHER;
    if ((entry = find_existing(&key, &at)) || (entry = insert(&key, NO_SIZE)))
        return entry;
    return &fm_rt.entries[0];
}

void fm_entry_note_extreme(struct fm_entry *entry, uint64_t ns)
{
    uint64_t event = entry->count;
    if (ns < entry->min_ns || event == 1) {
        entry->min_ns = ns;
        entry->min_event = event;
    }
    if (ns > entry->max_ns || event == 1) {
        entry->second_ns = entry->max_ns;
        entry->second_event = entry->max_event;
        entry->max_ns = ns;
        entry->max_event = event;
    } else if (ns > entry->second_ns || event == 2) {
        entry->second_ns = ns;
        entry->second_event = event;
    }
}
