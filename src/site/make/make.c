/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/make/make.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyse/balance/split.h"
#include "analyse/counters/counters.h"
#include "analyse/io/io_summary.h"
#include "base/saturate.h"
#include "mpi/launchers.h"
#include "report/report_efficiency.h"
#include "site/make/parts.h"
#include "symbols/compiler.h"

static int64_t whole(uint64_t value)
{
    return value < FM_RECORD_WHOLE_MAX ? (int64_t)value : FM_RECORD_WHOLE_MAX;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Six decimals, as in JSON. */
static double fraction(bool known, double value)
{
    return known && isfinite(value) && value >= 0 ? round(value * 1e6) / 1e6 : NAN;
}

static const char *variable(const struct fm_job *job, const char *name)
{
    for (size_t i = 0; i < job->n_env; i++)
        if (!strcmp(job->env[i].name, name))
            return job->env[i].value;
    return "";
}

/* ---- who and what ---- */

/* How ranks ended: what somebody saw tells more than that others vanished after it. */
static const char *end_text(const struct fm_summary *summary, char *buffer, size_t size)
{
    const struct fm_end_group *best = NULL;
    for (size_t i = 0; i < summary->n_ends; i++) {
        const struct fm_end_group *group = &summary->ends[i];
        bool cause = group->end != FM_END_VANISHED && group->end != FM_END_MISSING && group->end != FM_END_UNKNOWN;
        bool have_cause = best && best->end != FM_END_VANISHED && best->end != FM_END_MISSING &&
                          best->end != FM_END_UNKNOWN;
        if (!best || (cause && !have_cause))
            best = group;
    }
    return best ? fm_end_text(best->end, best->code, buffer, size) : "";
}

static void make_command(struct fm_record *record, const struct fm_job *job)
{
    char line[FM_RECORD_TEXT + 1] = "";
    size_t used = 0;
    for (size_t i = 0; i < job->n_argv && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? " " : "", job->argv[i]);
    record->command = fm_record_copy(record, line);
}

static const char *path_hash(struct fm_record *record, const char *path, const struct fm_record_rules *rules)
{
    static const struct fm_siphash_key open_key = {0x6d6f68746166, 4};
    const char *hash = fm_record_hashed(record, rules->hash_names ? &rules->hash_key : &open_key, path);
    return *hash ? hash + 1 : ""; /* without the "h": it is known to be one */
}

static void make_identity(struct fm_record *record, const struct fm_report *report, const struct fm_record_rules *rules)
{
    const struct fm_job *job = &report->profile->job;
    char key[FM_RECORD_KEY_CHARS], end[128], compiler[FM_COMPILER_CHARS];
    fm_record_job_key(report->profile, key);
    record->key = fm_record_copy(record, key);
    record->job_id = fm_record_copy(record, job->id);
    record->user = fm_record_copy(record, job->user);
    record->account = fm_record_copy(record, variable(job, FM_SLURM_ACCOUNT));
    record->partition = fm_record_copy(record, variable(job, FM_SLURM_PARTITION));
    record->program = fm_record_copy(record, report->summary.name);
    record->build_id = fm_record_copy(record, job->build_id);
    record->path_hash = path_hash(record, job->exe, rules);
    record->commit_id = fm_record_copy(record, job->commit);
    record->launcher = fm_record_copy(record, job->launcher);
    record->mpi = fm_record_copy(record, job->mpi);
    record->language = fm_record_copy(record, job->language);
    record->compiler = fm_record_copy(
        record, fm_compiler_of(job->exe, job->build_id, !strcmp(job->language, "Fortran"), compiler));
    record->tool = fm_record_copy(record, job->tool);
    record->end = fm_record_copy(record, end_text(&report->summary, end, sizeof end));
    record->version = fm_record_copy(record, job->runtime_version);
    if (rules->arguments)
        make_command(record, job);
}

/* ---- numbers ---- */

/* Cores that ranks could use: those they were bound to, on each host at most what it has. */
static int64_t cores_of(const struct fm_profile *profile)
{
    uint64_t cores = 0;
    for (size_t h = 0; h < profile->n_hosts; h++) {
        uint64_t allowed = 0, known;
        for (size_t i = 0; i < profile->n_processes; i++)
            if (profile->processes[i].end != FM_END_MISSING && profile->processes[i].host == h &&
                fm_figure_get(&profile->processes[i], FM_FIGURE_allowed_cpus, &known))
                allowed = fm_sum(allowed, known);
        cores += allowed && allowed < profile->hosts[h].cores ? allowed : profile->hosts[h].cores;
    }
    return cores ? whole(cores) : -1;
}

static void make_extent(struct fm_record *record, const struct fm_report *report, double weight)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_summary *summary = &report->summary;
    record->started = (int64_t)(profile->job.started_real_ns / 1000000000);
    record->ended = profile->job.ended_real_ns ? (int64_t)(profile->job.ended_real_ns / 1000000000) : -1;
    record->ranks = summary->ranks;
    record->hosts = whole(profile->n_hosts);
    record->cores = cores_of(profile);
    record->complete = summary->complete;
    record->sample_weight = weight > 1 ? weight : NAN;
    record->wall_s = seconds(summary->wall_ns);
    record->cpu_s = seconds(summary->wall_sum_ns);
    record->overhead_s = seconds(summary->overhead_ns);
    record->mpi_s = seconds(summary->mpi_sum_ns);
}

static enum fm_status make_split(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    struct fm_split split = fm_split_total(report->profile);
    struct fm_split_mpi mpi;
    enum fm_status status = fm_split_mpi(report->profile, &split, &report->arena, &mpi, error);
    record->program_s = seconds(split.program_ns);
    record->waiting_s = !status && mpi.known ? seconds(mpi.waiting_ns) : NAN;
    record->io_s = split.knows_io ? seconds(split.io_ns) : NAN;
    record->no_cpu_s = split.knows_no_cpu ? seconds(split.no_cpu_ns) : NAN;
    return status;
}

static enum fm_status make_efficiency(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    struct fm_report_efficiency efficiency;
    enum fm_status status = fm_report_efficiency(report, &efficiency, error);
    if (status)
        return status;
    const struct fm_factors *run = &efficiency.of.run;
    record->parallel = fraction(run->known, run->parallel);
    record->load_balance = fraction(run->known, run->load_balance);
    record->communication = fraction(run->known, run->communication);
    record->serialisation = fraction(run->estimated, run->serialisation);
    record->transfer = fraction(run->estimated, run->transfer);
    return FM_OK;
}

static enum fm_status make_io(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    struct fm_io_summary io;
    enum fm_status status = fm_io_summarise(report->profile, &report->arena, &io, error);
    if (status || !io.known)
        return status;
    record->read_bytes = whole(io.total.read_bytes);
    record->written_bytes = whole(io.total.written_bytes);
    record->io_calls = whole(fm_sum(fm_sum(io.requests, io.total.opens), fm_sum(io.total.seeks, io.total.syncs)));
    return FM_OK;
}

static void make_memory(struct fm_record *record, const struct fm_report *report)
{
    const struct fm_spread *memory = &report->summary.of.max_rss_bytes;
    uint64_t least = FM_UNKNOWN;
    record->memory_bytes = memory->ranks ? whole(memory->max) : -1;
    for (size_t i = 0; i < report->profile->n_hosts; i++) {
        const struct fm_host *host = &report->profile->hosts[i];
        if (record->host_memory_bytes < 0 || host->least_free_bytes < least) {
            least = host->least_free_bytes;
            record->host_memory_bytes = host->memory_bytes ? whole(host->memory_bytes) : -1;
        }
    }
}

/* ---- counters ---- */

/* Outside MPI; of all, if events in MPI were not counted separately. */
static int64_t counted(const struct fm_counter_total *total)
{
    return total ? whole(total->in_program) : -1;
}

static const struct fm_counter_total *level_2_misses(const struct fm_counter_totals *totals)
{
    static const char *const names[] = {"l2-misses", "L2-misses", "l2d_cache_refill", "l2_rqsts.miss"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < totals->n; i++)
            if (!strcmp(totals->items[i].over_ranks->name, names[n]))
                return &totals->items[i];
    return fm_counter_of(totals, FM_COUNTED_MISSES);
}

static enum fm_status make_counters(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    struct fm_counter_totals totals;
    if (!fm_counters_find(report->profile, &report->arena, &totals))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the counters");
    const struct fm_counter_total *instructions = fm_counter_of(&totals, FM_COUNTED_INSTRUCTIONS);
    record->instructions = counted(instructions);
    record->instructions_mpi = instructions && instructions->split ? whole(instructions->in_mpi) : -1;
    record->cycles = counted(fm_counter_of(&totals, FM_COUNTED_CYCLES));
    record->fp_instructions = counted(fm_counter_of(&totals, FM_COUNTED_FLOPS));
    record->l2_misses = counted(level_2_misses(&totals));
    const struct fm_summary *summary = &report->summary;
    if (totals.hardware && summary->wall_sum_ns >= summary->mpi_sum_ns)
        record->counted_s = seconds(summary->wall_sum_ns - summary->mpi_sum_ns);
    return FM_OK;
}

static enum fm_status make(struct fm_record *record, struct fm_report *report, const struct fm_record_rules *rules,
                           double weight, struct fm_error *error)
{
    make_identity(record, report, rules);
    make_extent(record, report, weight);
    make_memory(record, report);
    enum fm_status status = make_split(record, report, error);
    if (!status)
        status = make_efficiency(record, report, error);
    if (!status)
        status = make_io(record, report, error);
    if (!status)
        status = make_counters(record, report, error);
    if (!status)
        status = fm_record_make_lists(record, report, error);
    if (!status && rules->hash_names)
        fm_record_hide_names(record, &rules->hash_key);
    return status;
}

enum fm_status fm_record_make(struct fm_record *record, struct fm_report *report, const struct fm_record_rules *rules,
                              double weight, struct fm_error *error)
{
    fm_record_init(record);
    enum fm_status status = make(record, report, rules, weight, error);
    if (status)
        fm_record_destroy(record);
    return status;
}
