/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: the split of time, memory, and the network of the hosts. */
#include "analyse/balance/memory.h"
#include "analyse/balance/split.h"
#include "report/json_parts.h"

static void seconds_or_null(struct fm_json *json, const char *key, uint64_t ns, bool known)
{
    if (known)
        fm_json_seconds(json, key, ns);
    else
        fm_json_null(json, key);
}

/* The total has the estimate of waiting, too: calls are not known by rank. */
static enum fm_status write_total(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_split total = fm_split_total(report->profile), *split = &total;
    struct fm_split_mpi mpi;
    enum fm_status status = fm_split_mpi(report->profile, split, &report->arena, &mpi, error);
    if (status)
        return status;
    fm_json_object(json, "split", FM_JSON_LINES);
    fm_json_seconds(json, "wall_s", split->wall_ns);
    fm_json_seconds(json, "program_s", split->program_ns);
    fm_json_seconds(json, "mpi_s", split->mpi_ns);
    seconds_or_null(json, "io_s", split->io_ns, split->knows_io);
    seconds_or_null(json, "no_cpu_s", split->no_cpu_ns, split->knows_no_cpu);
    seconds_or_null(json, "waiting_s", mpi.waiting_ns, mpi.known);
    seconds_or_null(json, "transfer_s", mpi.transfer_ns, mpi.known);
    return FM_OK;
}

static void write_vector(struct fm_json *json, const char *key, const struct fm_split_ranks *ranks, size_t offset,
                         bool (*known)(const struct fm_split *split))
{
    fm_json_array(json, key, FM_JSON_INLINE);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct fm_split *split = &ranks->items[i].split;
        seconds_or_null(json, NULL, *(const uint64_t *)(const void *)((const char *)split + offset), known(split));
    }
    fm_json_end(json);
}

static bool always(const struct fm_split *split)
{
    (void)split;
    return true;
}

static bool knows_io(const struct fm_split *split)
{
    return split->knows_io;
}

static bool knows_no_cpu(const struct fm_split *split)
{
    return split->knows_no_cpu;
}

enum fm_status fm_json_split(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_split_ranks ranks;
    struct fm_rankset set = {0};
    bool made = fm_split_ranks(report->profile, &report->arena, &ranks);
    for (size_t i = 0; made && i < ranks.n; i++)
        made = fm_rankset_add(&set, &report->arena, ranks.items[i].rank, ranks.items[i].rank);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the time of %zu processes",
                       report->profile->n_processes);
    enum fm_status status = write_total(report, json, error);
    if (status)
        return status;
    fm_json_object(json, "per_rank", FM_JSON_LINES);
    fm_json_ranks(report, json, &set);
    write_vector(json, "wall_s", &ranks, offsetof(struct fm_split, wall_ns), always);
    write_vector(json, "program_s", &ranks, offsetof(struct fm_split, program_ns), always);
    write_vector(json, "mpi_s", &ranks, offsetof(struct fm_split, mpi_ns), always);
    write_vector(json, "io_s", &ranks, offsetof(struct fm_split, io_ns), knows_io);
    write_vector(json, "no_cpu_s", &ranks, offsetof(struct fm_split, no_cpu_ns), knows_no_cpu);
    fm_json_end(json);
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_json_split_total(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    enum fm_status status = write_total(report, json, error);
    if (!status)
        fm_json_end(json);
    return status;
}

/* ---- memory and network ---- */

static void spread_or_null(struct fm_json *json, const char *key, const struct fm_spread *spread)
{
    if (spread->ranks)
        fm_json_spread(json, key, spread);
    else
        fm_json_null(json, key);
}

static void write_growth(struct fm_report *report, struct fm_json *json)
{
    struct fm_growth growth = fm_memory_growths(report->profile);
    if (!growth.ranks) {
        fm_json_null(json, "growth_bytes");
        return;
    }
    fm_json_object(json, "growth_bytes", FM_JSON_INLINE);
    fm_json_number(json, "min", (double)growth.min);
    fm_json_whole(json, "min_rank", growth.min_rank);
    fm_json_number(json, "max", (double)growth.max);
    fm_json_whole(json, "max_rank", growth.max_rank);
    fm_json_number(json, "avg", growth.sum / growth.ranks);
    fm_json_end(json);
}

static void whole_or_null(struct fm_json *json, const char *key, uint64_t value)
{
    if (value != FM_UNKNOWN)
        fm_json_whole(json, key, value);
    else
        fm_json_null(json, key);
}

void fm_json_memory(struct fm_report *report, struct fm_json *json)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_summary *summary = &report->summary;
    fm_json_object(json, "memory", FM_JSON_LINES);
    spread_or_null(json, "high_water_bytes", &summary->of.max_rss_bytes);
    spread_or_null(json, "after_init_bytes", &summary->of.init_rss_bytes);
    spread_or_null(json, "end_bytes", &summary->of.end_rss_bytes);
    write_growth(report, json);
    fm_json_array(json, "hosts", FM_JSON_LINES);
    for (size_t i = 0; i < profile->n_hosts; i++) {
        const struct fm_host *host = &profile->hosts[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", host->name);
        whole_or_null(json, "total_bytes", host->memory_bytes ? host->memory_bytes : FM_UNKNOWN);
        whole_or_null(json, "least_free_bytes", host->least_free_bytes);
        whole_or_null(json, "limit_bytes", host->limit_bytes);
        whole_or_null(json, "limit_high_water_bytes", host->limit_peak_bytes);
        whole_or_null(json, "numa_nodes", host->numa_nodes);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

void fm_json_network(struct fm_report *report, struct fm_json *json)
{
    const struct fm_profile *profile = report->profile;
    fm_json_object(json, "network", FM_JSON_LINES);
    fm_json_array(json, "hosts", FM_JSON_LINES);
    for (size_t i = 0; i < profile->n_hosts; i++) {
        struct fm_host_traffic traffic;
        bool known = fm_host_traffic(&profile->hosts[i], &traffic);
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", profile->hosts[i].name);
        whole_or_null(json, "received_bytes", known ? traffic.received_bytes : FM_UNKNOWN);
        whole_or_null(json, "sent_bytes", known ? traffic.sent_bytes : FM_UNKNOWN);
        whole_or_null(json, "received_packets", known ? traffic.received_packets : FM_UNKNOWN);
        whole_or_null(json, "sent_packets", known ? traffic.sent_packets : FM_UNKNOWN);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}
