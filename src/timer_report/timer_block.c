/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer_report/timer_block.h"

#include <string.h>

#include "base/saturate.h"
#include "base/units.h"
#include "model/timer_cluster.h"
#include "timer_report/timer_spark.h"

enum {
    MIN_EVENTS = 10, /* in each half, before drift is reported */
    DRIFT_PERCENT = 5,
    OVERHEAD_PERCENT = 1,
    LIST_INDENT = 12, /* of a full list of tasks */
    LIST_COLUMNS = 32 /* of a shortened list: keeps 100 timers with 8 groups below 200 kB */
};

uint64_t fm_mean_of(uint64_t sum, uint64_t n)
{
    return n ? sum / n : 0;
}

void fm_write_time(struct fm_writer *w, uint64_t ns)
{
    char text[FM_UNIT_CHARS];
    const char *unit = strchr(fm_time_fine(text, (double)ns), ' ');
    fm_write(w, "%6.*s %-2s", (int)(unit - text), text, unit + 1);
}

static void write_label(struct fm_writer *w, const char *label)
{
    fm_write(w, "  %-12s", label);
}

/* ---- tasks and events ---- */

static void write_list(struct fm_writer *w, const struct fm_rankset *tasks, const struct fm_timer_rich *layout,
                       size_t columns)
{
    const char *text = fm_tasks_text(tasks, &layout->grid, columns, w->arena);
    fm_write(w, "%s", text ? text : "");
    w->failed |= !text;
}

static void write_tasks(struct fm_writer *w, const struct fm_timer *timer, const struct fm_timer_rich *layout)
{
    char tasks[FM_UNIT_CHARS], min[FM_UNIT_CHARS], max[FM_UNIT_CHARS];
    write_label(w, "tasks");
    fm_write(w, " %s (", fm_count_text(tasks, fm_rankset_count(&timer->ranks)));
    write_list(w, &timer->ranks, layout, 40);
    fm_count_text(min, timer->events.min);
    fm_count_text(max, timer->events.max);
    if (timer->events.min == timer->events.max)
        fm_write(w, "), %s event%s%s\n", max, timer->events.max == 1 ? "" : "s",
                 timer->events.ranks == 1 ? "" : " each");
    else
        fm_write(w, "), %s to %s events\n", min, max);
}

static void write_event(struct fm_writer *w, const char *label, const struct fm_extreme *extreme, const char *remark)
{
    char event[FM_UNIT_CHARS];
    if (!extreme->event)
        return;
    write_label(w, label);
    fm_write_time(w, extreme->ns);
    fm_write(w, "  task %u, event %s%s\n", extreme->rank, fm_count_text(event, extreme->event), remark);
}

/* Writes the range of a value over tasks, or "everywhere" if both ends look the same. */
static void write_range(struct fm_writer *w, uint64_t least, uint32_t min_rank, uint64_t most, uint32_t max_rank)
{
    char from[FM_UNIT_CHARS], to[FM_UNIT_CHARS];
    if (strcmp(fm_time_fine(from, (double)least), fm_time_fine(to, (double)most)) != 0)
        fm_write(w, "  from %s on task %u to %s on task %u", from, min_rank, to, max_rank);
    else
        fm_write(w, "  everywhere");
}

static void write_average(struct fm_writer *w, const struct fm_timer *timer)
{
    const struct fm_timer_average *least = &timer->shortest_average, *most = &timer->longest_average;
    write_label(w, "avg event");
    fm_write_time(w, fm_mean_of(timer->total_ns.sum, timer->events.sum));
    if (timer->events.ranks > 1)
        write_range(w, fm_mean_of(least->total_ns, least->events), least->rank,
                    fm_mean_of(most->total_ns, most->events), most->rank);
    fm_write_end(w);
}

/* A single event has no extremes. "2nd longest" is the paper's "max 2nd longest": the second longest of all events may
 * be the longest of another task. */
static void write_events(struct fm_writer *w, const struct fm_timer *timer)
{
    if (timer->events.sum < 2)
        return;
    write_event(w, "longest", &timer->longest, "");
    write_event(w, "2nd longest", &timer->second,
                timer->events.ranks > 1 ? " (the longest of the tasks' second longest)" : "");
    write_average(w, timer);
    write_event(w, "shortest", &timer->shortest, "");
}

static void write_total(struct fm_writer *w, const struct fm_timer *timer)
{
    const struct fm_spread *total = &timer->total_ns;
    write_label(w, "avg total");
    fm_write_time(w, fm_mean_of(total->sum, total->ranks));
    if (total->ranks > 1)
        write_range(w, total->min, total->min_rank, total->max, total->max_rank);
    fm_write_end(w);
}

/* ---- optional lines ---- */

static void write_threads(struct fm_writer *w, const struct fm_timer *timer)
{
    const struct fm_spread *threads = &timer->thread_ns;
    char count[FM_UNIT_CHARS];
    if (threads->ranks <= timer->total_ns.ranks)
        return;
    write_label(w, "avg thread");
    fm_write_time(w, fm_mean_of(threads->sum, threads->ranks));
    write_range(w, threads->min, threads->min_rank, threads->max, threads->max_rank);
    fm_write(w, " (%s threads)\n", fm_count_text(count, threads->ranks));
}

static void write_drift(struct fm_writer *w, const struct fm_timer *timer)
{
    char share[FM_UNIT_CHARS], before[FM_UNIT_CHARS];
    double first = (double)fm_mean_of(timer->half_ns[0], timer->half_events[0]);
    double second = (double)fm_mean_of(timer->half_ns[1], timer->half_events[1]);
    double change = first > 0 ? second / first - 1 : 0;
    double size = change < 0 ? -change : change;
    if (timer->half_events[0] < MIN_EVENTS || timer->half_events[1] < MIN_EVENTS || size * 100 < DRIFT_PERCENT)
        return;
    write_label(w, "drift");
    fm_write_time(w, fm_rounded(second));
    fm_write(w, "  in the second half of the run, %s %s than before (%s)\n", fm_percent_whole(share, size),
             change > 0 ? "longer" : "shorter", fm_time_fine(before, first));
}

/* Writes what remains of the average total, and what was subtracted: the two add up to it. */
static void write_overhead(struct fm_writer *w, const struct fm_timer_node *node, bool always)
{
    const struct fm_timer *timer = node->timer;
    uint64_t tasks = timer->total_ns.ranks, corrected = fm_timer_corrected(node);
    uint64_t overhead = timer->total_ns.sum - corrected,
             inside = node->inside_ns < overhead ? node->inside_ns : overhead;
    double share = timer->total_ns.sum ? (double)overhead / (double)timer->total_ns.sum : 0;
    char all[FM_UNIT_CHARS], part[FM_UNIT_CHARS], percent[FM_UNIT_CHARS];
    if ((!timer->overhead_ns && !node->inside_ns) || (!always && share * 100 < OVERHEAD_PERCENT))
        return;
    write_label(w, "corrected");
    fm_write_time(w, fm_mean_of(corrected, tasks));
    fm_write(w, "  without %s of overhead (%s)", fm_time_fine(all, (double)fm_mean_of(overhead, tasks)),
             fm_percent_fine(percent, share));
    if (inside)
        fm_write(w, ", %s of it in nested timers", fm_time_fine(part, (double)fm_mean_of(inside, tasks)));
    fm_write(w, "\n");
}

/* ---- groups of tasks ---- */

bool fm_timer_rich_groups(const struct fm_timer *timer, const struct fm_timer_rich *layout, struct fm_arena *arena,
                          struct fm_timer_group **groups, size_t *n)
{
    size_t most = layout->groups ? layout->groups : FM_RICH_GROUPS;
    return layout->cluster ? fm_timer_cluster(timer, most, arena, groups, n)
                           : fm_timer_reduce(timer, 0, arena, groups, n);
}

static void write_in_full(struct fm_writer *w, const struct fm_rankset *tasks)
{
    size_t line = w->n;
    fm_write(w, "%*s", LIST_INDENT, "");
    for (size_t i = 0; i < tasks->n; i++) {
        size_t before = w->n;
        const struct fm_range *range = &tasks->ranges[i];
        const char *comma = i + 1 < tasks->n ? "," : "";
        if (range->first == range->last)
            fm_write(w, "%u%s", range->first, comma);
        else
            fm_write(w, "%u-%u%s", range->first, range->last, comma);
        if (w->n - line <= FM_RICH_COLUMNS || w->failed)
            continue;
        w->n = before;
        fm_write(w, "\n%*s", LIST_INDENT, "");
        line = before + 1;
        i--;
    }
    fm_write(w, "\n");
}

static double share_of(const struct fm_timer_group *group, unsigned fullest)
{
    uint64_t all = 0, most = 0;
    for (size_t i = 0; i < group->n_bins && group->bins[i].bin < FM_DECIMAL_BINS; i++) {
        fm_add_saturating(&all, group->bins[i].sum);
        most = group->bins[i].bin == fullest ? group->bins[i].sum : most;
    }
    return all ? (double)most / (double)all : 0;
}

static void write_group(struct fm_writer *w, const struct fm_timer_group *group, const struct fm_timer_axis *axis,
                        const struct fm_timer_rich *layout)
{
    char tasks[FM_UNIT_CHARS], bin[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    unsigned fullest = fm_timer_fullest(group);
    size_t left = FM_RICH_COLUMNS - 38 - axis->columns;
    fm_write(w, "%9s  %13s  %6s  |", fm_count_text(tasks, fm_rankset_count(&group->ranks)),
             fm_timer_bin_text(bin, fullest), fm_percent_whole(share, share_of(group, fullest)));
    fm_write_spark(w, group, axis, layout->ascii);
    fm_write(w, "|  ");
    const char *whole = layout->full ? fm_rankset_text(&group->ranks, w->arena, 0) : "";
    if (!layout->full)
        write_list(w, &group->ranks, layout, left < LIST_COLUMNS ? left : LIST_COLUMNS);
    else if (strlen(whole) <= left)
        fm_write(w, "%s", whole);
    fm_write_end(w);
    if (strlen(whole) > left)
        write_in_full(w, &group->ranks);
}

/* Keeps the groups with the most tasks, in their order. Returns the number of tasks in the others. */
static uint64_t keep_largest(struct fm_timer_group *groups, size_t *n, size_t most)
{
    uint64_t left_out = 0;
    while (*n > most) {
        size_t least = 0;
        for (size_t i = 1; i < *n; i++)
            if (fm_rankset_count(&groups[i].ranks) <= fm_rankset_count(&groups[least].ranks))
                least = i;
        left_out += fm_rankset_count(&groups[least].ranks);
        memmove(&groups[least], &groups[least + 1], (*n - least - 1) * sizeof *groups);
        (*n)--;
    }
    return left_out;
}

static void write_groups(struct fm_writer *w, const struct fm_timer *timer, const struct fm_timer_rich *layout)
{
    struct fm_timer_group *groups;
    char more[FM_UNIT_CHARS];
    size_t all;
    if (!fm_timer_rich_groups(timer, layout, w->arena, &groups, &all)) {
        w->failed = true;
        return;
    }
    size_t n = all;
    struct fm_timer_axis axis = fm_timer_axis_of(groups, n);
    uint64_t left_out = layout->full ? 0 : keep_largest(groups, &n, layout->groups ? layout->groups : FM_RICH_GROUPS);
    fm_write(w, "    tasks    fullest bin   share  |");
    fm_write_axis(w, &axis);
    fm_write(w, "|\n");
    for (size_t i = 0; i < n; i++)
        write_group(w, &groups[i], &axis, layout);
    if (n < all)
        fm_write(w, "%9s  in %zu more group%s (fathom report --full)\n", fm_count_text(more, left_out), all - n,
                 all - n == 1 ? "" : "s");
}

void fm_write_timer_block(struct fm_writer *w, const struct fm_timer_node *node, const struct fm_timer_rich *layout)
{
    const struct fm_timer *timer = node->timer;
    fm_write(w, "\n");
    size_t width = fm_write_cut(w, timer->name, FM_RICH_COLUMNS / 2);
    if (strcmp(timer->parent, FM_SEVERAL_PARENTS) == 0) {
        fm_write(w, ", started inside several timers");
    } else if (timer->parent[0]) {
        fm_write(w, ", in ");
        fm_write_cut(w, timer->parent, FM_RICH_COLUMNS - width - 5);
    }
    fm_write(w, "\n");
    write_tasks(w, timer, layout);
    write_total(w, timer);
    write_overhead(w, node, layout->correct);
    write_threads(w, timer);
    write_events(w, timer);
    write_drift(w, timer);
    write_groups(w, timer, layout);
}
