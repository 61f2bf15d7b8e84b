/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/edges.h"

#include "model/order.h"

uint64_t fm_edge_get(const struct fm_edge *edge, int column)
{
    uint64_t distance = (uint64_t)edge->to - edge->from;
    const uint64_t values[] = {edge->from, distance << 1 ^ (0 - (distance >> 63)), edge->messages, edge->bytes,
                               edge->time_ns};
    return values[column];
}

void fm_edge_set(struct fm_edge *edge, int column, uint64_t value)
{
    if (column == FM_EDGE_FROM)
        edge->from = (uint32_t)value;
    else if (column == FM_EDGE_DISTANCE)
        edge->to = (uint32_t)(edge->from + (value >> 1 ^ (0 - (value & 1))));
    else
        *(column == FM_EDGE_MESSAGES ? &edge->messages
          : column == FM_EDGE_BYTES  ? &edge->bytes
                                     : &edge->time_ns) = value;
}

static void before_from(size_t n_sent, size_t n, uint32_t *before)
{
    /* What is sent is received: the two lists are mostly equal. */
    for (size_t i = 1; i < n; i++)
        before[i] = (uint32_t)(i >= n_sent && i - n_sent < n_sent ? i - n_sent : i - 1);
}

static void before_to(const struct fm_edge *edges, size_t n_sent, size_t n, uint32_t *before)
{
    before_from(n_sent, n, before);
    /* The kth peer of a rank is usually as far away as the kth peer of the previous rank. */
    size_t last_start = 0, start = 0;
    for (size_t i = 1; i < n_sent; i++) {
        if (edges[i].from != edges[i - 1].from) {
            last_start = start;
            start = i;
        }
        if (last_start + (i - start) < start)
            before[i] = (uint32_t)(last_start + (i - start));
    }
}

/* The index of the edge from -> to among the first n sent edges, or n. */
static size_t find(const struct fm_edge *edges, size_t n, uint32_t from, uint32_t to)
{
    const struct fm_edge wanted = {.from = from, .to = to};
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fm_edge_compare(&edges[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && !fm_edge_compare(&edges[low], &wanted) ? low : n;
}

static void before_load(const struct fm_edge *edges, size_t n_sent, size_t n, uint32_t *before)
{
    before_to(edges, n_sent, n, before);
    for (size_t i = 1; i < n; i++) {
        /* A received edge usually has the values of the same edge as sent, and a sent one those of the reverse edge. */
        size_t limit = i < n_sent ? i : n_sent;
        size_t similar = i < n_sent ? find(edges, limit, edges[i].to, edges[i].from)
                                    : find(edges, limit, edges[i].from, edges[i].to);
        if (similar < limit)
            before[i] = (uint32_t)similar;
    }
}

void fm_edges_before(const struct fm_edge *edges, size_t n_sent, size_t n, int column, uint32_t *before)
{
    if (column == FM_EDGE_FROM)
        before_from(n_sent, n, before);
    else if (column == FM_EDGE_DISTANCE)
        before_to(edges, n_sent, n, before);
    else
        before_load(edges, n_sent, n, before);
}
