/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/search.h"

#include <stdarg.h>

#include "analyse/calls/routine_sites.h"
#include "analyse/findings/rules.h"
#include "base/basename.h"
#include "base/writer.h"

struct fm_finding *fm_finding_add(struct fm_finding_search *search, double cost_ns, bool measured)
{
    struct fm_findings *found = search->found;
    void *grown = fm_arena_grow(search->arena, found->items, &found->capacity, found->n + 1, sizeof *found->items);
    if (!grown) {
        search->failed = true;
        return &search->nowhere;
    }
    found->items = grown;
    found->items[found->n] = (struct fm_finding){
        .rule = search->rule->name,
        .text = "",
        .advice = search->rule->advice,
        .trace = search->rule->trace,
        .cost_ns = cost_ns,
        .measured = measured,
        .place = {"", "", 0},
    };
    return &found->items[found->n++];
}

void fm_finding_evidence(struct fm_finding *finding, const char *name, double value)
{
    if (finding->n_evidence < FM_FINDING_EVIDENCE)
        finding->evidence[finding->n_evidence++] = (struct fm_evidence){name, value};
}

void fm_finding_ranks(struct fm_finding_search *search, struct fm_finding *finding, const struct fm_rankset *ranks)
{
    if (!fm_rankset_union(&finding->ranks, search->arena, ranks))
        search->failed = true;
}

void fm_finding_all_ranks(struct fm_finding_search *search, struct fm_finding *finding)
{
    for (size_t i = 0; i < search->profile->n_processes; i++) {
        const struct fm_process *process = &search->profile->processes[i];
        if (process->end != FM_END_MISSING && process->rank != FM_NO_RANK &&
            !fm_rankset_add(&finding->ranks, search->arena, process->rank, process->rank))
            search->failed = true;
    }
}

const char *fm_finding_text(struct fm_finding_search *search, const char *format, ...)
{
    struct fm_writer writer = {.arena = search->arena};
    va_list values;
    va_start(values, format);
    fm_write_list(&writer, format, values);
    va_end(values);
    const char *text = fm_writer_text(&writer);
    search->failed |= !text;
    return text ? text : "";
}

double fm_finding_share(const struct fm_finding_search *search, double cost_ns)
{
    return fm_ratio(cost_ns, (double)search->summary->wall_sum_ns);
}

const char *fm_finding_ranks_text(struct fm_finding_search *search, const struct fm_rankset *ranks)
{
    const char *text = fm_rankset_text(ranks, search->arena, 24);
    return fm_finding_text(search, "rank%s %s", fm_rankset_count(ranks) == 1 ? "" : "s", text ? text : "?");
}

const char *fm_finding_place_text(struct fm_finding_search *search, const struct fm_finding_place *place)
{
    if (!place->line)
        return place->function;
    return fm_finding_text(search, "%s (%s:%u)", place->function, fm_basename(place->path), place->line);
}

struct fm_finding_place fm_finding_place_of(const struct fm_context *context)
{
    return (struct fm_finding_place){context->id.name, context->id.path, context->id.line};
}

struct fm_finding_place fm_finding_site(struct fm_finding_search *search, const struct fm_site *site,
                                        const char *routine)
{
    const struct fm_symbol *place = search->symbols ? fm_routine_place(search->symbols, site, routine) : NULL;
    if (!place)
        return (struct fm_finding_place){"", "", 0};
    return (struct fm_finding_place){place->function, place->path, place->line};
}

const char *fm_finding_call_text(struct fm_finding_search *search, const char *routine,
                                 const struct fm_finding_place *place)
{
    const char *where = fm_finding_place_text(search, place);
    return where[0] ? fm_finding_text(search, "%s in %s", routine, where) : routine;
}

double fm_finding_uneven_ns(const struct fm_finding_search *search)
{
    double longest = 0, sum = 0;
    for (size_t i = 0; i < search->balance->n; i++) {
        longest = search->work_ns[i] > longest ? search->work_ns[i] : longest;
        sum += search->work_ns[i];
    }
    return longest * (double)search->balance->n - sum;
}
