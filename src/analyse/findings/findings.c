/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/finding.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/calls/rank_extremes.h"
#include "analyse/calls/routine_sites.h"
#include "analyse/calls/workers.h"
#include "analyse/findings/io_time.h"
#include "analyse/findings/rules.h"
#include "base/units.h"

static const struct fm_finding_rule rules[] = {
#define X(function, name, cores, looks_at, advice, trace) \
    {name, looks_at, advice, trace, FM_RULE_##cores, fm_rule_##function},
    FM_FINDING_RULES(X)
#undef X
};

static enum fm_status make_calls(struct fm_finding_search *search, struct fm_error *error)
{
    const struct fm_call_paths *paths = &search->profile->paths;
    if (!search->symbols || !paths->n || !paths->nodes[0].all.sum_ns) /* without names, all functions are one */
        return FM_OK;
    enum fm_status status = fm_calltree_make(search->profile, search->symbols, search->arena, &search->calls, error);
    if (status)
        return status;
    fm_calltree_begin_with_main(&search->calls);
    status = fm_calltree_join_workers(&search->calls, error);
    if (status)
        return status;
    fm_calltree_without_helpers(&search->calls);
    fm_calltree_extremes(&search->calls);
    return FM_OK;
}

/* Each rank waits at most about as long as the one that lacks a CPU for longest. */
static double disturbed(const struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    uint64_t longest = 0, waited;
    for (size_t i = 0; i < search->profile->n_processes; i++)
        if (fm_figure_get(&search->profile->processes[i], FM_FIGURE_runqueue_ns, &waited) && waited > longest)
            longest = waited;
    return (double)longest * (double)balance->n;
}

/* Whether a rule may be applied to times that include waiting for a CPU. */
static bool applies(const struct fm_finding_search *search)
{
    return search->rule->cores == FM_RULE_ANY || !search->found->lacked_cores ||
           (search->rule->cores == FM_RULE_MEASURED && search->cores.no_cpu >= 0);
}

static enum fm_status prepare(struct fm_finding_search *search, struct fm_error *error)
{
    const struct fm_balance *balance = search->balance;
    search->cores = fm_core_use(search->profile);
    search->found->lacked_cores = search->cores.lack != FM_CORES_ENOUGH;
    search->work_ns = fm_arena_alloc(search->arena, (balance->n + 1) * sizeof *search->work_ns);
    if (!search->work_ns)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the findings");
    for (size_t i = 0; i < balance->n; i++)
        search->work_ns[i] = (double)balance->order[i].work_ns;
    search->disturbed_ns = disturbed(search);
    if (search->symbols)
        fm_routine_sites_resolve(search->symbols, search->profile->events, search->profile->n_events);
    enum fm_status status = fm_io_time_prepare(search, error);
    status = status ? status : make_calls(search, error);
    return status ? status : fm_waits_find(search->profile, search->arena, &search->waits, error);
}

static int costliest_first(const void *a, const void *b)
{
    const struct fm_finding *x = a, *y = b;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns > y->cost_ns ? -1 : 1;
    int order = strcmp(x->rule, y->rule);
    return order ? order : strcmp(x->text, y->text);
}

enum fm_status fm_findings_find(const struct fm_finding_input *input, struct fm_arena *arena, struct fm_findings *found,
                                struct fm_error *error)
{
    struct fm_finding_search search = {.profile = input->profile,
                                       .summary = input->summary,
                                       .balance = input->balance,
                                       .symbols = input->symbols,
                                       .arena = arena,
                                       .found = found};
    *found = (struct fm_findings){0};
    enum fm_status status = prepare(&search, error);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        search.rule = &rules[i];
        if (applies(&search))
            search.rule->find(&search);
    }
    if (search.failed)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the findings");
    if (found->n)
        qsort(found->items, found->n, sizeof *found->items, costliest_first);
    return FM_OK;
}

const char *fm_finding_advice(const char *rule)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].name, rule))
            return rules[i].advice;
    return NULL;
}

const struct fm_finding *fm_findings_of(const struct fm_findings *found, const char *rule)
{
    for (size_t i = 0; i < found->n; i++)
        if (!strcmp(found->items[i].rule, rule))
            return &found->items[i];
    return NULL;
}

/* ---- evidence ---- */

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

const char *fm_evidence_text(char *buffer, const struct fm_evidence *evidence)
{
    if (ends_in(evidence->name, "_s"))
        return fm_time_text(buffer, 1e9 * evidence->value);
    if (ends_in(evidence->name, "_bytes"))
        return fm_bytes_text(buffer, evidence->value);
    if (ends_in(evidence->name, "_fraction"))
        return fm_percent_whole(buffer, evidence->value);
    return fm_mean_text(buffer, evidence->value);
}

/* What a key of JSON is called in a text, if not by its own words. */
static const char *const labels[][2] = {
    {"all_bytes", "between all ranks"},
    {"between_hosts_then_bytes", "with the other placement"},
    {"bound", "bound to the same cores"},
    {"busy_work_avg_s", "mean work of these ranks"},
    {"call_avg_s", "mean time of a call"},
    {"call_floor_s", "without waiting"},
    {"calls_between_hosts_s", "time in calls between hosts"},
    {"calls_waiting_fraction", "of which wait"},
    {"events", "events per rank"},
    {"first_half_avg_s", "mean in the first half"},
    {"first_s", "first event"},
    {"heaviest_read_bytes", "read from them"},
    {"heaviest_s", "time in the heaviest files"},
    {"heaviest_written_bytes", "written to them"},
    {"host_work_avg_s", "mean work on the host"},
    {"host_work_min_s", "least work on the host"},
    {"io_max_s", "longest I/O of a rank"},
    {"io_s", "I/O"},
    {"longest_other_s", "longest other event"},
    {"memory_bytes", "memory of the host"},
    {"message_avg_bytes", "mean size"},
    {"messages_per_rank_and_second", "messages per rank and second"},
    {"no_cpu_fraction", "without a CPU"},
    {"no_cpu_max_fraction", "longest without a CPU on one rank"},
    {"others_longer_in_mpi_s", "other ranks longer in MPI by"},
    {"others_work_avg_s", "mean work of the others"},
    {"others_work_max_s", "most work of the others"},
    {"request_avg_bytes", "mean size"},
    {"request_avg_s", "mean time of a request"},
    {"second_half_avg_s", "mean in the second half"},
    {"stage_s", "work alone"},
    {"unexplained_fraction", "not due to differences in work"},
    {"work_avg_s", "mean work"},
    {"work_max_s", "longest work"},
};

const char *fm_evidence_name(const struct fm_evidence *evidence, struct fm_arena *arena)
{
    static const char *const units[] = {"_s", "_bytes", "_fraction"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strcmp(evidence->name, labels[i][0]))
            return labels[i][1];
    size_t length = strlen(evidence->name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ends_in(evidence->name, units[i]))
            length = strlen(evidence->name) - strlen(units[i]);
    char *words = fm_arena_strndup(arena, evidence->name, length);
    for (char *at = words; at && *at; at++)
        if (*at == '_' || *at == '-')
            *at = ' ';
    return words;
}
