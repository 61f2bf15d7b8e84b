/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers of a JSON report. */
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "model/timer_tree.h"
#include "report/json_parts.h"
#include "timer_report/timer_misuse_text.h"

static void write_event(struct fm_json *json, const char *key, const struct fm_extreme *extreme)
{
    if (extreme->event)
        fm_json_extreme(json, key, extreme);
}

static void write_bin(struct fm_json *json, const struct fm_timer_bin *bin, uint64_t tasks)
{
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_whole(json, "from_ns", fm_decimal_bin_from(bin->bin));
    fm_json_whole(json, "to_ns", fm_decimal_bin_to(bin->bin));
    fm_json_whole(json, "max", bin->max);
    fm_json_whole(json, "max_rank", bin->max_rank);
    fm_json_whole(json, "min", bin->min);
    fm_json_whole(json, "min_rank", bin->min_rank);
    fm_json_number(json, "avg", fm_ratio((double)bin->sum, (double)tasks));
    fm_json_end(json);
}

static void write_groups(struct fm_report *report, struct fm_json *json, const char *key,
                         const struct fm_timer_group *groups, size_t n)
{
    fm_json_array(json, key, FM_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        uint64_t tasks = fm_rankset_count(&groups[i].ranks);
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_ranks(report, json, &groups[i].ranks);
        fm_json_array(json, "bins", FM_JSON_LINES);
        for (size_t b = groups[i].n_bins; b-- > 0;)
            if (groups[i].bins[b].bin < FM_DECIMAL_BINS)
                write_bin(json, &groups[i].bins[b], tasks);
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static bool write_histograms(struct fm_report *report, struct fm_json *json, const struct fm_timer *timer)
{
    const struct fm_timer_rich *options = &report->options.timers;
    struct fm_timer_group *groups;
    size_t n;
    if (!fm_timer_reduce(timer, 0, &report->arena, &groups, &n))
        return false;
    write_groups(report, json, "histograms", groups, n);
    if (!options->cluster)
        return true;
    if (!fm_timer_rich_groups(timer, options, &report->arena, &groups, &n))
        return false;
    write_groups(report, json, "clusters", groups, n);
    return true;
}

static void write_halves(struct fm_json *json, const struct fm_timer *timer)
{
    static const char *const keys[] = {"first_half", "second_half"};
    for (int half = 0; half < 2; half++) {
        fm_json_object(json, keys[half], FM_JSON_INLINE);
        fm_json_whole(json, "events", timer->half_events[half]);
        fm_json_seconds(json, "time_s", timer->half_ns[half]);
        fm_json_end(json);
    }
}

/* Writes the misuses, or the timers that were still running at the end. */
static void write_misuses(struct fm_report *report, struct fm_json *json, const struct fm_timer *timer, bool running)
{
    fm_json_array(json, running ? "running_at_end" : "wrong_use", FM_JSON_LINES);
    for (size_t i = 0; i < timer->n_misuses; i++) {
        const struct fm_misuse *misuse = &timer->misuses[i];
        if ((misuse->kind == FM_MISUSE_RUNNING) != running)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        if (!running)
            fm_json_text(json, "what", fm_misuse_text(misuse->kind));
        fm_json_whole(json, "count", misuse->count);
        fm_json_ranks(report, json, &misuse->ranks);
        fm_json_site(report, json, &misuse->site, NULL);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static bool write_timer(struct fm_report *report, struct fm_json *json, const struct fm_timer_node *node)
{
    const struct fm_timer *timer = node->timer;
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "name", timer->name);
    fm_json_text(json, "parent", timer->parent);
    fm_json_ranks(report, json, &timer->ranks);
    fm_json_spread(json, "events", &timer->events);
    fm_json_spread_seconds(json, "total_s", &timer->total_ns);
    fm_json_seconds(json, "time_s", timer->total_ns.sum);
    fm_json_whole(json, "threads", timer->thread_ns.ranks);
    fm_json_spread_seconds(json, "thread_total_s", &timer->thread_ns);
    fm_json_seconds(json, "in_other_timers_s", timer->children_ns);
    fm_json_seconds(json, "exclusive_s", fm_timer_exclusive(timer));
    fm_json_seconds(json, "overhead_s", timer->overhead_ns);
    fm_json_seconds(json, "corrected_s", fm_timer_corrected(node));
    write_event(json, "longest", &timer->longest);
    write_event(json, "second", &timer->second);
    write_event(json, "shortest", &timer->shortest);
    write_halves(json, timer);
    bool written = write_histograms(report, json, timer);
    write_misuses(report, json, timer, false);
    write_misuses(report, json, timer, true);
    fm_json_end(json);
    return written;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct fm_timer_node *)a)->timer->name, ((const struct fm_timer_node *)b)->timer->name);
}

enum fm_status fm_json_timers(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_timer_node *nodes;
    size_t n = report->profile->n_timers;
    bool ok = fm_timer_tree(report->profile->timers, n, &report->arena, &nodes) &&
              fm_sort(nodes, n, sizeof *nodes, by_name, &report->arena);
    fm_json_array(json, "timers", FM_JSON_LINES);
    for (size_t i = 0; ok && i < n; i++)
        ok = write_timer(report, json, &nodes[i]);
    fm_json_end(json);
    return ok ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the report of timers");
}
