/* Calls of MPI: by routine, by event and by region, and how they grew over time. */
#include "base/saturate.h"
#include "format/sections.h"

void fm_put_routines(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    const struct fm_routine_total *r = p->routines;
    fm_put_number(w, p->n_routines);
    if (!p->n_routines)
        return;
    fm_put_fields(w, &fm_routine_fields, r, p->n_routines, sizeof *r);
    fm_put_stats(w, &r->stats, p->n_routines, sizeof *r);
    fm_put_fields(w, &fm_spread_fields, &r->time_ns, p->n_routines, sizeof *r);
    fm_put_fields(w, &fm_spread_fields, &r->calls, p->n_routines, sizeof *r);
    fm_put_fields(w, &fm_spread_fields, &r->bytes, p->n_routines, sizeof *r);
    fm_put_ranksets(w, &r->ranks, p->n_routines, sizeof *r);
}

void fm_get_routines(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_routine_fields) + fm_fields_at_first(&fm_stats_fields));
    struct fm_routine_total *routines = fm_reader_take(r, &p->arena, n, sizeof *routines);
    if (fm_reader_stopped(r) || !n)
        return;
    p->routines = routines;
    p->n_routines = p->routines_capacity = n;
    fm_get_fields(r, &fm_routine_fields, routines, n, sizeof *routines);
    fm_get_stats(r, &routines->stats, n, sizeof *routines);
    fm_get_fields(r, &fm_spread_fields, &routines->time_ns, n, sizeof *routines);
    fm_get_fields(r, &fm_spread_fields, &routines->calls, n, sizeof *routines);
    fm_get_fields(r, &fm_spread_fields, &routines->bytes, n, sizeof *routines);
    fm_get_ranksets(r, &routines->ranks, n, sizeof *routines);
}

/* How many routines have more total time, or the same and an earlier name. */
static size_t heavier(const struct fm_profile *p, size_t of)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_routines; i++)
        n += p->routines[i].stats.total_ns > p->routines[of].stats.total_ns ||
             (p->routines[i].stats.total_ns == p->routines[of].stats.total_ns && i < of);
    return n;
}

static bool has_vector(const struct fm_writer *w, size_t routine)
{
    if (!w->large)
        return true;
    uint64_t all = 0;
    for (size_t i = 0; i < w->profile->n_routines; i++)
        fm_add_saturating(&all, w->profile->routines[i].stats.total_ns);
    return w->profile->routines[routine].stats.total_ns >= all / FM_LARGE_SHARE &&
           heavier(w->profile, routine) < FM_LARGE_VECTORS;
}

void fm_put_per_rank(struct fm_writer *w)
{
    for (size_t i = 0; i < w->profile->n_routines && !w->collecting; i++) {
        const struct fm_routine_total *routine = &w->profile->routines[i];
        bool kept = has_vector(w, i);
        fm_put_number(w, kept ? routine->n_per_rank : 0);
        if (kept)
            fm_put_fields(w, &fm_rank_value_fields, routine->per_rank, routine->n_per_rank, sizeof *routine->per_rank);
    }
}

void fm_get_per_rank(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    for (size_t i = 0; i < p->n_routines && !fm_reader_stopped(r); i++) {
        struct fm_routine_total *routine = &p->routines[i];
        size_t n = fm_get_count(r, fm_fields_at_first(&fm_rank_value_fields));
        routine->per_rank = fm_reader_take(r, &p->arena, n, sizeof *routine->per_rank);
        if (fm_reader_stopped(r))
            return;
        routine->n_per_rank = routine->per_rank_capacity = n;
        fm_get_fields(r, &fm_rank_value_fields, routine->per_rank, n, sizeof *routine->per_rank);
    }
}

void fm_put_events(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    fm_put_number(w, p->n_events);
    if (!p->n_events)
        return;
    fm_put_fields(w, &fm_event_fields, p->events, p->n_events, sizeof *p->events);
    fm_put_stats(w, &p->events->stats, p->n_events, sizeof *p->events);
}

void fm_get_events(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_event_fields) + fm_fields_at_first(&fm_stats_fields));
    p->events = fm_reader_take(r, &p->arena, n, sizeof *p->events);
    if (fm_reader_stopped(r) || !n)
        return;
    p->n_events = p->events_capacity = n;
    fm_get_fields(r, &fm_event_fields, p->events, n, sizeof *p->events);
    fm_get_stats(r, &p->events->stats, n, sizeof *p->events);
}

void fm_put_regions(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    fm_put_number(w, p->n_regions);
    if (!p->n_regions)
        return;
    fm_put_fields(w, &fm_region_fields, p->regions, p->n_regions, sizeof *p->regions);
    fm_put_fields(w, &fm_spread_fields, &p->regions->wall_per_rank, p->n_regions, sizeof *p->regions);
    fm_put_ranksets(w, &p->regions->ranks, p->n_regions, sizeof *p->regions);
}

void fm_get_regions(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_region_fields) + fm_fields_at_first(&fm_spread_fields));
    p->regions = fm_reader_take(r, &p->arena, n, sizeof *p->regions);
    if (fm_reader_stopped(r) || !n)
        return;
    p->n_regions = p->regions_capacity = n;
    fm_get_fields(r, &fm_region_fields, p->regions, n, sizeof *p->regions);
    fm_get_fields(r, &fm_spread_fields, &p->regions->wall_per_rank, n, sizeof *p->regions);
    fm_get_ranksets(r, &p->regions->ranks, n, sizeof *p->regions);
}

void fm_put_snapshots(struct fm_writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t total;
    fm_put_number(w, p->n_snapshots);
    fm_put_fields(w, &fm_snapshot_fields, p->snapshots, p->n_snapshots, sizeof *p->snapshots);
    const struct fm_snapshot_routine *routines = fm_put_lists(w, &fm_snapshot_routines, p->snapshots, p->n_snapshots,
                                                              sizeof *p->snapshots, &total);
    fm_put_fields(w, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
}

void fm_get_snapshots(struct fm_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_snapshot_fields)), total;
    p->snapshots = fm_reader_take(r, &p->arena, n, sizeof *p->snapshots);
    if (fm_reader_stopped(r) || !n)
        return;
    fm_get_fields(r, &fm_snapshot_fields, p->snapshots, n, sizeof *p->snapshots);
    struct fm_snapshot_routine *routines = fm_get_lists(r, &fm_snapshot_routines,
                                                        fm_fields_at_first(&fm_snapshot_routine_fields), p->snapshots,
                                                        n, sizeof *p->snapshots, &total);
    if (fm_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
    p->n_snapshots = p->snapshots_capacity = n;
}
