/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/analyse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/insights/candidates.h"
#include "site/insights/limits.h"

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the analysis");
}

struct analysis_work {
    struct fm_store *store;
    const struct fm_analysis_window *window;
    struct fm_arena *arena;
    struct fm_analysis *analysis;
    size_t capacity;
    struct fm_intern slow_hosts;
};

static struct fm_insight *add(struct analysis_work *work)
{
    struct fm_insight_list *list = &work->analysis->list;
    if (list->n == work->capacity) {
        struct fm_insight *grown = fm_arena_grow(work->arena, list->insights, &work->capacity, list->n + 1,
                                                 sizeof *grown);
        if (!grown)
            return NULL;
        list->insights = grown;
    }
    return &list->insights[list->n++];
}

/* Runs on a slow host wait for it: that is its insight, not one of the program.
 * Runs that send more, or more often, do more work: they need not be slower. If a large change divides the runs, somebody
 * must vouch for the work. */
static bool is_its_own(const struct fm_slower *slower, const struct fm_details *details)
{
    if (details->slow_hosts > FM_SLOWER_WORK * (slower->factor - 1))
        return false;
    double may_grow = 1 + FM_SLOWER_WORK * (slower->factor - 1);
    if (isnan(details->calls))
        return slower->factor < FM_INPUT_GAP;
    return details->calls <= may_grow && (isnan(details->bytes) || details->bytes <= may_grow);
}

static const char *keep(struct analysis_work *work, const char *text)
{
    return fm_arena_strndup(work->arena, text, strlen(text));
}

static enum fm_status add_slower(struct analysis_work *work, struct fm_program_candidate *candidate, double certainty,
                                 struct fm_error *error)
{
    const struct fm_slower *slower = &candidate->slower;
    struct fm_details details;
    enum fm_status status = fm_details_read(work->store, &work->slow_hosts, slower->before, slower->n_picked_before,
                                            slower->after, slower->n_picked_after, work->arena, &details, error);
    if (status || !is_its_own(slower, &details))
        return status;
    struct fm_insight *insight = add(work);
    return insight && fm_insight_of_slower(candidate, &details, certainty, work->arena, insight) ? FM_OK
                                                                                                 : no_memory(error);
}

static enum fm_status add_scaling(struct analysis_work *work, struct fm_program_candidate *candidate, double certainty,
                                  struct fm_error *error)
{
    const struct fm_scaling_limit *scaling = &candidate->scaling;
    struct fm_details details;
    enum fm_status status = fm_details_read(work->store, &work->slow_hosts, scaling->small, scaling->n_small,
                                            scaling->large, scaling->n_large, work->arena, &details, error);
    if (status)
        return status;
    struct fm_insight *insight = add(work);
    return insight &&
                   fm_insight_of_scaling(candidate, &details, certainty, work->window->until - 1, work->arena, insight)
               ? FM_OK
               : no_memory(error);
}

static enum fm_status add_programs(struct analysis_work *work, struct fm_error *error)
{
    struct fm_candidates candidates;
    enum fm_status status = fm_candidates_read(&candidates, fm_store_db(work->store), work->window, error);
    for (size_t i = 0; i < candidates.n_programs && !status; i++) {
        struct fm_program_candidate *one = candidates.programs[i];
        double chance = one->is_slower ? one->slower.chance * (double)candidates.tested_slower
                                       : one->scaling.chance * (double)candidates.tested_scaling;
        if (chance >= FM_INSIGHT_CHANCE)
            continue;
        one->user = keep(work, one->user);
        one->program = keep(work, one->program);
        if (!one->user || !one->program)
            status = no_memory(error);
        else
            status = one->is_slower ? add_slower(work, one, 1 - chance, error)
                                    : add_scaling(work, one, 1 - chance, error);
    }
    work->analysis->jobs = candidates.jobs;
    work->analysis->programs = candidates.n_all;
    fm_arena_destroy(&candidates.arena);
    return status;
}

static enum fm_status add_hosts(struct analysis_work *work, struct fm_error *error)
{
    struct fm_host_candidate *hosts;
    size_t n;
    enum fm_status status = fm_host_candidates_read(&hosts, &n, &work->analysis->hosts, fm_store_db(work->store),
                                                    work->window, work->arena, error);
    for (size_t i = 0; i < n && !status; i++) {
        struct fm_insight *insight = add(work);
        if (!fm_intern_put(&work->slow_hosts, work->arena, hosts[i].host, false))
            return no_memory(error);
        if (!insight || !fm_insight_of_host(&hosts[i], 1 - hosts[i].slow.chance, work->arena, insight))
            status = no_memory(error);
    }
    return status;
}

static int by_cost(const void *a, const void *b)
{
    const struct fm_insight *x = a, *y = b;
    if (x->cost_s != y->cost_s)
        return x->cost_s > y->cost_s ? -1 : 1;
    return strcmp(x->sentence, y->sentence);
}

enum fm_status fm_analyse(struct fm_store *store, const struct fm_analysis_window *window, struct fm_arena *arena,
                          struct fm_analysis *analysis, struct fm_error *error)
{
    struct analysis_work work = {store, window, arena, analysis, 0, {0}};
    *analysis = (struct fm_analysis){.list.analysed = -1};
    enum fm_status status = add_hosts(&work, error);
    if (!status)
        status = add_programs(&work, error);
    if (!status && analysis->list.n)
        qsort(analysis->list.insights, analysis->list.n, sizeof *analysis->list.insights, by_cost);
    return status;
}
