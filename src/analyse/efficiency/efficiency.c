/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency/efficiency.h"

#include <stdio.h>
#include <string.h>

#include "analyse/balance/floor.h"
#include "analyse/balance/summary.h"
#include "model/order.h"
#include "model/region_path.h"

/* ---- from the first entry on ---- */

static bool is_last_part(const char *path, const char *name)
{
    size_t length = strlen(path), part = strlen(name);
    return length > part && path[length - part - 1] == '/' && strcmp(path + length - part, name) == 0;
}

static bool begins_at_first(const struct fm_span *span)
{
    return span->kind == FM_SPAN_FROM_REGION || span->kind == FM_SPAN_FROM_TIMER;
}

/* How well a name fits: the path of a region, a timer, the last part of a path. 0: not at all. */
static int fit(const struct fm_span *span, const char *name)
{
    if (!begins_at_first(span))
        return 0;
    bool same = strcmp(span->name, name) == 0, region = span->kind == FM_SPAN_FROM_REGION;
    return same ? region ? 3 : 2 : region && is_last_part(span->name, name);
}

static const struct fm_span *best_fit(const struct fm_profile *profile, const char *name)
{
    const struct fm_span *best = NULL;
    for (size_t i = 0; i < profile->n_spans; i++)
        if (fit(&profile->spans[i], name) > (best ? fit(best, name) : 0))
            best = &profile->spans[i];
    return best;
}

/* The longest rest of the run. */
static const struct fm_span *first_region(const struct fm_profile *profile)
{
    const struct fm_span *first = NULL;
    for (size_t i = 0; i < profile->n_spans; i++) {
        const struct fm_span *span = &profile->spans[i];
        if (span->kind == FM_SPAN_FROM_REGION && (!first || span->wall_ns.sum > first->wall_ns.sum))
            first = span;
    }
    return first;
}

/* Regions other than the whole program, or timers. */
static bool has_parts(const struct fm_profile *profile)
{
    for (size_t i = 0; i < profile->n_regions; i++)
        if (profile->regions[i].path[0])
            return true;
    return profile->n_timers > 0;
}

static enum fm_status none_fits(const struct fm_profile *profile, const char *name, struct fm_error *error)
{
    char list[256] = "";
    for (size_t i = 0; i < profile->n_spans; i++) {
        if (!begins_at_first(&profile->spans[i]))
            continue;
        strncat(list, *list ? ", " : ", only ", sizeof list - strlen(list) - 1);
        strncat(list, profile->spans[i].name, sizeof list - strlen(list) - 1);
    }
    if (!*list && has_parts(profile))
        return fm_fail(error, FM_ERR_INPUT,
                       "the profile is from an older version of Fathom, and does not say when '%s' was first entered",
                       name);
    return fm_fail(error, FM_ERR_INPUT, "the profile has no region or timer '%s'%s", name, list);
}

/* Ranks that never entered it are not in it. */
static enum fm_status begin_at(const struct fm_profile *profile, const char *name, struct fm_efficiency *efficiency,
                               struct fm_error *error)
{
    const struct fm_span *from = best_fit(profile, name);
    if (!from && strcmp(name, "region") == 0)
        from = first_region(profile);
    if (!from)
        return none_fits(profile, name, error);
    efficiency->from = from;
    efficiency->run = fm_factors_of(&from->wall_ns, &from->outside_ns);
    return FM_OK;
}

/* ---- regions and timers ---- */

/* How the time that calls take without waiting is found. */
struct transfer {
    const struct fm_profile *profile;
    struct fm_floors floors;
    const struct fm_transfer_source *source; /* NULL: from the floors */
    struct fm_call_sums *sums;               /* room for all routines */
};

static bool transfer_prepare(struct transfer *transfer, struct fm_arena *arena)
{
    size_t routines = 0;
    const struct fm_profile *profile = transfer->profile;
    for (size_t i = 0; i < profile->n_events; i++)
        routines += !i || strcmp(profile->events[i].key.routine, profile->events[i - 1].key.routine) != 0;
    transfer->sums = fm_arena_alloc(arena, routines * sizeof *transfer->sums);
    return transfer->sums;
}

/* The calls of a region by routine, by which events are sorted. */
static size_t add_up(const struct transfer *transfer, const char *region)
{
    size_t n = 0;
    for (size_t i = 0; i < transfer->profile->n_events; i++) {
        const struct fm_event *event = &transfer->profile->events[i];
        const struct fm_stats *stats = &event->stats;
        if (!fm_region_is_within(event->key.region, region))
            continue;
        if (!n || strcmp(transfer->sums[n - 1].routine, event->key.routine) != 0)
            transfer->sums[n++] = (struct fm_call_sums){.routine = event->key.routine};
        struct fm_call_sums *sum = &transfer->sums[n - 1];
        sum->calls += stats->count;
        sum->ns += stats->total_ns;
        sum->bytes += stats->bytes;
        sum->comm_calls += stats->count * event->key.comm_size;
        sum->not_waiting_ns += (double)stats->total_ns - fm_waiting_in(&transfer->floors, event).ns;
    }
    return n;
}

static double transfer_in(const struct transfer *transfer, const char *region)
{
    size_t n = add_up(transfer, region);
    double ns = 0;
    if (transfer->source)
        return transfer->source->ns(transfer->source->context, transfer->sums, n);
    for (size_t i = 0; i < n; i++)
        ns += transfer->sums[i].not_waiting_ns;
    return ns;
}

static double balance_of(const struct fm_spread *wall_ns)
{
    return fm_ratio(fm_ratio((double)wall_ns->sum, wall_ns->ranks), (double)wall_ns->max);
}

static bool add_regions(const struct transfer *transfer, struct fm_arena *arena, struct fm_efficiency *efficiency)
{
    const struct fm_profile *profile = transfer->profile;
    efficiency->regions = fm_arena_alloc(arena, profile->n_spans * sizeof *efficiency->regions);
    for (size_t i = 0; efficiency->regions && i < profile->n_spans; i++) {
        const struct fm_span *span = &profile->spans[i];
        if (span->kind != FM_SPAN_REGION)
            continue;
        struct fm_factors factors = fm_factors_of(&span->wall_ns, &span->outside_ns);
        fm_factors_estimate(&factors, &span->wall_ns, transfer_in(transfer, span->name));
        efficiency->regions[efficiency->n_regions++] = (struct fm_efficiency_part){
            span->name, span->wall_ns.ranks, span->wall_ns, factors, balance_of(&span->wall_ns)};
    }
    return efficiency->regions;
}

/* Timers and spans of a kind are sorted by name. Returns NULL if there is none. *next: where to search, and where to
 * continue. */
static const struct fm_span *span_of_timer(const struct fm_profile *profile, const char *name, size_t *next)
{
    for (; *next < profile->n_spans; ++*next) {
        const struct fm_span *span = &profile->spans[*next];
        int order = span->kind == FM_SPAN_TIMER ? fm_compare_text(span->name, name) : (int)span->kind - FM_SPAN_TIMER;
        if (order >= 0)
            return order ? NULL : span;
    }
    return NULL;
}

static bool add_timers(const struct fm_profile *profile, struct fm_arena *arena, struct fm_efficiency *efficiency)
{
    efficiency->timers = fm_arena_alloc(arena, profile->n_timers * sizeof *efficiency->timers);
    for (size_t i = 0, next = 0; efficiency->timers && i < profile->n_timers; i++) {
        const struct fm_timer *timer = &profile->timers[i];
        if (!timer->total_ns.ranks)
            continue;
        const struct fm_span *span = span_of_timer(profile, timer->name, &next);
        efficiency->timers[efficiency->n_timers++] = (struct fm_efficiency_part){
            .name = timer->name,
            .ranks = timer->total_ns.ranks,
            .wall_ns = timer->total_ns,
            .factors = span ? fm_factors_of(&span->wall_ns, &span->outside_ns) : (struct fm_factors){0},
            .balance = balance_of(&timer->total_ns),
        };
    }
    return efficiency->timers;
}

/* ---- the run ---- */

static void find_run(const struct transfer *transfer, struct fm_efficiency *efficiency)
{
    const struct fm_profile *profile = transfer->profile;
    struct fm_spread wall = {0};
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING)
            fm_spread_add(&wall, profile->processes[i].wall_ns, profile->processes[i].rank);
    efficiency->run = fm_factors_of_run(profile);
    efficiency->run.known &= profile->n_routines > 0;
    if (efficiency->run.known && !(profile->part && profile->part->calls))
        fm_factors_estimate(&efficiency->run, &wall, transfer_in(transfer, ""));
}

enum fm_status fm_efficiency_find(const struct fm_profile *profile, const char *from_first,
                                  const struct fm_transfer_source *source, struct fm_arena *arena,
                                  struct fm_efficiency *efficiency, struct fm_error *error)
{
    struct transfer transfer = {.profile = profile, .source = source};
    *efficiency = (struct fm_efficiency){.cores = fm_core_use(profile)};
    enum fm_status status = fm_floors_find(profile, arena, &transfer.floors, error);
    if (status)
        return status;
    if (!transfer_prepare(&transfer, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the efficiency of the run");
    if (from_first)
        status = begin_at(profile, from_first, efficiency, error);
    else
        find_run(&transfer, efficiency);
    if (!status && !(add_regions(&transfer, arena, efficiency) && add_timers(profile, arena, efficiency)))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the efficiency of regions and timers");
    return status;
}
