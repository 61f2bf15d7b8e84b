/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums under keys of several numbers: a hash table in memory. */
#ifndef FM_SITE_STORE_CELLS_H
#define FM_SITE_STORE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_cells {
    size_t n_keys, n_values; /* set by the owner */
    int64_t *keys;           /* n * n_keys */
    double *values;          /* n * n_values */
    uint32_t *slots;         /* 0: free, else number of the cell + 1 */
    size_t n, capacity, n_slots;
};

/* The values under a key, 0 if it is new; NULL if out of memory. Valid until the next call. */
double *fm_cells_at(struct fm_cells *cells, const int64_t *key);
/* Numbers of the cells in the order of their keys, to be freed; NULL if out of memory. */
uint32_t *fm_cells_order(const struct fm_cells *cells);
void fm_cells_clear(struct fm_cells *cells); /* keeps the memory */
void fm_cells_destroy(struct fm_cells *cells);

#endif
