/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts which earlier edge is most similar to an edge: the columns of edges are stored as differences from it. The
 * writer and the reader must agree, so both use this. The array has the sent edges, then the received ones. */
#ifndef FM_MODEL_EDGES_H
#define FM_MODEL_EDGES_H

#include "model/profile.h"

enum fm_edge_column {
    FM_EDGE_FROM,
    FM_EDGE_DISTANCE, /* to - from, as 0, -1, 1, -2, 2 ... */
    FM_EDGE_MESSAGES,
    FM_EDGE_BYTES,
    FM_EDGE_TIME,
    FM_EDGE_COLUMNS
};

uint64_t fm_edge_get(const struct fm_edge *edge, int column);
void fm_edge_set(struct fm_edge *edge, int column, uint64_t value);

/* Fills before[1..n-1] with smaller indices, for one column. The columns before it must be filled in; for the columns
 * from messages on, the edges must have been checked to be sorted. */
void fm_edges_before(const struct fm_edge *edges, size_t n_sent, size_t n, int column, uint32_t *before);

#endif
