/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread remembers of its ordinary calls, so that the next one like it need not find out again where it was made
 * from, what its handles mean, and which entry of the table it goes to.
 *
 * A memo is found by the call site and what varies most there, the partner and the magnitude of the count. It holds for
 * a call with the same site, region, routine and arguments (the count may be any that has the same size) as long as
 * nothing has happened that could change its meaning: every such event begins a new generation of the process
 * (fm_forget_memos). They are a handle that is freed, an entry that gives up its key, and a pause. */
#ifndef FM_RUNTIME_MPI_MEMO_H
#define FM_RUNTIME_MPI_MEMO_H

#include "runtime/mpi/call.h"

/* What of the arguments is in the place of a memo; 0 for routines without any. The bits of an address that differ in
 * one program are left alone as far as possible. */
FM_INLINE uint32_t fm_memo_salt(int32_t partner, uint32_t count)
{
    return ((uint32_t)partner << 21) + ((uint32_t)(31 ^ __builtin_clz(count | 1)) << 16);
}

/* The two places of a call. */
FM_INLINE struct fm_memo *fm_memo_set(struct fm_thread *self, uintptr_t site, uint32_t salt)
{
    uint32_t hash = ((uint32_t)site ^ salt) * 0x9e3779b1u;
    return self->memos[hash >> (32 - __builtin_ctz(FM_MEMO_SETS))];
}

/* The one of a site and region, or NULL; whether it holds has to be seen. */
FM_INLINE struct fm_memo *fm_memo_find(struct fm_thread *self, uintptr_t site, uint32_t region, uint32_t salt)
{
    struct fm_memo *memo = fm_memo_set(self, site, salt);
    uint64_t site_region = (uint64_t)site << 16 | region;
    if (FM_LIKELY(memo->key.site_region == site_region))
        return memo;
    return memo[1].key.site_region == site_region ? &memo[1] : NULL;
}

/* Whether its entry is still that of its key, and measuring is on. In a forked child it is empty, and does not. */
FM_INLINE bool fm_memo_holds(const struct fm_memo *memo)
{
    return FM_LIKELY(memo->generation == __atomic_load_n(&fm_rt.generation, __ATOMIC_RELAXED));
}

/* Of the counts that a memo is for. */
FM_INLINE bool fm_memo_has_count(const struct fm_memo *memo, int64_t count)
{
    return FM_LIKELY((uint32_t)count - memo->from <= memo->span);
}

/* Of the lengths that the memo of a receive is for; a length that does not fit into 32 bits is none. */
FM_INLINE bool fm_memo_has_length(const struct fm_memo *memo, uint64_t bytes)
{
    return FM_LIKELY(bytes - memo->from <= memo->span);
}

FM_INLINE bool fm_memo_has_handles(const struct fm_memo *memo, fm_word comm, fm_word type)
{
    return FM_LIKELY((((memo->comm ^ comm) | (memo->type ^ type)) & fm_abi.handle_mask) == 0);
}

/* Records a call and ends it, as fm_call_finish does, and remembers it: `memo` has what of its arguments matters. */
void fm_call_finish_known(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event,
                          struct fm_memo memo, uint32_t salt);
/* Only remembers it, with the generation of the memo: of a receive that was posted, and is recorded later. */
void fm_call_remember(struct fm_call *call, const struct fm_key *key, struct fm_entry *entry, struct fm_memo memo,
                      uint32_t salt);
/* Of a receive: the lengths around this one that give the same size. false: they cannot be kept. */
bool fm_memo_lengths(struct fm_memo *memo, uint64_t bytes);
/* Of a routine with a datatype: the counts around this one that give the same size. false: they cannot be kept. */
bool fm_memo_counts(struct fm_memo *memo, int64_t count, uint64_t item_bytes);

#endif
