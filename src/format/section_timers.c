/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers and their misuses. */
#include "format/sections.h"

void fm_put_timers(struct fm_column_writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t n_groups, n_bins;
    fm_put_number(w, p->n_timers);
    if (!p->n_timers)
        return;
    fm_put_fields(w, &fm_timer_fields, p->timers, p->n_timers, sizeof *p->timers);
    fm_put_fields(w, &fm_spread_fields, &p->timers->events, p->n_timers, sizeof *p->timers);
    fm_put_fields(w, &fm_spread_fields, &p->timers->total_ns, p->n_timers, sizeof *p->timers);
    fm_put_fields(w, &fm_spread_fields, &p->timers->thread_ns, p->n_timers, sizeof *p->timers);
    fm_put_ranksets(w, &p->timers->ranks, p->n_timers, sizeof *p->timers);
    const struct fm_timer_group *groups = fm_put_lists(w, &fm_timer_groups, p->timers, p->n_timers, sizeof *p->timers,
                                                       &n_groups);
    if (!n_groups)
        return;
    fm_put_fields(w, &fm_timer_group_fields, groups, n_groups, sizeof *groups);
    fm_put_ranksets(w, &groups->ranks, n_groups, sizeof *groups);
    const struct fm_timer_bin *bins = fm_put_lists(w, &fm_timer_group_bins, groups, n_groups, sizeof *groups, &n_bins);
    fm_put_fields(w, &fm_timer_bin_fields, bins, n_bins, sizeof *bins);
}

void fm_get_timers(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t n = fm_get_count(r, fm_fields_at_first(&fm_timer_fields)), n_groups, n_bins;
    p->timers = fm_column_reader_take(r, &p->arena, n, sizeof *p->timers);
    if (fm_column_reader_stopped(r) || !n)
        return;
    fm_get_fields(r, &fm_timer_fields, p->timers, n, sizeof *p->timers);
    fm_get_fields(r, &fm_spread_fields, &p->timers->events, n, sizeof *p->timers);
    fm_get_fields(r, &fm_spread_fields, &p->timers->total_ns, n, sizeof *p->timers);
    fm_get_fields(r, &fm_spread_fields, &p->timers->thread_ns, n, sizeof *p->timers);
    fm_get_ranksets(r, &p->timers->ranks, n, sizeof *p->timers);
    struct fm_timer_group *groups = fm_get_lists(r, &fm_timer_groups, fm_fields_at_first(&fm_timer_group_fields),
                                                 p->timers, n, sizeof *p->timers, &n_groups);
    if (fm_column_reader_stopped(r))
        return;
    for (size_t i = 0; i < n; i++)
        p->timers[i].groups_capacity = p->timers[i].n_groups;
    if (n_groups) {
        fm_get_fields(r, &fm_timer_group_fields, groups, n_groups, sizeof *groups);
        fm_get_ranksets(r, &groups->ranks, n_groups, sizeof *groups);
        struct fm_timer_bin *bins = fm_get_lists(r, &fm_timer_group_bins, fm_fields_at_first(&fm_timer_bin_fields),
                                                 groups, n_groups, sizeof *groups, &n_bins);
        if (fm_column_reader_stopped(r))
            return;
        fm_get_fields(r, &fm_timer_bin_fields, bins, n_bins, sizeof *bins);
    }
    p->n_timers = p->timers_capacity = n;
}

void fm_put_timer_misuses(struct fm_column_writer *w)
{
    const struct fm_profile *p = w->profile;
    size_t total;
    const struct fm_misuse *misuses = fm_put_lists(w, &fm_timer_misuses, p->timers, p->n_timers, sizeof *p->timers,
                                                   &total);
    fm_put_fields(w, &fm_misuse_fields, misuses, total, sizeof *misuses);
    if (total)
        fm_put_ranksets(w, &misuses->ranks, total, sizeof *misuses);
}

void fm_get_timer_misuses(struct fm_column_reader *r)
{
    struct fm_profile *p = r->profile;
    size_t total;
    struct fm_misuse *misuses = fm_get_lists(r, &fm_timer_misuses, fm_fields_at_first(&fm_misuse_fields), p->timers,
                                             p->n_timers, sizeof *p->timers, &total);
    if (fm_column_reader_stopped(r) || !total)
        return;
    for (size_t i = 0; i < p->n_timers; i++)
        p->timers[i].misuses_capacity = p->timers[i].n_misuses;
    fm_get_fields(r, &fm_misuse_fields, misuses, total, sizeof *misuses);
    fm_get_ranksets(r, &misuses->ranks, total, sizeof *misuses);
}
