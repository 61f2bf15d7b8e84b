/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/topology.h"

#include <stdlib.h>
#include <string.h>

static int compare_ends(const struct fm_edge *a, const struct fm_edge *b)
{
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct fm_pair *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->messages != y->messages)
        return x->messages < y->messages ? 1 : -1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Merges two sorted lists. */
static size_t join(const struct fm_edges *sent, const struct fm_edges *received, struct fm_pair *pairs)
{
    size_t s = 0, r = 0, n = 0;
    while (s < sent->n || r < received->n) {
        int order = s == sent->n ? 1 : r == received->n ? -1 : compare_ends(&sent->items[s], &received->items[r]);
        const struct fm_edge *out = order <= 0 ? &sent->items[s++] : NULL;
        const struct fm_edge *in = order >= 0 ? &received->items[r++] : NULL;
        const struct fm_edge *known = order <= 0 ? out : in;
        pairs[n++] = (struct fm_pair){
            .from = known->from,
            .to = known->to,
            .messages = known->messages,
            .bytes = known->bytes,
            .send_ns = out ? out->time_ns : 0,
            .receive_ns = in ? in->time_ns : 0,
        };
    }
    return n;
}

enum fm_status fm_topology_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_topology *topology,
                                struct fm_error *error)
{
    size_t max = profile->sent.n + profile->received.n;
    *topology = (struct fm_topology){
        .pairs = fm_arena_alloc(arena, max * sizeof *topology->pairs),
        .dropped = profile->sent.dropped,
        .dropped_messages = profile->sent.dropped_messages,
        .dropped_bytes = profile->sent.dropped_bytes,
    };
    if (!topology->pairs)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu pairs of ranks", max);
    topology->n = join(&profile->sent, &profile->received, topology->pairs);
    for (size_t i = 0; i < topology->n; i++) {
        topology->messages += topology->pairs[i].messages;
        topology->bytes += topology->pairs[i].bytes;
    }
    return FM_OK;
}

struct fm_pair *fm_topology_heaviest(const struct fm_topology *topology, struct fm_arena *arena)
{
    struct fm_pair *sorted = fm_arena_alloc(arena, topology->n * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, topology->pairs, topology->n * sizeof *sorted);
    qsort(sorted, topology->n, sizeof *sorted, heaviest_first);
    return sorted;
}

/* ---- by program ---- */

static int by_programs(const void *a, const void *b)
{
    const struct fm_program_pair *x = a, *y = b;
    if (x->sum.from != y->sum.from)
        return x->sum.from < y->sum.from ? -1 : 1;
    return (x->sum.to > y->sum.to) - (x->sum.to < y->sum.to);
}

static int heaviest_programs_first(const void *a, const void *b)
{
    return heaviest_first(&((const struct fm_program_pair *)a)->sum, &((const struct fm_program_pair *)b)->sum);
}

bool fm_topology_programs(const struct fm_topology *topology, const struct fm_program_ranges *ranges,
                          struct fm_arena *arena, struct fm_program_pairs *pairs)
{
    size_t n = 0;
    struct fm_program_pair *items = fm_arena_alloc(arena, topology->n * sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < topology->n; i++) {
        const struct fm_pair *pair = &topology->pairs[i];
        size_t from = fm_program_of_rank(ranges, pair->from), to = fm_program_of_rank(ranges, pair->to);
        if (from == FM_NO_PROGRAM || to == FM_NO_PROGRAM)
            continue;
        items[n] = (struct fm_program_pair){*pair, 1};
        items[n].sum.from = (uint32_t)from;
        items[n++].sum.to = (uint32_t)to;
    }
    qsort(items, n, sizeof *items, by_programs);
    *pairs = (struct fm_program_pairs){.items = items};
    for (size_t i = 0; i < n; i++) {
        struct fm_program_pair *last = pairs->n ? &items[pairs->n - 1] : NULL;
        if (!last || by_programs(last, &items[i])) {
            items[pairs->n++] = items[i];
            continue;
        }
        last->pairs++;
        last->sum.messages += items[i].sum.messages;
        last->sum.bytes += items[i].sum.bytes;
        last->sum.send_ns += items[i].sum.send_ns;
        last->sum.receive_ns += items[i].sum.receive_ns;
    }
    qsort(items, pairs->n, sizeof *items, heaviest_programs_first);
    return true;
}

double fm_pair_rate(const struct fm_pair *pair)
{
    uint64_t longer = pair->send_ns > pair->receive_ns ? pair->send_ns : pair->receive_ns;
    return longer ? (double)pair->bytes / ((double)longer * 1e-9) : 0;
}
