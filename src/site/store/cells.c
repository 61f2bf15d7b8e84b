/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "site/store/cells.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const int64_t *key, size_t n)
{
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)key[i]) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
    }
    return hash;
}

static size_t slot_of(const struct fm_cells *cells, const int64_t *key)
{
    size_t at = hash_of(key, cells->n_keys) & (cells->n_slots - 1);
    while (cells->slots[at] &&
           memcmp(cells->keys + (cells->slots[at] - 1) * cells->n_keys, key, cells->n_keys * sizeof *key) != 0)
        at = (at + 1) & (cells->n_slots - 1);
    return at;
}

static bool grow_slots(struct fm_cells *cells)
{
    size_t n = cells->n_slots ? 2 * cells->n_slots : 1024;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    free(cells->slots);
    cells->slots = slots;
    cells->n_slots = n;
    for (size_t i = 0; i < cells->n; i++)
        slots[slot_of(cells, cells->keys + i * cells->n_keys)] = (uint32_t)i + 1;
    return true;
}

static bool grow(struct fm_cells *cells)
{
    size_t capacity = cells->capacity ? 2 * cells->capacity : 512;
    int64_t *keys = realloc(cells->keys, capacity * cells->n_keys * sizeof *keys);
    if (keys)
        cells->keys = keys;
    double *values = realloc(cells->values, capacity * cells->n_values * sizeof *values);
    if (values)
        cells->values = values;
    if (!keys || !values)
        return false;
    cells->capacity = capacity;
    return true;
}

double *fm_cells_at(struct fm_cells *cells, const int64_t *key)
{
    if (2 * (cells->n + 1) > cells->n_slots && !grow_slots(cells))
        return NULL;
    size_t slot = slot_of(cells, key);
    if (!cells->slots[slot]) {
        if (cells->n == cells->capacity && !grow(cells))
            return NULL;
        memcpy(cells->keys + cells->n * cells->n_keys, key, cells->n_keys * sizeof *key);
        memset(cells->values + cells->n * cells->n_values, 0, cells->n_values * sizeof *cells->values);
        cells->slots[slot] = (uint32_t)++cells->n;
    }
    return cells->values + (cells->slots[slot] - 1) * cells->n_values;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct fm_cells *cells = context;
    const int64_t *x = cells->keys + *(const uint32_t *)a * cells->n_keys;
    const int64_t *y = cells->keys + *(const uint32_t *)b * cells->n_keys;
    for (size_t i = 0; i < cells->n_keys; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

uint32_t *fm_cells_order(const struct fm_cells *cells)
{
    uint32_t *order = malloc((cells->n + 1) * sizeof *order);
    for (size_t i = 0; order && i < cells->n; i++)
        order[i] = (uint32_t)i;
    if (order)
        qsort_r(order, cells->n, sizeof *order, compare, (void *)cells);
    return order;
}

void fm_cells_clear(struct fm_cells *cells)
{
    cells->n = 0;
    if (cells->slots)
        memset(cells->slots, 0, cells->n_slots * sizeof *cells->slots);
}

void fm_cells_destroy(struct fm_cells *cells)
{
    free(cells->keys);
    free(cells->values);
    free(cells->slots);
    *cells = (struct fm_cells){.n_keys = cells->n_keys, .n_values = cells->n_values};
}
