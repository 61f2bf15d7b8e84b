/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiency of the run, its regions and timers. Unknown factors are null. */
#include "report/json_parts.h"
#include "report/report_efficiency.h"

static void write_factors(struct fm_json *json, const struct fm_factors *factors)
{
    fm_json_number_or_null(json, "parallel", factors->known, factors->parallel);
    fm_json_number_or_null(json, "load_balance", factors->known, factors->load_balance);
    fm_json_number_or_null(json, "communication", factors->known, factors->communication);
    fm_json_number_or_null(json, "serialisation", factors->estimated, factors->serialisation);
    fm_json_number_or_null(json, "transfer", factors->estimated, factors->transfer);
}

static void write_parts(struct fm_json *json, const char *key, const struct fm_efficiency_part *parts, size_t n)
{
    fm_json_array(json, key, FM_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", parts[i].name);
        write_factors(json, &parts[i].factors);
        fm_json_number_or_null(json, "wall_balance", parts[i].balance > 0, parts[i].balance);
        fm_json_spread_seconds(json, "wall_s", &parts[i].wall_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_from(struct fm_json *json, const struct fm_span *from)
{
    if (!from) {
        fm_json_null(json, "from_first");
        return;
    }
    fm_json_object(json, "from_first", FM_JSON_INLINE);
    fm_json_text(json, "kind", from->kind == FM_SPAN_FROM_REGION ? "region" : "timer");
    fm_json_text(json, "name", from->name);
    fm_json_whole(json, "ranks_in_it", from->wall_ns.ranks);
    fm_json_end(json);
}

static void write_threads(struct fm_json *json, const struct fm_report_efficiency *efficiency)
{
    const struct fm_thread_use *threads = &efficiency->threads;
    bool hybrid = threads->known && efficiency->of.run.known;
    fm_json_number_or_null(json, "openmp", threads->known, threads->efficiency);
    fm_json_number_or_null(json, "openmp_error", threads->known, threads->error);
    fm_json_number_or_null(json, "threads_per_process", threads->known, threads->threads);
    fm_json_number_or_null(json, "hybrid", hybrid, fm_hybrid_efficiency(efficiency));
}

enum fm_status fm_json_efficiency(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    static const char *const estimated[] = {"serialisation", "transfer"}, *const sampled[] = {"openmp", "hybrid"};
    static const char *const cores[] = {"enough", "fewer than ranks", "preempted", "not running"};
    struct fm_report_efficiency efficiency;
    enum fm_status status = fm_report_efficiency(report, &efficiency, error);
    if (status)
        return status;
    fm_json_object(json, "efficiency", FM_JSON_LINES);
    write_factors(json, &efficiency.of.run);
    write_threads(json, &efficiency);
    fm_json_array(json, "estimated", FM_JSON_INLINE);
    for (int i = 0; i < 2; i++)
        fm_json_text(json, NULL, estimated[i]);
    fm_json_end(json);
    fm_json_text(json, "estimated_from", efficiency.calibrated ? "calibration" : "calls");
    fm_json_array(json, "sampled", FM_JSON_INLINE);
    for (int i = 0; i < 2; i++)
        fm_json_text(json, NULL, sampled[i]);
    fm_json_end(json);
    fm_json_text(json, "cores", cores[efficiency.of.cores.lack]); /* enum fm_cores_lack */
    write_from(json, efficiency.of.from);
    write_parts(json, "regions", efficiency.of.regions, efficiency.of.n_regions);
    write_parts(json, "timers", efficiency.of.timers, efficiency.of.n_timers);
    fm_json_end(json);
    return FM_OK;
}
