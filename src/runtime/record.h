/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path: from the end of a call to its entry in the table of events. A few loads, compares and stores to memory
 * that is already mapped. Each entry has a single writer, the thread slot in its key. */
#ifndef FM_RUNTIME_RECORD_H
#define FM_RUNTIME_RECORD_H

#include <stddef.h>

#include "runtime/runtime.h"

/* What one event adds to its entry. */
struct fm_event_data {
    uint64_t ns;
    uint64_t count_argument;
    uint64_t bytes, bytes_sent, bytes_received;
    uint32_t messages;
};

/* Finds or creates the entry of a key, with less detail if the table is full. Never NULL. */
struct fm_entry *fm_table_find(struct fm_key key);
/* Removes the entry that was created last, which must have this key. */
void fm_table_take_back(const struct fm_key *key);

/* A key as two words. The size bin, which is known last, is kept separate until it is needed. */
struct fm_key_words {
    uint64_t word[2];
};
enum { FM_KEY_SIZE_SHIFT = 8 * offsetof(struct fm_key, size_bin) };
#define FM_KEY_SIZE_BITS (0xffull << FM_KEY_SIZE_SHIFT)

FM_INLINE struct fm_key_words fm_key_words(const struct fm_key *key)
{
    struct fm_key_words words;
    __builtin_memcpy(&words, key, sizeof words);
    return words;
}

/* Hash of a key given without its size bin. The part that is known early is mixed well; the size bin is only added,
 * because the latency from it to the entry is on the critical path of a call. */
FM_INLINE uint32_t fm_key_hash(struct fm_key_words early, unsigned size_bin)
{
    uint64_t mixed = (early.word[1] + early.word[0] * 0x9e3779b1u) * 0x9e3779b1u;
    return (uint32_t)(mixed >> 32) + 257u * size_bin;
}

FM_INLINE bool fm_key_equal(struct fm_key_words a, struct fm_key_words b)
{
    return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1])) == 0;
}

FM_INLINE struct fm_entry *fm_table_at(uint32_t hash, struct fm_key_words wanted)
{
    /* relaxed: the entry's address depends on the number, so its key cannot be older than the number */
    uint32_t number = __atomic_load_n(&fm_rt.index[hash & fm_rt.fast_mask], __ATOMIC_RELAXED);
    struct fm_entry *entry = &fm_rt.entries[number - 1];
    return FM_LIKELY(number != 0 && fm_key_equal(fm_key_words(&entry->key), wanted)) ? entry : NULL;
}

/* Looks up a key, given without its size bin, at its home position in the index and the next one. Returns NULL if it is
 * at neither, and always while measurement is paused. */
FM_INLINE struct fm_entry *fm_table_known(struct fm_key_words early, unsigned size_bin)
{
    struct fm_key_words wanted = {{early.word[0] | (uint64_t)size_bin << FM_KEY_SIZE_SHIFT, early.word[1]}};
    uint32_t hash = fm_key_hash(early, size_bin);
    struct fm_entry *entry = fm_table_at(hash, wanted);
    return FM_LIKELY(entry != NULL) ? entry : fm_table_at(hash + 1, wanted);
}

/* Returns true if the entry has exactly this key and at least two events: the first two always affect its extremes. */
FM_INLINE bool fm_entry_is_settled(const struct fm_entry *entry, const struct fm_key *key)
{
    return entry->count >= 2 && fm_key_equal(fm_key_words(&entry->key), fm_key_words(key));
}

/* Adds a message of an operation whose call was counted elsewhere (a persistent request). */
FM_INLINE void fm_entry_add_bytes(struct fm_entry *entry, const struct fm_event_data *event)
{
    entry->bytes += event->bytes;
    entry->bytes_sent += event->bytes_sent;
    entry->bytes_received += event->bytes_received;
    entry->messages += event->messages;
}

/* Rare cases, out of line. */
void fm_entry_carry(struct fm_entry *entry, uint64_t bin);
void fm_entry_note_extreme(struct fm_entry *entry, uint64_t ns);

/* `later`: the event is known not to be one of the first two. */
FM_INLINE void fm_entry_add_event(struct fm_entry *entry, const struct fm_event_data *event, bool later)
{
    uint64_t ns = event->ns;
    entry->count++;
    entry->total_ns += ns;
    entry->count_arguments += event->count_argument;
    fm_entry_add_bytes(entry, event);
    uint64_t bin = fm_duration_bin(ns);
    if (FM_UNLIKELY(++entry->histogram[bin] == 0))
        fm_entry_carry(entry, bin);
    if (FM_UNLIKELY(ns < entry->extremes.min_ns || ns > entry->extremes.second_ns || (!later && entry->count <= 2)))
        fm_entry_note_extreme(entry, ns);
}

FM_INLINE void fm_entry_add(struct fm_entry *entry, const struct fm_event_data *event)
{
    fm_entry_add_event(entry, event, false);
}

#endif
