/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of tasks in readable form. A long list is shown as a pattern if it has one, else truncated:
 *
 *   0-3,7                        a short list
 *   0-4497 by 3                  0, 3, 6 ... 4497
 *   2-4499, 2 of each 4          2-3, 6-7 ... 4498-4499
 *   0-1,5 again each 8, to 61    0-1, 5, 8-9, 13 ... 61
 *   block [0-1, 2-3] of 4x4      of a grid of all tasks
 *   0,2-4,13-22,...              the beginning
 *
 * All but the last are exact. */
#ifndef FM_MODEL_TIMER_TASKS_H
#define FM_MODEL_TIMER_TASKS_H

#include "base/rankset.h"
#include "model/grid.h"

/* The text, allocated from the arena, at most `columns` long if at all possible; NULL if out of memory. A grid without
 * dimensions means no grid. */
const char *fm_tasks_text(const struct fm_rankset *tasks, const struct fm_grid *grid, size_t columns,
                          struct fm_arena *arena);

#endif
