/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer_report/timer_text.h"

#include <stdio.h>
#include <string.h>

#include "base/writer.h"
#include "model/timer_tree.h"
#include "timer_report/timer_misuse_text.h"

struct layout_writer {
    struct fm_writer out;
    const struct fm_timer_layout *layout;
};

__attribute__((format(printf, 2, 3))) static void put(struct layout_writer *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fm_write_list(&w->out, format, values);
    va_end(values);
}

static int digits(uint64_t number)
{
    return (int)fm_decade(number) + 1;
}

static uint64_t ticks(const struct layout_writer *w, uint64_t ns)
{
    return ns / fm_power_of_ten(w->layout->exponent);
}

static int task_width(const struct layout_writer *w)
{
    return digits(w->layout->tasks ? w->layout->tasks - 1 : 0);
}

/* ---- lists of tasks ---- */

static void put_tasks(struct layout_writer *w, const char *title, const struct fm_rankset *ranks)
{
    bool single = fm_rankset_count(ranks) == 1;
    put(w, "%s%s:", title, single ? "" : "s");
    size_t column = strlen(title) + (single ? 1 : 2);
    for (size_t i = 0; i < ranks->n; i++) {
        char range[32];
        const struct fm_range *r = &ranks->ranges[i];
        int n = r->first == r->last ? snprintf(range, sizeof range, "%u", r->first)
                                    : snprintf(range, sizeof range, "%u-%u", r->first, r->last);
        bool wrap = i && w->layout->columns && column + (size_t)n + 1 > w->layout->columns;
        put(w, "%s%s%s", wrap ? "\n" : i ? "" : " ", range, i + 1 < ranks->n ? "," : "");
        column = (wrap ? 0 : column) + (size_t)n + 1;
    }
    put(w, "\n");
}

/* ---- summary ---- */

static uint64_t average(const struct fm_spread *spread)
{
    return spread->ranks ? spread->sum / spread->ranks : 0;
}

/* In seconds. Not with %f, which would use the decimal point of the program's locale. */
static void put_hundredths(struct layout_writer *w, uint64_t ns)
{
    uint64_t hundredths = ns / 10000000 + (ns % 10000000 >= 5000000);
    put(w, "%6lu.%02lu | ", (unsigned long)(hundredths / 100), (unsigned long)(hundredths % 100));
}

static void put_summary(struct layout_writer *w, const struct fm_timer *const *timers, size_t n)
{
    put(w, "*** profile for %u task%s ***\n", w->layout->tasks, w->layout->tasks == 1 ? "" : "s");
    put(w, "max total | min total | avg total | timer\n----------|-----------|-----------|-----\n");
    for (size_t i = 0; i < n; i++) {
        const struct fm_spread *total = &timers[i]->total_ns;
        put_hundredths(w, total->max);
        put_hundredths(w, total->min);
        put_hundredths(w, average(total));
        put(w, "%s\n", timers[i]->name);
    }
}

/* ---- statistics ---- */

static void put_time(struct layout_writer *w, const char *what, uint64_t ns)
{
    uint64_t number = ticks(w, ns);
    unsigned exponent = w->layout->exponent;
    uint64_t second = fm_power_of_ten(9 - exponent);
    put(w, "  %-19s %6lu", what, (unsigned long)(number / second));
    if (exponent < 9)
        put(w, ".%0*lu", 9 - (int)exponent, (unsigned long)(number % second));
    put(w, " sec (%lu ticks)", (unsigned long)number);
}

static void put_extreme(struct layout_writer *w, const char *what, const struct fm_extreme *extreme)
{
    if (!extreme->event)
        return;
    put_time(w, what, extreme->ns);
    put(w, ", task %u, event %lu\n", extreme->rank, (unsigned long)extreme->event);
}

static void put_average(struct layout_writer *w, const char *what, const struct fm_timer_average *average)
{
    if (!average->events)
        return;
    put_time(w, what, average->total_ns / average->events);
    put(w, ", task %u, %lu event(s)\n", average->rank, (unsigned long)average->events);
}

static void put_total(struct layout_writer *w, const char *what, uint64_t ns, uint32_t rank, uint64_t events)
{
    put_time(w, what, ns);
    put(w, ", task %u, %lu event(s)\n", rank, (unsigned long)events);
}

static void put_statistics(struct layout_writer *w, const struct fm_timer *timer)
{
    uint64_t tasks = timer->events.ranks, events = timer->events.sum;
    put(w, "events per task: %lu max, %lu min, %lu avg (%lu task%s)\n", (unsigned long)timer->events.max,
        (unsigned long)timer->events.min, (unsigned long)average(&timer->events), (unsigned long)tasks,
        tasks == 1 ? "" : "s");
    put_extreme(w, "longest event:", &timer->longest);
    put_extreme(w, "max 2nd longest:", &timer->second);
    put_extreme(w, "shortest event:", &timer->shortest);
    put_average(w, "longest avg event:", &timer->longest_average);
    put_average(w, "shortest avg event:", &timer->shortest_average);
    put_time(w, "avg event:", events ? timer->total_ns.sum / events : 0);
    put(w, ", %lu event(s)\n", (unsigned long)events);
    put_total(w, "max total:", timer->total_ns.max, timer->total_ns.max_rank, timer->total_events[0]);
    put_total(w, "min total:", timer->total_ns.min, timer->total_ns.min_rank, timer->total_events[1]);
    put_time(w, "avg total:", average(&timer->total_ns));
    put(w, ", %lu task%s\n", (unsigned long)tasks, tasks == 1 ? "" : "s");
    put_time(w, "aggregate total:", timer->total_ns.sum);
    put(w, "\n");
}

/* ---- histograms ---- */

static void put_bin(struct layout_writer *w, const struct fm_timer_bin *bin, int width, uint64_t tasks)
{
    uint64_t from = fm_decimal_bin_from(bin->bin), to = fm_decimal_bin_to(bin->bin);
    if (from == to)
        put(w, "%lu tick(s): ", (unsigned long)from);
    else
        put(w, "%lu-%lu ticks: ", (unsigned long)from, (unsigned long)to);
    put(w, "%0*lu max (task %0*u), %0*lu min (task %0*u), %0*lu avg\n", width, (unsigned long)bin->max, task_width(w),
        bin->max_rank, width, (unsigned long)bin->min, task_width(w), bin->min_rank, width,
        (unsigned long)(bin->sum / tasks));
}

static void put_view(struct layout_writer *w, const struct fm_timer_group *group)
{
    uint64_t tasks = fm_rankset_count(&group->ranks), max = 0;
    put(w, "\n");
    put_tasks(w, "event histogram for task", &group->ranks);
    for (size_t i = 0; i < group->n_bins; i++)
        max = group->bins[i].max > max ? group->bins[i].max : max;
    for (size_t i = group->n_bins; i-- > 0;)
        put_bin(w, &group->bins[i], digits(max), tasks);
}

static void put_histograms(struct layout_writer *w, const struct fm_timer *timer)
{
    size_t n;
    struct fm_timer_group *groups;
    if (!fm_timer_reduce(timer, w->layout->exponent, w->out.arena, &groups, &n)) {
        w->out.failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        put_view(w, &groups[i]);
}

const char *fm_timers_text(const struct fm_timer *timers, size_t n, const struct fm_timer_layout *layout,
                           struct fm_arena *arena)
{
    struct layout_writer w = {.out.arena = arena, .layout = layout};
    const struct fm_timer **order = fm_timers_by_length(timers, n, arena);
    const char *misuses = fm_timer_misuses_text(timers, n, &layout->namer, arena);
    size_t n_used = 0;
    if (!order || !misuses)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (order[i]->events.ranks)
            order[n_used++] = order[i];
    put_summary(&w, order, n_used);
    for (size_t i = 0; i < n_used; i++) {
        put(&w, "\n*** %s\n", order[i]->name);
        put_tasks(&w, "task", &order[i]->ranks);
        put_statistics(&w, order[i]);
        put_histograms(&w, order[i]);
    }
    put(&w, "%s", misuses);
    return w.out.failed ? NULL : w.out.text;
}
