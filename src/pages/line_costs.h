/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of each source line, from a tree of calls. Exclusive: time spent in the line itself. Inclusive: time with the
 * line on the stack, in which it is spent or which calls, counted once even if the line is there several times. */
#ifndef FM_PAGES_LINE_COSTS_H
#define FM_PAGES_LINE_COSTS_H

#include "pages/columns.h"

struct fm_line_cost {
    int32_t path; /* number of a string of the columns */
    uint32_t line;
    uint64_t all_ns, own_ns;
};

struct fm_line_costs {
    struct fm_line_cost *items; /* by path and line */
    size_t n;
};

/* Returns false if out of memory. */
bool fm_line_costs_find(const struct fm_columns *calls, struct fm_arena *arena, struct fm_line_costs *costs);
/* Those of one file. */
struct fm_line_costs fm_line_costs_of(const struct fm_line_costs *costs, int32_t path);

#endif
