/* The hot path: from the end of a call to its entry in the table. A few loads, compares and stores into memory
 * that is mapped already; each entry has one writer, the thread slot in its key. */
#ifndef FM_MEASURE_RECORD_H
#define FM_MEASURE_RECORD_H

#include "measure/runtime.h"

/* What one event adds. */
struct fm_sample {
    uint64_t ns;
    uint64_t count_argument;
    uint64_t bytes, bytes_sent, bytes_received;
    uint32_t messages;
};

/* The entry of a key, made if needed, with less detail if the table is full; never NULL. */
struct fm_entry *fm_table_find(struct fm_key key);

static inline uint32_t fm_key_hash(struct fm_key key)
{
    uint64_t first = (uint64_t)key.peer << 32 | (uint32_t)key.routine << 16 | (uint32_t)key.size_bin << 8 | key.thread;
    uint64_t hash = (first ^ key.site_region * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

static inline bool fm_key_equal(const struct fm_key *a, const struct fm_key *b)
{
    uint64_t x[2], y[2];
    __builtin_memcpy(x, a, sizeof x);
    __builtin_memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

static inline struct fm_entry *fm_table_lookup(struct fm_key key)
{
    uint32_t number = __atomic_load_n(&fm_rt.index[fm_key_hash(key) & fm_rt.index_mask], __ATOMIC_ACQUIRE);
    struct fm_entry *entry = &fm_rt.entries[number - 1];
    if (FM_LIKELY(number != 0 && fm_key_equal(&entry->key, &key)))
        return entry;
    return fm_table_find(key);
}

/* A message of an operation whose call was counted elsewhere (a persistent request). */
static inline void fm_entry_add_bytes(struct fm_entry *entry, const struct fm_sample *sample)
{
    entry->bytes += sample->bytes;
    entry->bytes_sent += sample->bytes_sent;
    entry->bytes_received += sample->bytes_received;
    entry->messages += sample->messages;
}

static inline void fm_entry_add(struct fm_entry *entry, const struct fm_sample *sample)
{
    uint64_t event = ++entry->count, ns = sample->ns;
    entry->total_ns += ns;
    entry->count_arguments += sample->count_argument;
    if (FM_UNLIKELY(ns < entry->min_ns || event == 1)) {
        entry->min_ns = ns;
        entry->min_event = event;
    }
    if (FM_UNLIKELY(ns > entry->second_ns || event <= 2)) {
        if (ns > entry->max_ns || event == 1) {
            entry->second_ns = entry->max_ns;
            entry->second_event = entry->max_event;
            entry->max_ns = ns;
            entry->max_event = event;
        } else {
            entry->second_ns = ns;
            entry->second_event = event;
        }
    }
    fm_entry_add_bytes(entry, sample);
    unsigned bin = fm_duration_bin(ns);
    if (FM_UNLIKELY(++entry->histogram[bin] == 0))
        entry->histogram_high[bin]++;
}

#endif
