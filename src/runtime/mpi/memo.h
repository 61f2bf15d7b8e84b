/* SPDX-License-Identifier: BSD-3-Clause */
/* Memos: what a thread remembers about its ordinary calls, so that the next call of that kind need not determine its
 * call site, its handles and its entry in the table again.
 *
 * A memo is found by the call site and what varies most there, the peer and the magnitude of the count. It is valid for
 * a call with the same site, region, routine and arguments (any count in the same size bin), as long as nothing has
 * happened that could change its meaning. Every such event starts a new generation of the process (fm_forget_memos): a
 * handle is freed, an entry gives up its key, or measuring is paused. Besides, once a second a sample invalidates all
 * memos, although their meaning is the same, so that every call takes the slow path now and then. */
#ifndef FM_RUNTIME_MPI_MEMO_H
#define FM_RUNTIME_MPI_MEMO_H

#include "runtime/mpi/call.h"

/* The part of the hash that comes from the arguments; 0 for routines without any.
 *
 * The shifts here and the factor below were found by a search: a product of regular inputs is regular, and calls at equal
 * distances with several sizes or peers may all fall on a few sets. With these, of 11 kinds of programs (up to 300 sites,
 * 8 to 128 bytes apart or irregularly, up to 200 peers) 1 % of the memos find no slot on average and 6 % at most. */
FM_INLINE uint32_t fm_memo_salt(int32_t partner, uint32_t count)
{
    return ((uint32_t)partner << 16) + ((uint32_t)(31 ^ __builtin_clz(count | 1)) << 26);
}

/* The two slots of a call. */
FM_INLINE struct fm_memo *fm_memo_set(struct fm_thread *self, uintptr_t site, uint32_t salt)
{
    uint32_t hash = ((uint32_t)site ^ salt) * 0xac4fc24bu;
    return self->memos[hash >> (32 - __builtin_ctz(FM_MEMO_SETS))];
}

/* The memo of a site and region, or NULL. The caller has to check whether it is valid. */
FM_INLINE struct fm_memo *fm_memo_find(struct fm_thread *self, uintptr_t site, uint32_t region, uint32_t salt)
{
    struct fm_memo *memo = fm_memo_set(self, site, salt);
    uint64_t site_region = (uint64_t)site << 16 | region;
    if (FM_LIKELY(memo->key.site_region == site_region))
        return memo;
    return memo[1].key.site_region == site_region ? &memo[1] : NULL;
}

/* Whether a memo is valid: its entry still has its key, and measuring is on. In a forked child memos are empty and not
 * valid. */
FM_INLINE bool fm_memo_holds(const struct fm_memo *memo)
{
    return FM_LIKELY(memo->generation == __atomic_load_n(&fm_rt.generation, __ATOMIC_RELAXED));
}

/* Whether a memo that was valid before a call, and is not after it, still means the same. */
FM_INLINE bool fm_memo_means_the_same(const struct fm_memo *memo)
{
    return memo->generation / FM_GENERATION == fm_generation() / FM_GENERATION;
}

/* Whether a count is in the range of a memo. */
FM_INLINE bool fm_memo_has_count(const struct fm_memo *memo, int64_t count)
{
    return FM_LIKELY((uint32_t)count - memo->from <= memo->span);
}

/* Whether a length is in the range of the memo of a receive; one that does not fit into 32 bits never is. */
FM_INLINE bool fm_memo_has_length(const struct fm_memo *memo, uint64_t bytes)
{
    return FM_LIKELY(bytes - memo->from <= memo->span);
}

FM_INLINE bool fm_memo_has_handles(const struct fm_memo *memo, fm_word comm, fm_word type)
{
    return FM_LIKELY((((memo->comm ^ comm) | (memo->type ^ type)) & fm_abi.handle_mask) == 0);
}

/* Records a call and ends it, as fm_call_finish does, and creates a memo. `memo` contains the arguments that matter. */
void fm_call_finish_known(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event,
                          struct fm_memo memo, uint32_t salt);
/* Only creates the memo, with the generation that it has: for a receive that was posted and is recorded later. */
void fm_call_remember(struct fm_call *call, const struct fm_key *key, struct fm_entry *entry, struct fm_memo memo,
                      uint32_t salt);
/* For a receive: sets the range of lengths that have the same size bin as this one. Returns false if it cannot be
 * stored. */
bool fm_memo_lengths(struct fm_memo *memo, uint64_t bytes);
/* For a routine with a datatype: sets the range of counts that have the same size bin as this one. Returns false if it
 * cannot be stored. */
bool fm_memo_counts(struct fm_memo *memo, int64_t count, uint64_t item_bytes);

#endif
