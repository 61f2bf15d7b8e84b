/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without malloc (the C library's qsort takes memory from the program's heap). */
#ifndef FM_BASE_SORT_H
#define FM_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef int fm_compare(const void *a, const void *b);

/* Stable. Takes as much memory from `scratch` as the items have; false: there was none, nothing was done. */
bool fm_sort(void *items, size_t n, size_t item_size, fm_compare *compare, struct fm_arena *scratch);

#endif
