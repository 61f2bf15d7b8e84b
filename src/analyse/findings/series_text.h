/* SPDX-License-Identifier: BSD-3-Clause */
/* The call sites of successive reductions (analyse/balance/mergeable.h) in words. */
#ifndef FM_ANALYSE_FINDINGS_SERIES_TEXT_H
#define FM_ANALYSE_FINDINGS_SERIES_TEXT_H

#include "analyse/balance/mergeable.h"
#include "symbols/symbols.h"

/* "pcg.f90:118 and :121 (pcg)", "a.c:3 (first) and b.c:7 (second)". Sites must be resolved; symbols may be NULL. Returns
 * NULL if out of memory. */
const char *fm_series_places(const struct fm_mergeable *series, struct fm_symbols *symbols, struct fm_arena *arena);

/* "follow each other 48,000 times per rank, often within 2 us". Returns NULL if out of memory. */
const char *fm_series_times(const struct fm_mergeable *series, struct fm_arena *arena);

#endif
