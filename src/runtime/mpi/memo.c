/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/memo.h"

bool fm_memo_counts(struct fm_memo *memo, int64_t count, uint64_t item_bytes)
{
    if (count < 0 || count > INT32_MAX || item_bytes > UINT32_MAX)
        return false;
    memo->item_bytes = (uint32_t)item_bytes;
    memo->from = (uint32_t)count;
    memo->span = 0;
    if (count == 0 || item_bytes == 0)
        return true;
    unsigned bin = fm_size_bin((uint64_t)count * item_bytes);
    uint64_t last = fm_size_bin_to(bin) / item_bytes;
    memo->from = (uint32_t)((fm_size_bin_from(bin) + item_bytes - 1) / item_bytes);
    memo->span = (uint32_t)(last < INT32_MAX ? last : INT32_MAX) - memo->from;
    return true;
}

bool fm_memo_lengths(struct fm_memo *memo, uint64_t bytes)
{
    unsigned bin = fm_size_bin(bytes);
    if (fm_size_bin_to(bin) > UINT32_MAX)
        return false;
    memo->from = (uint32_t)fm_size_bin_from(bin);
    memo->span = (uint32_t)fm_size_bin_to(bin) - memo->from;
    return true;
}

/* The fast path checks neither whether the next definition is resolved nor which clock is in use. */
static bool next_is_known(unsigned routine)
{
    fm_next(2 * routine);
    fm_next(2 * routine + 1);
    return fm_next_table[2 * routine] && fm_next_table[2 * routine + 1];
}

/* A memo is used by calls of both names. */
static void set_call_table(const struct fm_call *call)
{
    for (unsigned slot = 2 * call->routine, i = 0; i < 2 && !fm_call_table[slot + i]; i++)
        fm_call_table[slot + i] = fm_rt.split ? call->counted[i] : fm_next_table[slot + i];
}

/* The newest memo comes first. One that is not valid any more is the first to be replaced. */
void fm_call_remember(struct fm_call *call, const struct fm_key *key, struct fm_entry *entry, struct fm_memo memo,
                      uint32_t salt)
{
    if (!call->fast || call->unusual || fm_rt.clock.coarse || !next_is_known(call->routine))
        return;
    set_call_table(call);
    struct fm_memo *set = fm_memo_set(call->self, (uintptr_t)(key->site_region >> 16), salt);
    if (fm_memo_holds(&set[0]))
        set[1] = set[0];
    memo.key = *key;
    memo.entry = entry;
    set[0] = memo;
}

void fm_call_finish_known(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event,
                          struct fm_memo memo, uint32_t salt)
{
    struct fm_key key = {peer, call->routine, (uint8_t)size_bin, (uint8_t)call->self->slot, call->site_region};
    memo.generation = fm_generation();
    struct fm_entry *entry = fm_record(call->self, key, event);
    if (entry && fm_entry_is_settled(entry, &key))
        fm_call_remember(call, &key, entry, memo, salt);
    fm_call_leave(call);
}
