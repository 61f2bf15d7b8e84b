/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/timer_tasks.h"

#include "base/writer.h"

enum { PERIOD_RANGES = 4 }; /* maximum length of a repeated pattern */

static void write_range(struct fm_writer *w, uint32_t first, uint32_t last)
{
    if (first == last)
        fm_write(w, "%u", first);
    else
        fm_write(w, "%u-%u", first, last);
}

static void write_ranges(struct fm_writer *w, const struct fm_rankset *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fm_write(w, "%s", i ? "," : "");
        write_range(w, tasks->ranges[i].first, tasks->ranges[i].last);
    }
}

/* ---- patterns ---- */

/* Whether the first `m` ranges repeat with a period of *period ranks; the last range may end early. */
static bool repeats(const struct fm_rankset *tasks, size_t m, uint32_t *period)
{
    *period = tasks->ranges[m].first - tasks->ranges[0].first;
    for (size_t i = m; i < tasks->n; i++) {
        const struct fm_range *before = &tasks->ranges[i - m], *now = &tasks->ranges[i];
        uint64_t last = (uint64_t)before->last + *period;
        if (now->first - before->first != *period || now->last > last || (now->last < last && i + 1 < tasks->n))
            return false;
    }
    return true;
}

static bool write_pattern(struct fm_writer *w, const struct fm_rankset *tasks)
{
    uint32_t period = 0;
    size_t m = 1;
    while (m <= PERIOD_RANGES && 3 * m <= tasks->n && !repeats(tasks, m, &period))
        m++;
    if (m > PERIOD_RANGES || 3 * m > tasks->n || tasks->n < 4)
        return false;
    const struct fm_range *first = &tasks->ranges[0], *last = &tasks->ranges[tasks->n - 1];
    if (m == 1 && first->first == first->last) {
        fm_write(w, "%u-%u by %u", first->first, last->last, period);
    } else if (m == 1) {
        fm_write(w, "%u-%u, %u of each %u", first->first, last->last, first->last - first->first + 1, period);
    } else {
        write_ranges(w, tasks, m);
        fm_write(w, " again each %u, to %u", period, last->last);
    }
    return true;
}

/* ---- blocks ---- */

struct block {
    uint64_t from[FM_GRID_DIMS], to[FM_GRID_DIMS]; /* coordinates, both inclusive */
    uint64_t stride[FM_GRID_DIMS + 1];             /* stride[d]: tasks per step of dimension d - 1 */
};

/* The smallest block that can contain them: from the coordinates of the first task to those of the last. */
static bool bounding_block(const struct fm_rankset *tasks, const struct fm_grid *grid, struct block *block)
{
    uint64_t first = tasks->ranges[0].first, last = tasks->ranges[tasks->n - 1].last;
    block->stride[grid->n] = 1;
    for (size_t d = grid->n; d-- > 0;) {
        if (grid->dims[d] == 0 || block->stride[d + 1] > UINT32_MAX)
            return false;
        block->stride[d] = block->stride[d + 1] * grid->dims[d];
        block->from[d] = first / block->stride[d + 1] % grid->dims[d];
        block->to[d] = last / block->stride[d + 1] % grid->dims[d];
        if (block->from[d] > block->to[d])
            return false;
    }
    return last < block->stride[0];
}

/* The first task of a row of the block; rows are numbered over the block's coordinates before `inner`. */
static uint64_t row_start(const struct block *block, size_t inner, uint64_t row)
{
    uint64_t start = block->from[inner] * block->stride[inner + 1];
    for (size_t d = inner; d-- > 0;) {
        uint64_t extent = block->to[d] - block->from[d] + 1;
        start += (block->from[d] + row % extent) * block->stride[d + 1];
        row /= extent;
    }
    return start;
}

/* Whether the ranges are the rows of the block: the dimensions after the last one that is restricted are contiguous. */
static bool is_block(const struct fm_rankset *tasks, const struct fm_grid *grid, const struct block *block)
{
    size_t inner = grid->n - 1;
    while (inner > 0 && block->from[inner] == 0 && block->to[inner] == grid->dims[inner] - 1)
        inner--;
    uint64_t run = (block->to[inner] - block->from[inner] + 1) * block->stride[inner + 1];
    for (size_t row = 0; row < tasks->n; row++) {
        uint64_t start = row_start(block, inner, row);
        if (tasks->ranges[row].first != start || tasks->ranges[row].last != start + run - 1)
            return false;
    }
    return true; /* the block reaches from the first task to the last, so all rows were compared */
}

/* A block that is a single range is not written as a block. */
static bool write_block(struct fm_writer *w, const struct fm_rankset *tasks, const struct fm_grid *grid)
{
    struct block block;
    if (grid->n < 2 || grid->n > FM_GRID_DIMS || tasks->n < 2 || !bounding_block(tasks, grid, &block) ||
        !is_block(tasks, grid, &block))
        return false;
    fm_write(w, "block [");
    for (size_t d = 0; d < grid->n; d++) {
        fm_write(w, "%s", d ? ", " : "");
        write_range(w, (uint32_t)block.from[d], (uint32_t)block.to[d]);
    }
    fm_write(w, "] of ");
    for (size_t d = 0; d < grid->n; d++)
        fm_write(w, "%s%u", d ? "x" : "", grid->dims[d]);
    return true;
}

/* ---- task lists ---- */

/* The whole list, or as many ranges as fit together with the dots, but at least one. */
static void write_truncated(struct fm_writer *w, const struct fm_rankset *tasks, size_t columns)
{
    static const char dots[] = ",...";
    size_t cut = 0; /* length of the text if it is cut here and dots are added */
    for (size_t i = 0; i < tasks->n && w->n <= columns && !w->failed; i++) {
        fm_write(w, "%s", i ? "," : "");
        write_range(w, tasks->ranges[i].first, tasks->ranges[i].last);
        if (i == 0 || w->n + sizeof dots - 1 <= columns)
            cut = w->n;
    }
    if (w->n > columns && cut < w->n) {
        w->n = cut;
        fm_write(w, "%s", dots);
    }
}

const char *fm_tasks_text(const struct fm_rankset *tasks, const struct fm_grid *grid, size_t columns,
                          struct fm_arena *arena)
{
    struct fm_writer w = {.arena = arena};
    if (write_block(&w, tasks, grid) && w.n <= columns)
        return fm_writer_text(&w);
    w.n = 0;
    if (write_pattern(&w, tasks) && w.n <= columns)
        return fm_writer_text(&w);
    w.n = 0;
    write_truncated(&w, tasks, columns);
    return fm_writer_text(&w);
}
