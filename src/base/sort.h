/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting without malloc (qsort of libc may allocate from the program's heap). */
#ifndef FM_BASE_SORT_H
#define FM_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef int fm_compare(const void *a, const void *b);

/* Stable. Needs n * item_size bytes of `scratch`. Returns false if out of memory; the items are then unchanged. */
bool fm_sort(void *items, size_t n, size_t item_size, fm_compare *compare, struct fm_arena *scratch);

#endif
