/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/succession.h"

#include "runtime/load_modules.h"

enum { TRIES = 16 }; /* number of items that are searched */

const struct fm_memo fm_no_memo;

static struct fm_segment_succession *search(const struct fm_segment_succession *wanted, bool *is_free)
{
    const uint32_t mask = fm_rt.segment->sections[FM_SECTION_SUCCESSIONS].capacity - 1;
    uint64_t hash = (wanted->first * 31 + wanted->second + wanted->thread) * 0x9e3779b97f4a7c15u >> 32;
    for (uint32_t i = 0; i < TRIES; i++) {
        struct fm_segment_succession *item = &fm_rt.successions[(hash + i) & mask];
        uint64_t second = __atomic_load_n(&item->second, __ATOMIC_ACQUIRE);
        *is_free = !second;
        if (item != fm_rt.successions &&
            (!second || (second == wanted->second && item->first == wanted->first && item->thread == wanted->thread &&
                         item->routine == wanted->routine)))
            return item;
    }
    return NULL;
}

static struct fm_segment_succession *add(const struct fm_segment_succession *wanted)
{
    bool is_free;
    fm_load_module_list((uintptr_t)(wanted->first >> 16));
    fm_load_module_list((uintptr_t)(wanted->second >> 16));
    fm_lock(&fm_rt.table_lock);
    struct fm_segment_succession *item = search(wanted, &is_free);
    if (item) {
        item->first = wanted->first;
        item->routine = wanted->routine;
        item->thread = wanted->thread;
        __atomic_store_n(&item->second, wanted->second, __ATOMIC_RELEASE);
    } else {
        fm_rt.segment->lost_successions++;
    }
    fm_unlock(&fm_rt.table_lock);
    return item;
}

int32_t fm_succession_find(struct fm_thread *self, unsigned which, const struct fm_key *key)
{
    struct fm_segment_succession wanted = {.first = self->reductions[which].memo->key.site_region,
                                           .second = key->site_region,
                                           .routine = key->routine,
                                           .thread = (uint8_t)self->slot};
    bool is_free;
    struct fm_segment_succession *item = search(&wanted, &is_free);
    if (!item || is_free)
        item = add(&wanted);
    return item ? (int32_t)((const char *)item - (const char *)fm_rt.successions) : 0;
}

bool fm_reduction_enter(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame)
{
    struct fm_thread *self = fm_local.self;
    uint64_t call_start = self && self->seg ? self->seg->call_start : 0;
    unsigned which = fm_reduction_of(routine);
    if (!fm_call_enter(call, routine, is_pmpi, frame))
        return false;
    if (which < FM_REDUCTIONS && !call->unusual) {
        if (!call->self->reductions[which].memo) /* the first one of this thread */
            call->self->reductions[which].memo = &fm_no_memo;
        fm_reduction_begin(call->self, which, call_start);
    }
    return true;
}

static bool overlap(struct fm_buffer a, struct fm_buffer b)
{
    return a.from < b.from ? b.from - a.from < a.bytes : a.from - b.from < b.bytes;
}

/* Whether the call sends what the last one has received, as far as that is known. */
static bool is_dependent(const struct fm_last_reduction *last, const struct fm_reduction_arguments *now)
{
    return last->own_start == last->start && last->received.bytes && overlap(last->received, now->sent);
}

int32_t fm_reduction_returned(struct fm_call *call, const struct fm_reduction_arguments *now)
{
    unsigned which = fm_reduction_of(call->routine);
    if (which == FM_REDUCTIONS || call->unusual)
        return 0;
    struct fm_last_reduction *last = &call->self->reductions[which];
    if (!now || fm_rt.paused) {
        last->memo = &fm_no_memo;
        return 0;
    }
    struct fm_memo own = {.key = {.routine = call->routine, .site_region = call->site_region},
                          .comm = now->comm & fm_abi.handle_mask};
    if (last->root != now->root)
        last->memo = &fm_no_memo;
    int32_t found = 0;
    if (last->memo->comm == own.comm) {
        found = fm_succession_find(call->self, which, &own.key);
        struct fm_segment_succession *item = fm_succession_at(found);
        fm_succession_count(item, call->start - last->end);
        item->dependent |= is_dependent(last, now);
    }
    *last = (struct fm_last_reduction){.start = call->start,
                                       .memo = &last->own,
                                       .own = own,
                                       .own_start = call->start,
                                       .received = now->received,
                                       .root = now->root,
                                       .end = fm_clock_ticks(&fm_rt.clock)};
    return found;
}
