/* SPDX-License-Identifier: BSD-3-Clause */
/* The XML log of IPM 0.983, for ipm_parse and whoever else reads such logs: one element per line; doc/IPM_XML.md. */
#include <inttypes.h>
#include <string.h>

#include "analyse/balance/memory.h"
#include "analyse/counters/counters.h"
#include "export/export.h"
#include "export/ipm_tasks.h"
#include "render/xml.h"

#define IPM_VERSION "0.983"
#define WHOLE_PROGRAM "ipm_global"
enum { APP_COMPLETED = 1 << 25, APP_INTERRUPTED = 1 << 26 }; /* flags of IPM */
static const double GIB = 1024.0 * 1024 * 1024;

/* Processes of one rank, which follow each other by exec, are one task. */
struct task {
    const struct fm_process *last;
    double wall_s, user_s, system_s, mpi_s;
    uint64_t memory_bytes, minor_faults, major_faults, voluntary, involuntary;
};

struct ipm_log {
    const struct fm_profile *profile;
    struct fm_ipm_tasks tasks;
    struct fm_counter_totals counters;
    double *region_s; /* by region: the mean time of a rank in it, without regions inside */
    FILE *out;
};

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    fm_xml_text(out, value);
    fputc('"', out);
}

/* ---- tasks ---- */

static uint64_t known(uint64_t value)
{
    return value == FM_UNKNOWN ? 0 : value;
}

static struct task task_of(const struct fm_process *processes, size_t n)
{
    struct task task = {.last = &processes[n - 1]};
    for (size_t i = 0; i < n; i++) {
        const struct fm_process *process = &processes[i];
        task.wall_s += (double)process->wall_ns * 1e-9;
        task.user_s += (double)process->user_ns * 1e-9;
        task.system_s += (double)process->system_ns * 1e-9;
        task.memory_bytes = process->max_rss_bytes > task.memory_bytes ? process->max_rss_bytes : task.memory_bytes;
        task.minor_faults += known(process->minor_faults);
        task.major_faults += known(process->major_faults);
        task.voluntary += known(process->voluntary_switches);
        task.involuntary += known(process->involuntary_switches);
    }
    return task;
}

static void write_head(const struct ipm_log *log, const struct task *task)
{
    const struct fm_job *job = &log->profile->job;
    double start = (double)job->started_real_ns * 1e-9, end = start + task->wall_s;
    FILE *out = log->out;
    fputs("<task ipm_version=\"" IPM_VERSION "\"", out);
    attribute(out, "cookie", job->key);
    fprintf(out, " mpi_rank=\"%u\" mpi_size=\"%u\" stamp_init=\"%.6f\" stamp_final=\"%.6f\"", task->last->rank,
            job->ranks, start, end);
    attribute(out, "username", job->user);
    fprintf(out, " allocationname=\"unknown\" flags=\"%d\" pid=\"%d\" >\n",
            task->last->end == FM_END_FINALIZED ? APP_COMPLETED : APP_INTERRUPTED, task->last->pid);
    fprintf(out, "<job nhosts=\"%zu\" ntasks=\"%u\" start=\"%.0f\" final=\"%.0f\"", log->profile->n_hosts, job->ranks,
            start, end);
    attribute(out, "cookie", job->key);
    attribute(out, "code", "unknown");
    fputs(" >", out);
    fm_xml_text(out, job->id);
    fputs("</job>\n<host", out);
    const struct fm_host *host = task->last->host < log->profile->n_hosts ? &log->profile->hosts[task->last->host]
                                                                          : NULL;
    attribute(out, "mach_name", "unknown");
    attribute(out, "mach_info", host ? host->cpu : "");
    fputs(" >", out);
    fm_xml_text(out, host ? host->name : "unknown");
    fputs("</host>\n", out);
}

static void write_command(const struct ipm_log *log)
{
    const struct fm_job *job = &log->profile->job;
    fputs("<cmdline", log->out);
    attribute(log->out, "realpath", job->exe);
    fputs(" >", log->out);
    for (size_t i = 0; i < job->n_argv; i++) {
        fputs(i ? " " : "", log->out);
        fm_xml_text(log->out, job->argv[i]);
    }
    fputs("</cmdline>\n", log->out);
}

static void write_environment(const struct ipm_log *log)
{
    for (size_t i = 0; i < log->profile->job.n_env; i++) {
        fputs("<env>", log->out);
        fm_xml_text(log->out, log->profile->job.env[i].name);
        fputc('=', log->out);
        fm_xml_text(log->out, log->profile->job.env[i].value);
        fputs("</env>\n", log->out);
    }
}

/* Usage at the start and at the end, of the process and of its children; only the second is known. */
static void write_usage(const struct ipm_log *log, const struct task *task)
{
    static const char none[] = "0.0000e+00 0.0000e+00 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
    fprintf(log->out, "<ru_s_ti>%s</ru_s_ti>\n", none);
    fprintf(log->out,
            "<ru_s_tf>%.4e %.4e %" PRIu64 " 0 0 0 %" PRIu64 " %" PRIu64 " 0 0 0 0 0 0 %" PRIu64 " %" PRIu64
            "</ru_s_tf>\n",
            task->user_s, task->system_s, task->memory_bytes / 1024, task->minor_faults, task->major_faults,
            task->voluntary, task->involuntary);
    fprintf(log->out, "<ru_c_ti>%s</ru_c_ti>\n<ru_c_tf>%s</ru_c_tf>\n", none, none);
}

/* ---- counters and network ---- */

/* Floating-point operations of a rank in units of 10^9; 0 if unknown. */
static double gflop_of(const struct ipm_log *log, uint32_t rank)
{
    const struct fm_counter_total *total = fm_counter_of(&log->counters, FM_COUNTED_FLOPS);
    const struct fm_counter *counter = total ? fm_counter_of_rank(total, rank) : NULL;
    return counter ? (double)counter->count * 1e-9 : 0;
}

static size_t counters_of(const struct ipm_log *log, uint32_t rank)
{
    size_t n = 0;
    for (size_t i = 0; i < log->counters.n; i++)
        n += fm_counter_of_rank(&log->counters.items[i], rank) != NULL;
    return n;
}

/* A profile has the counts of a rank, not those of its regions: all are in the first one. */
static void write_counters(const struct ipm_log *log, uint32_t rank, bool here)
{
    size_t n = here ? counters_of(log, rank) : 0;
    fprintf(log->out, "<hpm api=\"%s\" ncounter=\"%zu\" eventset=\"0\" gflop=\"%.4e\" >\n",
            n ? "perf_event" : "DISABLED", n, n ? gflop_of(log, rank) : 0);
    for (size_t i = 0; n && i < log->counters.n; i++) {
        const struct fm_counter *counter = fm_counter_of_rank(&log->counters.items[i], rank);
        if (!counter)
            continue;
        fputs("<counter", log->out);
        attribute(log->out, "name", counter->name);
        fprintf(log->out, " > %" PRIu64 " </counter>\n", counter->count);
    }
    fputs("</hpm>\n", log->out);
}

/* The ranks of a host have equal parts of its traffic. */
static void write_switch(const struct ipm_log *log, const struct task *task)
{
    const struct fm_profile *profile = log->profile;
    const struct fm_host *host = task->last->host < profile->n_hosts ? &profile->hosts[task->last->host] : NULL;
    struct fm_host_traffic traffic;
    uint64_t ranks = host ? fm_rankset_count(&host->ranks) : 0;
    bool known = ranks && fm_host_traffic(host, &traffic);
    fprintf(log->out, "<switch bytes_tx=\"%.5e\" bytes_rx=\"%.5e\" > %s </switch>\n",
            known ? (double)traffic.sent_bytes / (double)ranks : 0,
            known ? (double)traffic.received_bytes / (double)ranks : 0, known ? "network" : "unknown");
}

/* ---- regions ---- */

static bool is_parent(const char *parent, const char *path)
{
    const char *end = strrchr(path, '/');
    size_t length = end ? (size_t)(end - path) : 0;
    return path[0] && strlen(parent) == length && !strncmp(parent, path, length);
}

/* Regions other than the whole program, each without those inside it. */
static bool find_regions(struct ipm_log *log, struct fm_arena *arena)
{
    const struct fm_profile *profile = log->profile;
    log->region_s = fm_arena_alloc(arena, profile->n_regions * sizeof *log->region_s);
    if (!log->region_s)
        return !profile->n_regions;
    for (size_t i = 0; i < profile->n_regions; i++) {
        const struct fm_region *region = &profile->regions[i];
        double own = (double)region->wall_ns;
        for (size_t k = 0; k < profile->n_regions; k++)
            own -= is_parent(region->path, profile->regions[k].path) ? (double)profile->regions[k].wall_ns : 0;
        uint64_t ranks = fm_rankset_count(&region->ranks);
        log->region_s[i] = own > 0 && ranks ? own * 1e-9 / (double)ranks : 0;
    }
    return true;
}

static double mpi_seconds(const struct ipm_log *log, const char *region)
{
    double seconds = 0;
    for (size_t i = 0; i < log->tasks.n; i++)
        if (!strcmp(log->tasks.groups[i].region, region))
            seconds += (double)log->tasks.groups[i].task_ns * 1e-9;
    return seconds;
}

/* Names of regions are words for ipm_parse. */
static void write_label(FILE *out, const char *path)
{
    char word[2] = "";
    for (; *path; path++) {
        word[0] = *path;
        if (*path == ' ' || *path == '\t' || *path == '\n' || *path == '"' || *path == '<' || *path == '&')
            word[0] = '_';
        fputs(word, out);
    }
}

static void write_functions(const struct ipm_log *log, const char *region)
{
    const struct fm_ipm_group *groups = log->tasks.groups;
    for (size_t i = 0, next; i < log->tasks.n; i = next) {
        uint64_t count = 0, ns = 0;
        for (next = i; next < log->tasks.n && !strcmp(groups[next].routine, groups[i].routine); next++)
            if (!strcmp(groups[next].region, region)) {
                count += groups[next].task_count;
                ns += groups[next].task_ns;
            }
        if (count)
            fprintf(log->out, "<func name=\"%s\" count=\"%" PRIu64 "\" > %.9e </func>\n", groups[i].routine, count,
                    (double)ns * 1e-9);
    }
}

static void write_region(const struct ipm_log *log, const struct task *task, const char *path, double wall_s,
                         double entries)
{
    double mpi_s = mpi_seconds(log, path);
    /* At least 1 ns: readers divide by it. */
    wall_s = wall_s > mpi_s ? wall_s : mpi_s + 1e-9;
    double of_task = task->wall_s > 0 ? wall_s / task->wall_s : 0;
    fputs("<region label=\"", log->out);
    write_label(log->out, path[0] ? path : WHOLE_PROGRAM);
    fprintf(log->out, "\" nexits=\"%.0f\" wtime=\"%.9e\" utime=\"%.4e\" stime=\"%.4e\" mtime=\"%.9e\" >\n", entries,
            wall_s, of_task * task->user_s, of_task * task->system_s, mpi_s);
    write_counters(log, task->last->rank, !path[0]);
    write_functions(log, path);
    fputs("</region>\n", log->out);
}

static bool is_region_of(const struct fm_region *region, uint32_t rank)
{
    return region->path[0] && fm_rankset_has(&region->ranks, rank);
}

static void write_regions(const struct ipm_log *log, const struct task *task)
{
    const struct fm_profile *profile = log->profile;
    size_t n = 1;
    double elsewhere = task->wall_s;
    for (size_t i = 0; i < profile->n_regions; i++)
        if (is_region_of(&profile->regions[i], task->last->rank)) {
            elsewhere -= log->region_s[i];
            n++;
        }
    fprintf(log->out, "<regions n=\"%zu\" >\n", n);
    write_region(log, task, "", elsewhere > 0 ? elsewhere : 0, 1);
    for (size_t i = 0; i < profile->n_regions; i++) {
        const struct fm_region *region = &profile->regions[i];
        if (is_region_of(region, task->last->rank))
            write_region(log, task, region->path, log->region_s[i],
                         (double)region->entries / (double)fm_rankset_count(&region->ranks));
    }
    fputs("</regions>\n", log->out);
}

/* ---- calls ---- */

/* The number of a region among those of the task. */
static size_t region_number(const struct ipm_log *log, const char *path, uint32_t rank)
{
    size_t number = 0;
    for (size_t i = 0; path[0] && i < log->profile->n_regions; i++) {
        number += is_region_of(&log->profile->regions[i], rank);
        if (!strcmp(log->profile->regions[i].path, path))
            return number;
    }
    return 0;
}

/* Of all ranks, as far as they are possible for calls with this sum. */
static void extremes_of(const struct fm_ipm_group *group, double *min, double *max)
{
    double calls = (double)group->task_count, mean = (double)group->task_ns / calls;
    *min = calls > 1 && (double)group->min_ns < mean ? (double)group->min_ns : mean;
    double most = (double)group->task_ns - (calls - 1) * *min;
    *max = (double)group->max_ns < most ? (double)group->max_ns : most;
    *max = *max > mean ? *max : mean;
}

static void write_calls(const struct ipm_log *log, uint32_t rank)
{
    const struct fm_ipm_tasks *tasks = &log->tasks;
    uint64_t calls = 0;
    size_t keys = 0;
    for (size_t i = 0; i < tasks->n; i++) {
        calls += tasks->groups[i].task_count;
        keys += tasks->groups[i].task_count > 0;
    }
    fprintf(log->out, "<hash nlog=\"%" PRIu64 "\" nkey=\"%zu\" >\n", calls, keys);
    for (size_t i = 0; i < tasks->n; i++) {
        const struct fm_ipm_group *group = &tasks->groups[i];
        if (!group->task_count)
            continue;
        double min, max;
        extremes_of(group, &min, &max);
        fprintf(log->out,
                "<hent key=\"%zu\" call=\"%s\" bytes=\"%" PRIu64 "\" orank=\"-1\" region=\"%zu\" count=\"%" PRIu64
                "\" >%.9e %.9e %.9e</hent>\n",
                i + 1, group->routine, group->bytes / group->count, region_number(log, group->region, rank),
                group->task_count, (double)group->task_ns * 1e-9, min * 1e-9, max * 1e-9);
    }
    fputs("</hash>\n", log->out);
}

static void write_task(struct ipm_log *log, struct task task, bool first)
{
    FILE *out = log->out;
    fm_ipm_task(&log->tasks, task.last->rank);
    for (size_t i = 0; i < log->tasks.n; i++)
        task.mpi_s += (double)log->tasks.groups[i].task_ns * 1e-9;
    write_head(log, &task);
    fprintf(out,
            "<perf wtime=\"%.9e\" utime=\"%.5e\" stime=\"%.5e\" mtime=\"%.9e\" gflop=\"%.5e\" gbyte=\"%.5e\" >"
            "</perf>\n",
            task.wall_s, task.user_s, task.system_s, task.mpi_s, gflop_of(log, task.last->rank),
            (double)task.memory_bytes / GIB);
    write_switch(log, &task);
    write_command(log);
    if (first)
        write_environment(log);
    write_usage(log, &task);
    fputs("<call_mask >\n</call_mask >\n", out);
    write_regions(log, &task);
    write_calls(log, task.last->rank);
    fprintf(out,
            "<internal rank=\"%u\" log_i=\"%.6f\" log_t=\"0.0000e+00\" report_delta=\"0.0000e+00\" fname=\"\" "
            "logrank=\"0\" ></internal>\n</task>\n\n",
            task.last->rank, (double)log->profile->job.started_real_ns * 1e-9 + task.wall_s);
}

enum fm_status fm_export_ipm_xml(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_profile *profile = report->profile;
    struct ipm_log log = {.profile = profile, .out = out};
    bool first = true;
    if (!fm_ipm_tasks_make(profile, &report->arena, &log.tasks) || !find_regions(&log, &report->arena) ||
        !fm_counters_find(profile, &report->arena, &log.counters))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the tasks of the job");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ipm_job_profile>\n", out);
    for (size_t i = 0, n; i < profile->n_processes; i += n) {
        for (n = 1; i + n < profile->n_processes && profile->processes[i + n].rank == profile->processes[i].rank; n++)
            ;
        if (profile->processes[i].end == FM_END_MISSING)
            continue;
        write_task(&log, task_of(&profile->processes[i], n), first);
        first = false;
    }
    fputs("</ipm_job_profile>\n", out);
    return FM_OK;
}
