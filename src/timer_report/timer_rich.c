/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer_report/timer_rich.h"

#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "base/units.h"
#include "base/utf8.h"
#include "timer_report/timer_block.h"
#include "timer_report/timer_misuse_text.h"

enum { INDENT = 2, MAX_DEPTH = 8, MIN_NAME = 16, LOST_PERCENT = 5 };

/* Widths of the columns that depend on their content. */
struct widths {
    size_t name, events, tasks, task;
};

static size_t indent_of(const struct fm_timer_node *node)
{
    return INDENT * (node->depth < MAX_DEPTH ? node->depth : MAX_DEPTH);
}

/* A placeholder for uses without a timer: it appears only among the misuses. */
static bool is_placeholder(const struct fm_timer *timer)
{
    return !timer->events.ranks && strcmp(timer->name, FM_NO_TIMER) == 0;
}

static bool has_several_parents(const struct fm_timer *timer)
{
    return strcmp(timer->parent, FM_SEVERAL_PARENTS) == 0;
}

/* A timer is shown below the one that it was started in; a mark shows that there are several. */
static const char *name_of(const struct fm_timer *timer, struct fm_arena *arena)
{
    const char *marked = has_several_parents(timer) ? fm_written(arena, "%s *", timer->name) : NULL;
    return marked ? marked : timer->name;
}

static size_t count_width(uint64_t count)
{
    char text[FM_UNIT_CHARS];
    return strlen(fm_count_text(text, count));
}

static void widen(size_t *width, size_t to)
{
    *width = to > *width ? to : *width;
}

static struct widths find_widths(const struct fm_timer_node *nodes, size_t n)
{
    struct widths widths = {strlen("timer"), strlen("events"), strlen("tasks"), strlen("task")};
    for (size_t i = 0; i < n; i++) {
        const struct fm_timer *timer = nodes[i].timer;
        widen(&widths.name, indent_of(&nodes[i]) + fm_text_width(timer->name) + (has_several_parents(timer) ? 2 : 0));
        widen(&widths.events, count_width(timer->events.sum));
        widen(&widths.tasks, count_width(timer->events.ranks));
        widen(&widths.task, (size_t)snprintf(NULL, 0, "%u", timer->total_ns.max_rank));
    }
    size_t others = widths.events + widths.tasks + widths.task + 57;
    size_t available = others + MIN_NAME < FM_RICH_COLUMNS ? FM_RICH_COLUMNS - others : MIN_NAME;
    widths.name = widths.name < available ? widths.name : available;
    return widths;
}

/* The fraction of the longest total that the average task is idle if it waits for the longest. */
static double lost(const struct fm_timer *timer)
{
    double average = (double)fm_mean_of(timer->total_ns.sum, timer->total_ns.ranks), max = (double)timer->total_ns.max;
    return max > average ? 1 - average / max : 0;
}

static void write_figures(struct fm_writer *w, const struct fm_timer *timer, const struct widths *widths)
{
    const struct fm_spread *total = &timer->total_ns;
    char events[FM_UNIT_CHARS], tasks[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    fm_write(w, "  %*s  %*s  ", (int)widths->events, fm_count_text(events, timer->events.sum), (int)widths->tasks,
             fm_count_text(tasks, timer->events.ranks));
    fm_write_time(w, total->max);
    fm_write(w, "  %*u  ", (int)widths->task, total->max_rank);
    fm_write_time(w, fm_mean_of(total->sum, total->ranks));
    fm_write(w, "  ");
    fm_write_time(w, total->min);
    fm_write(w, "  %5s  ", total->ranks > 1 ? fm_percent_whole(share, lost(timer)) : "-");
    fm_write_time(w, fm_mean_of(fm_timer_exclusive(timer), total->ranks));
}

/* A timer can have nested timers but no events: it was never stopped. */
static void write_row(struct fm_writer *w, const struct fm_timer_node *node, const struct widths *widths)
{
    size_t indent = indent_of(node);
    fm_write(w, "%*s", (int)indent, "");
    fm_write_padded(w, name_of(node->timer, w->arena), widths->name - indent);
    if (node->timer->events.ranks)
        write_figures(w, node->timer, widths);
    else
        fm_write(w, "  %*s  (no finished event)", (int)widths->events, "-");
    fm_write_end(w);
}

/* Writes the timer with the longest wait for its slowest task, if any. */
static void write_worst(struct fm_writer *w, const struct fm_timer_node *nodes, size_t n)
{
    const struct fm_timer *worst = NULL;
    double longest = 0;
    char max[FM_UNIT_CHARS], average[FM_UNIT_CHARS];
    for (size_t i = 0; i < n; i++) {
        const struct fm_timer *timer = nodes[i].timer;
        double idle = lost(timer) * (double)timer->total_ns.max;
        if (idle > longest && timer->total_ns.ranks > 1 && lost(timer) * 100 >= LOST_PERCENT) {
            longest = idle;
            worst = timer;
        }
    }
    if (!worst)
        return;
    fm_write(w, "Largest imbalance: ");
    fm_write_cut(w, worst->name, FM_RICH_COLUMNS / 4);
    fm_write(w, " takes %s on task %u, %s on average.\n", fm_time_fine(max, (double)worst->total_ns.max),
             worst->total_ns.max_rank,
             fm_time_fine(average, (double)fm_mean_of(worst->total_ns.sum, worst->total_ns.ranks)));
}

static void write_cost(struct fm_writer *w, const struct fm_timer_node *nodes, size_t n)
{
    uint64_t overhead = 0, events = 0, top = 0;
    char each[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    for (size_t i = 0; i < n; i++) {
        fm_add_saturating(&overhead, nodes[i].timer->overhead_ns);
        fm_add_saturating(&events, nodes[i].timer->events.sum);
        fm_add_saturating(&top, nodes[i].depth ? 0 : nodes[i].timer->total_ns.sum);
    }
    if (overhead)
        fm_write(w, " Timer overhead: %s per event", fm_time_fine(each, (double)fm_mean_of(overhead, events)));
    if (overhead && overhead > top && top)
        fm_write(w, ", more than the time in timers");
    else if (overhead && top)
        fm_write(w, ", %s of the time in timers", fm_percent_fine(share, (double)overhead / (double)top));
    fm_write(w, "%s\n", overhead ? "." : "");
}

/* Explains the columns, and threads and marks only if there are any. */
static void write_legend(struct fm_writer *w, const struct fm_timer_node *nodes, size_t n)
{
    bool threads = false, marked = false;
    for (size_t i = 0; i < n; i++) {
        threads |= nodes[i].timer->thread_ns.ranks > nodes[i].timer->total_ns.ranks;
        marked |= has_several_parents(nodes[i].timer);
    }
    fm_write(w, "\nevents: of all tasks together; totals: of one task%s\n", threads ? ", its threads added up" : "");
    fm_write(w, "lost: by how much the average is below the maximum; exclusive: average without nested timers\n");
    if (marked)
        fm_write(w, "*: started inside different timers, or only sometimes inside one\n");
}

static void write_summary(struct fm_writer *w, const struct fm_timer_node *nodes, size_t n, uint32_t tasks)
{
    char count[FM_UNIT_CHARS];
    struct widths widths = find_widths(nodes, n);
    size_t timers = 0;
    for (size_t i = 0; i < n; i++)
        timers += !is_placeholder(nodes[i].timer);
    fm_write(w, "%zu timer%s on %s task%s.", timers, timers == 1 ? "" : "s", fm_count_text(count, tasks),
             tasks == 1 ? "" : "s");
    write_cost(w, nodes, n);
    write_worst(w, nodes, n);
    fm_write(w, "\n%-*s  %*s  %*s  max total  %*s  avg total  min total   lost  exclusive\n", (int)widths.name, "timer",
             (int)widths.events, "events", (int)widths.tasks, "tasks", (int)widths.task, "task");
    for (size_t i = 0; i < n; i++)
        if (!is_placeholder(nodes[i].timer))
            write_row(w, &nodes[i], &widths);
    write_legend(w, nodes, n);
}

/* Memory for one block is freed after it: lists of tasks can be long. */
static void write_block(struct fm_writer *w, const struct fm_timer_node *node, const struct fm_timer_rich *layout)
{
    struct fm_arena scratch = {0};
    struct fm_writer block = {.arena = &scratch};
    fm_write_timer_block(&block, node, layout);
    const char *text = fm_writer_text(&block);
    fm_write(w, "%s", text ? text : "");
    w->failed |= !text;
    fm_arena_destroy(&scratch);
}

const char *fm_timers_rich(const struct fm_timer *timers, size_t n, const struct fm_timer_rich *layout,
                           struct fm_arena *arena)
{
    struct fm_writer w = {.arena = arena};
    struct fm_timer_node *nodes;
    size_t blocks = layout->blocks ? layout->blocks : FM_RICH_BLOCKS, left = 0;
    const char *misuses = fm_timer_misuses_text(timers, n, &layout->namer, arena);
    if (!misuses || !fm_timer_tree(timers, n, arena, &nodes))
        return NULL;
    write_summary(&w, nodes, n, layout->tasks);
    for (size_t i = 0; i < n; i++) {
        if (nodes[i].timer->events.ranks && blocks)
            write_block(&w, &nodes[i], layout);
        left += nodes[i].timer->events.ranks && !blocks;
        blocks -= nodes[i].timer->events.ranks && blocks;
    }
    if (left)
        fm_write(&w, "\n+ %zu more timer%s (fathom report --all shows them)\n", left, left == 1 ? "" : "s");
    fm_write(&w, "%s", misuses);
    return fm_writer_text(&w);
}
