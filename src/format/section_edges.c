/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point traffic. In a large job only the heaviest edges are written; the others are summed. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "format/sections.h"
#include "model/check.h"
#include "model/edges.h"
#include "model/order.h"

static int by_weight(const void *a, const void *b)
{
    const struct fm_edge *x = a, *y = b;
    int order = fm_compare_number(y->bytes, x->bytes);
    if (!order)
        order = fm_compare_number(y->messages, x->messages);
    return order ? order : fm_edge_compare(x, y);
}

static int by_ranks(const void *a, const void *b)
{
    return fm_edge_compare(a, b);
}

/* Copies the edges to be written to `out`; the others are added to the dropped ones of `kept`. */
static void keep_edges(struct fm_column_writer *w, const struct fm_edges *edges, struct fm_edge *out,
                       struct fm_edges *kept)
{
    *kept = *edges;
    if (edges->n)
        memcpy(out, edges->items, edges->n * sizeof *out);
    kept->items = out;
    if (!w->large || edges->n <= FM_LARGE_EDGES)
        return;
    if (!fm_sort(out, edges->n, sizeof *out, by_weight, &w->scratch))
        w->failed = true;
    for (size_t i = FM_LARGE_EDGES; i < edges->n; i++) {
        fm_add_saturating(&kept->dropped, 1);
        fm_add_saturating(&kept->dropped_messages, out[i].messages);
        fm_add_saturating(&kept->dropped_bytes, out[i].bytes);
        fm_add_saturating(&kept->dropped_ns, out[i].time_ns);
    }
    kept->n = FM_LARGE_EDGES;
    if (!fm_sort(out, kept->n, sizeof *out, by_ranks, &w->scratch))
        w->failed = true;
}

static void put_dropped(struct fm_column_writer *w, const struct fm_edges *edges)
{
    fm_put_number(w, edges->dropped);
    fm_put_number(w, edges->dropped_messages);
    fm_put_number(w, edges->dropped_bytes);
    fm_put_number(w, edges->dropped_ns);
}

static void put_edge_columns(struct fm_column_writer *w, const struct fm_edge *edges, size_t n_sent, size_t n)
{
    uint32_t *before = fm_arena_alloc(&w->scratch, n * sizeof *before);
    uint64_t *column = fm_put_room(w, n);
    if (!before || !column) {
        w->failed = true;
        return;
    }
    fm_put_number(w, FM_EDGE_COLUMNS);
    for (int part = 0; part < FM_EDGE_COLUMNS; part++) {
        fm_edges_before(edges, n_sent, n, part, before);
        for (size_t i = 0; i < n; i++)
            column[i] = fm_edge_get(&edges[i], part);
        fm_pack_column(&w->pack, column, n, before, false);
    }
}

void fm_put_edges(struct fm_column_writer *w)
{
    if (w->collecting)
        return;
    const struct fm_profile *p = w->profile;
    struct fm_edge *edges = fm_arena_alloc(&w->scratch, (p->sent.n + p->received.n) * sizeof *edges);
    if (!edges) {
        w->failed = true;
        return;
    }
    struct fm_edges sent, received;
    keep_edges(w, &p->sent, edges, &sent);
    keep_edges(w, &p->received, edges + sent.n, &received);
    fm_put_number(w, sent.n);
    fm_put_number(w, received.n);
    put_dropped(w, &sent);
    put_dropped(w, &received);
    put_edge_columns(w, edges, sent.n, sent.n + received.n);
}

static void get_dropped(struct fm_column_reader *r, struct fm_edges *edges)
{
    edges->dropped = fm_unpack_number(&r->unpack);
    edges->dropped_messages = fm_unpack_number(&r->unpack);
    edges->dropped_bytes = fm_unpack_number(&r->unpack);
    edges->dropped_ns = fm_unpack_number(&r->unpack);
}

void fm_get_edges(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n_sent = fm_get_count(r, FM_EDGE_COLUMNS), n = n_sent + fm_get_count(r, FM_EDGE_COLUMNS);
    struct fm_edge *edges = fm_column_reader_take(r, &p->arena, n, sizeof *edges);
    uint32_t *before = fm_column_reader_take(r, &r->scratch, n, sizeof *before);
    if (n > UINT32_MAX)
        r->wrong = "invalid count";
    if (fm_column_reader_stopped(r))
        return;
    get_dropped(r, &p->sent);
    get_dropped(r, &p->received);
    uint64_t columns = r->version > 1 ? fm_unpack_number(&r->unpack) : FM_EDGE_COLUMNS;
    if (columns < FM_EDGE_COLUMNS || columns > FM_MOST_COLUMNS)
        r->wrong = "invalid number of edge columns";
    for (int part = 0; part < FM_EDGE_COLUMNS; part++) {
        if (part == FM_EDGE_MESSAGES && !fm_edges_sorted(edges, n_sent))
            r->wrong = "edges out of order";
        if (fm_column_reader_stopped(r))
            return;
        fm_edges_before(edges, n_sent, n, part, before);
        const uint64_t *column = fm_get_column(r, n, before);
        for (size_t i = 0; column && i < n; i++)
            fm_edge_set(&edges[i], part, column[i]);
    }
    for (uint64_t part = FM_EDGE_COLUMNS; part < columns; part++) /* of a newer Fathom, written without `before` */
        fm_get_column(r, n, NULL);
    r->profile->left_out.columns += (uint32_t)(columns - FM_EDGE_COLUMNS);
    p->sent.items = edges;
    p->sent.n = p->sent.capacity = n_sent;
    p->received.items = edges + n_sent;
    p->received.n = p->received.capacity = n - n_sent;
}
