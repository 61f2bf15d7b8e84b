/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls: totals per rank, and snapshots. */
#include "base/saturate.h"
#include "format/sections.h"

/* Number of routines with more total time, or with the same and an earlier name. */
static size_t count_heavier(const struct fm_profile *p, size_t of)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_routines; i++)
        n += p->routines[i].stats.total_ns > p->routines[of].stats.total_ns ||
             (p->routines[i].stats.total_ns == p->routines[of].stats.total_ns && i < of);
    return n;
}

static bool has_vector(const struct fm_column_writer *w, size_t routine)
{
    if (!w->large)
        return true;
    uint64_t all = 0;
    for (size_t i = 0; i < w->profile->n_routines; i++)
        fm_add_saturating(&all, w->profile->routines[i].stats.total_ns);
    return w->profile->routines[routine].stats.total_ns >= all / FM_LARGE_SHARE &&
           count_heavier(w->profile, routine) < FM_LARGE_VECTORS;
}

void fm_put_per_rank(struct fm_column_writer *w)
{
    for (size_t i = 0; i < w->profile->n_routines && !w->collecting; i++) {
        const struct fm_routine_total *routine = &w->profile->routines[i];
        bool kept = has_vector(w, i);
        fm_put_number(w, kept ? routine->n_per_rank : 0);
        if (kept)
            fm_put_fields(w, &fm_rank_value_fields, routine->per_rank, routine->n_per_rank, sizeof *routine->per_rank);
    }
}

void fm_get_per_rank(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    for (size_t i = 0; i < p->n_routines && !fm_column_reader_stopped(r); i++) {
        struct fm_routine_total *routine = &p->routines[i];
        size_t n = fm_get_count(r, fm_fields_at_first(&fm_rank_value_fields));
        routine->per_rank = fm_column_reader_take(r, &p->arena, n, sizeof *routine->per_rank);
        if (fm_column_reader_stopped(r))
            return;
        routine->n_per_rank = routine->per_rank_capacity = n;
        fm_get_fields(r, &fm_rank_value_fields, routine->per_rank, n, sizeof *routine->per_rank);
    }
}

void fm_put_snapshots(struct fm_column_writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t total;
    fm_put_number(w, p->n_snapshots);
    fm_put_fields(w, &fm_snapshot_fields, p->snapshots, p->n_snapshots, sizeof *p->snapshots);
    const struct fm_snapshot_routine *routines = fm_put_lists(w, &fm_snapshot_routines, p->snapshots, p->n_snapshots,
                                                              sizeof *p->snapshots, &total);
    fm_put_fields(w, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
}

void fm_get_snapshots(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_snapshot_fields)), total;
    p->snapshots = fm_column_reader_take(r, &p->arena, n, sizeof *p->snapshots);
    if (fm_column_reader_stopped(r) || !n)
        return;
    fm_get_fields(r, &fm_snapshot_fields, p->snapshots, n, sizeof *p->snapshots);
    struct fm_snapshot_routine *routines = fm_get_lists(r, &fm_snapshot_routines,
                                                        fm_fields_at_first(&fm_snapshot_routine_fields), p->snapshots,
                                                        n, sizeof *p->snapshots, &total);
    if (fm_column_reader_stopped(r))
        return;
    fm_get_fields(r, &fm_snapshot_routine_fields, routines, total, sizeof *routines);
    p->n_snapshots = p->snapshots_capacity = n;
}
