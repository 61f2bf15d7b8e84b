/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON of MPI: routines, call sites, regions, sizes, communicators, topology, balance. */
#include "analyse/balance/group.h"
#include "analyse/balance/mergeable.h"
#include "analyse/balance/regions.h"
#include "analyse/balance/topology.h"
#include "report/json_parts.h"
#include "report/report_estimates.h"

static void write_extreme(struct fm_json *json, const char *key, const struct fm_extreme *extreme)
{
    if (extreme->event)
        fm_json_extreme(json, key, extreme);
    else
        fm_json_null(json, key);
}

/* The totals common to all lists of events. */
static void write_totals(struct fm_json *json, const struct fm_stats *stats)
{
    fm_json_fields(json, &fm_stats_fields, stats);
}

static void write_histogram(struct fm_json *json, const struct fm_histogram *histogram)
{
    fm_json_array(json, "histogram", FM_JSON_INLINE);
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        if (histogram->bins[bin] == 0)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "from_ns", fm_duration_bin_from(bin));
        if (bin + 1 < FM_DURATION_BINS)
            fm_json_whole(json, "to_ns", fm_duration_bin_from(bin + 1) - 1);
        else
            fm_json_null(json, "to_ns");
        fm_json_whole(json, "calls", histogram->bins[bin]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* May be unknown for a single program of a large job. */
static void write_routine_ranks(struct fm_json *json, const struct fm_routine_total *routine)
{
    if (!routine->time_ns.ranks) {
        fm_json_null(json, "per_rank");
        return;
    }
    fm_json_object(json, "per_rank", FM_JSON_LINES);
    fm_json_spread_seconds(json, "time_s", &routine->time_ns);
    fm_json_spread(json, "calls", &routine->calls);
    fm_json_spread(json, "bytes", &routine->bytes);
    fm_json_end(json);
}

static void write_estimate(struct fm_json *json, const struct fm_estimate *estimate)
{
    static const char *const kinds[] = {"unknown", "split", "local"}; /* enum fm_estimate_kind */
    bool known = estimate->kind != FM_ESTIMATE_UNKNOWN;
    fm_json_object(json, "estimate", FM_JSON_INLINE);
    fm_json_text(json, "kind", kinds[estimate->kind]);
    fm_json_number_or_null(json, "latency_s", known, estimate->latency_s);
    fm_json_number_or_null(json, "transfer_s", known, estimate->transfer_s);
    fm_json_number_or_null(json, "synchronisation_s", known, estimate->synchronisation_s);
    fm_json_number_or_null(json, "call_latency_us", estimate->call_latency_s > 0, 1e6 * estimate->call_latency_s);
    fm_json_number_or_null(json, "bandwidth_bytes_per_s", estimate->bandwidth_bytes_per_s > 0,
                           estimate->bandwidth_bytes_per_s);
    fm_json_array(json, "flags", FM_JSON_INLINE);
    for (unsigned i = 0; i < FM_ESTIMATE_FLAGS; i++)
        if (estimate->flags & 1u << i)
            fm_json_text(json, NULL, fm_estimate_flag_names[i]);
    fm_json_end(json);
    fm_json_end(json);
}

static void write_calibration(struct fm_report *report, struct fm_json *json,
                              const struct fm_report_estimates *estimates)
{
    const struct fm_calibration *calibration = report->options.calibration;
    if (!calibration)
        return;
    fm_json_object(json, "calibration", FM_JSON_LINES);
    fm_json_text(json, "file", report->options.calibration_path);
    fm_json_text(json, "made", calibration->made);
    fm_json_text(json, "mpi", calibration->mpi);
    fm_json_text(json, "host", calibration->host);
    fm_json_text(json, "cpu", calibration->cpu);
    fm_json_bool(json, "oversubscribed", calibration->oversubscribed);
    fm_json_number(json, "latency_s", estimates->latency_s);
    fm_json_number(json, "transfer_s", estimates->transfer_s);
    fm_json_number(json, "synchronisation_s", estimates->synchronisation_s);
    fm_json_number(json, "local_s", estimates->local_s);
    fm_json_number(json, "unknown_s", estimates->unknown_s);
    fm_json_end(json);
}

static void write_routines(struct fm_report *report, struct fm_json *json, const struct fm_report_estimates *estimates)
{
    fm_json_array(json, "routines", FM_JSON_LINES);
    for (size_t i = 0; i < report->summary.n_routines; i++) {
        const struct fm_routine_total *routine = report->summary.routines[i];
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_text(json, "name", routine->name);
        write_totals(json, &routine->stats);
        write_extreme(json, "min", &routine->stats.min);
        write_extreme(json, "max", &routine->stats.max);
        write_extreme(json, "second", &routine->stats.second);
        fm_json_ranks(report, json, &routine->ranks);
        write_routine_ranks(json, routine);
        if (report->options.histogram)
            write_histogram(json, &routine->stats.histogram);
        if (estimates->routines)
            write_estimate(json, &estimates->routines[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static enum fm_status write_sites(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SITE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_report_resolve(report);
    fm_json_array(json, "sites", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", groups.items[i].key.routine);
        fm_json_site(report, json, &groups.items[i].key.site, groups.items[i].key.routine);
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static void write_succession_site(struct fm_report *report, struct fm_json *json,
                                  const struct fm_succession *succession, const char *key, const struct fm_site *site)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_site(report, json, site, succession->routine);
    fm_json_end(json);
}

static enum fm_status write_successions(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    (void)error;
    fm_report_resolve(report);
    fm_json_array(json, "successions", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_successions; i++) {
        const struct fm_succession *succession = &report->profile->successions[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", succession->routine);
        write_succession_site(report, json, succession, "first", &succession->first);
        write_succession_site(report, json, succession, "second", &succession->second);
        fm_json_whole(json, "count", succession->count);
        fm_json_seconds(json, "gap_s", succession->gap_ns);
        fm_json_whole(json, "short_gaps", succession->short_gaps);
        fm_json_bool(json, "dependent", succession->dependent);
        uint64_t cost_ns = fm_mergeable_cost(report->profile, succession);
        fm_json_bool(json, "mergeable", cost_ns > 0);
        if (cost_ns)
            fm_json_seconds(json, "cost_s", cost_ns);
        else
            fm_json_null(json, "cost_s");
        fm_json_ranks(report, json, &succession->ranks);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_regions(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_region_totals totals;
    enum fm_status status = fm_regions_find(report->profile, &report->arena, &totals, error);
    if (status)
        return status;
    fm_json_array(json, "regions", FM_JSON_LINES);
    for (size_t i = 1; i < totals.n; i++) { /* skip the whole program */
        const struct fm_region_total *total = &totals.items[i];
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_text(json, "name", total->name);
        fm_json_text(json, "path", total->path);
        bool known = total->region || !report->profile->part; /* otherwise several programs have it */
        if (known)
            fm_json_seconds(json, "wall_s", total->wall_ns);
        else
            fm_json_null(json, "wall_s");
        fm_json_seconds(json, "mpi_s", total->mpi_ns);
        fm_json_whole_or_null(json, "entries", known, total->entries);
        fm_json_whole(json, "calls", total->calls);
        if (total->region) {
            fm_json_ranks(report, json, &total->region->ranks);
            fm_json_spread_seconds(json, "wall_per_rank_s", &total->region->wall_per_rank);
        }
        fm_json_array(json, "routines", FM_JSON_LINES);
        for (size_t r = 0; r < total->n_routines; r++) {
            fm_json_object(json, NULL, FM_JSON_INLINE);
            fm_json_text(json, "name", total->routines[r].name);
            fm_json_whole(json, "calls", total->routines[r].calls);
            fm_json_seconds(json, "time_s", total->routines[r].time_ns);
            fm_json_whole(json, "bytes", total->routines[r].bytes);
            fm_json_end(json);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_sizes(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SIZE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_json_array(json, "sizes", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        const struct fm_event_key *key = &groups.items[i].key;
        if (key->size_bin == FM_SIZE_NONE)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", key->routine);
        fm_json_whole(json, "from_bytes", fm_size_bin_from(key->size_bin));
        fm_json_whole(json, "to_bytes", fm_size_bin_to(key->size_bin));
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_communicators(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_COMM, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_json_array(json, "communicators", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        if (groups.items[i].key.comm_size == 0)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", groups.items[i].key.routine);
        fm_json_whole(json, "size", groups.items[i].key.comm_size);
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_json_program_pairs(struct fm_report *report, struct fm_json *json, const char *key,
                                     const struct fm_topology *topology, struct fm_error *error)
{
    struct fm_program_pairs pairs = {0};
    if (report->programs.n && !fm_topology_programs(topology, &report->programs, &report->arena, &pairs))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the traffic between programs");
    fm_json_array(json, key, FM_JSON_LINES);
    for (size_t i = 0; i < pairs.n; i++) {
        const struct fm_pair *sum = &pairs.items[i].sum;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "from", fm_report_label(report, sum->from));
        fm_json_text(json, "to", fm_report_label(report, sum->to));
        fm_json_whole(json, "pairs", pairs.items[i].pairs);
        fm_json_whole(json, "messages", sum->messages);
        fm_json_whole(json, "bytes", sum->bytes);
        fm_json_seconds(json, "send_s", sum->send_ns);
        fm_json_seconds(json, "receive_s", sum->receive_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_topology(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_topology topology;
    enum fm_status status = fm_topology_find(report->profile, &report->arena, &topology, error);
    if (status)
        return status;
    fm_json_array(json, "topology", FM_JSON_LINES);
    for (size_t i = 0; i < topology.n; i++) {
        const struct fm_pair *pair = &topology.pairs[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "from", pair->from);
        fm_json_whole(json, "to", pair->to);
        fm_json_whole(json, "messages", pair->messages);
        fm_json_whole(json, "bytes", pair->bytes);
        fm_json_seconds(json, "time_s", fm_pair_time_ns(pair));
        fm_json_seconds(json, "send_s", pair->send_ns);
        fm_json_seconds(json, "receive_s", pair->receive_ns);
        fm_json_number(json, "bytes_per_second", fm_pair_rate(pair));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_object(json, "topology_left_out", FM_JSON_INLINE);
    fm_json_whole(json, "pairs", topology.dropped);
    fm_json_whole(json, "messages", topology.dropped_messages);
    fm_json_whole(json, "bytes", topology.dropped_bytes);
    fm_json_end(json);
    return fm_json_program_pairs(report, json, "topology_programs", &topology, error);
}

/* ---- balance ---- */

static void write_signed_seconds(struct fm_json *json, const char *key, double ns)
{
    fm_json_number(json, key, ns * 1e-9);
}

static void write_groups(struct fm_report *report, struct fm_json *json)
{
    fm_json_array(json, "groups", FM_JSON_LINES);
    for (size_t g = 0; g < report->balance.n_jumps; g++) {
        const struct fm_balance_group *group = &report->balance.jumps[g];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_ranks(report, json, &group->ranks);
        write_signed_seconds(json, "mpi_s", group->mean_ns);
        fm_json_seconds(json, "mpi_min_s", fm_balance_group_min(&report->balance, group));
        fm_json_seconds(json, "mpi_max_s", fm_balance_group_max(&report->balance, group));
        write_signed_seconds(json, "difference_s", group->difference_ns);
        fm_json_seconds(json, "jump_s", group->jump_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
}

void fm_json_balance(struct fm_report *report, struct fm_json *json)
{
    static const char *const evenness[] = {"even", "uneven", "unknown"}; /* enum fm_evenness */
    const struct fm_balance *balance = &report->balance;
    fm_json_object(json, "balance", FM_JSON_LINES);
    fm_json_number(json, "load_balance", report->factors.load_balance);
    fm_json_number(json, "communication_efficiency", report->factors.communication);
    fm_json_number(json, "parallel_efficiency", report->factors.parallel);
    fm_json_text(json, "evenness", evenness[balance->evenness]);
    fm_json_array(json, "ranks_by_mpi_time", FM_JSON_INLINE);
    for (size_t i = 0; i < balance->n; i++)
        fm_json_whole(json, NULL, balance->order[i].rank);
    fm_json_end(json);
    fm_json_array(json, "mpi_s", FM_JSON_INLINE);
    for (size_t i = 0; i < balance->n; i++)
        fm_json_seconds(json, NULL, balance->order[i].mpi_ns);
    fm_json_end(json);
    fm_json_object(json, "routines", FM_JSON_LINES);
    for (size_t h = 0; h < balance->n_heavy; h++) {
        if (!balance->heavy[h].time_ns)
            continue;
        fm_json_array(json, balance->heavy[h].routine->name, FM_JSON_INLINE);
        for (size_t i = 0; i < balance->n; i++)
            fm_json_seconds(json, NULL, balance->heavy[h].time_ns[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
    write_groups(report, json);
    fm_json_end(json);
}

static enum fm_status write_tables(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    static enum fm_status (*const tables[])(struct fm_report *, struct fm_json *, struct fm_error *) = {
        write_sites, write_successions, write_regions, write_sizes, write_communicators,
    };
    struct fm_report_estimates estimates;
    enum fm_status status = fm_report_estimates(report, &estimates, error);
    if (status)
        return status;
    fm_json_seconds(json, "time_s", report->summary.mpi_sum_ns);
    fm_json_number(json, "fraction", report->summary.mpi_fraction);
    write_calibration(report, json, &estimates);
    write_routines(report, json, &estimates);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        status = tables[i](report, json, error);
    return status;
}

enum fm_status fm_json_mpi(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    fm_json_object(json, "mpi", FM_JSON_LINES);
    enum fm_status status = write_tables(report, json, error);
    if (!status)
        status = write_topology(report, json, error);
    if (status)
        return status;
    fm_json_balance(report, json);
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_json_mpi_tables(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    fm_json_object(json, "mpi", FM_JSON_LINES);
    enum fm_status status = write_tables(report, json, error);
    fm_json_end(json);
    return status;
}
