/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON of the counters. */
#include <math.h>

#include "analyse/counters/counters.h"
#include "report/json_parts.h"

/* For each process in the order of `processes`, null where unknown. in_mpi: only events in MPI. */
static void write_ranks(struct fm_report *report, struct fm_json *json, const struct fm_counter_total *total,
                        const char *key, bool in_mpi)
{
    const struct fm_profile *profile = report->profile;
    fm_json_array(json, key, FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_counter *counter = fm_counter_of_rank(total, profile->processes[i].rank);
        if (!counter || (in_mpi && counter->unsplit))
            fm_json_null(json, NULL);
        else
            fm_json_whole(json, NULL, in_mpi ? counter->in_mpi : counter->count);
    }
    fm_json_end(json);
}

static void write_counter(struct fm_report *report, struct fm_json *json, const struct fm_counter_total *total)
{
    uint64_t wall_ns = report->summary.wall_ns;
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "name", total->over_ranks->name);
    fm_json_bool(json, "software", total->over_ranks->software);
    fm_json_whole(json, "total", total->count);
    fm_json_whole_or_null(json, "program", total->split, total->in_program);
    fm_json_whole_or_null(json, "mpi", total->split, total->in_mpi);
    fm_json_number(json, "rate_per_s", wall_ns ? (double)total->count * 1e9 / (double)wall_ns : NAN);
    fm_json_number(json, "rate_program_per_s", total->split ? fm_counter_rate(total, wall_ns) : NAN);
    fm_json_bool(json, "scaled", total->scaled);
    fm_json_seconds(json, "enabled_s", total->over_ranks->enabled_ns);
    fm_json_seconds(json, "running_s", total->over_ranks->running_ns);
    fm_json_ranks(report, json, &total->over_ranks->ranks);
    fm_json_spread(json, "spread", &total->over_ranks->counts);
    write_ranks(report, json, total, "per_rank", false);
    write_ranks(report, json, total, "per_rank_mpi", true);
    fm_json_end(json);
}

enum fm_status fm_json_counters(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_counter_totals totals;
    if (!fm_counters_find(report->profile, &report->arena, &totals))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the counters");
    fm_json_object(json, "counters", FM_JSON_LINES);
    fm_json_text_or_null(json, "source", !totals.n ? "" : totals.hardware ? "perf: hardware" : "perf: software");
    fm_json_number(json, "instructions_per_cycle", totals.ipc);
    fm_json_number(json, "instructions_per_cycle_program", totals.program_ipc);
    fm_json_number(json, "flops_per_s", totals.flops_per_s);
    fm_json_number(json, "flops_per_cycle", totals.flops_per_cycle);
    fm_json_number(json, "peak_flops_per_cycle", totals.peak_per_cycle);
    fm_json_number(json, "fraction_of_peak", totals.of_peak);
    fm_json_number(json, "memory_bytes_estimate", totals.memory_bytes);
    fm_json_number(json, "memory_bytes_per_s_estimate", totals.memory_per_s);
    fm_json_array(json, "list", FM_JSON_LINES);
    for (size_t i = 0; i < totals.n; i++)
        write_counter(report, json, &totals.items[i]);
    fm_json_end(json);
    fm_json_end(json);
    return FM_OK;
}
