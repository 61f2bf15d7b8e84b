/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/job.h"
#include "attach/targets.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/writer.h"
#include "model/job_name.h"
#include "mpi/launchers.h"

enum { MAX_ARGUMENTS = 16 };

struct job_search {
    struct fm_host_jobs *jobs;
    struct fm_procs procs;
    bool *is_rank;    /* by process */
    bool *has_ranks;  /* a launcher above a rank */
    const char **key; /* by job: of jobs without a launcher; NULL: of others */
    size_t key_capacity;
    bool failed;
};

/* Processes are sorted by pid. */
static size_t place_of(const struct job_search *f, pid_t pid)
{
    size_t low = 0, high = f->procs.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->procs.items[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->procs.n && f->procs.items[low].pid == pid ? low : SIZE_MAX;
}

/* Agents of `fathom attach`, and the server itself, are no jobs. */
static bool is_fathom(const struct fm_proc *proc)
{
    return strcmp(proc->name, "fathom") == 0;
}

static void find_ranks(struct job_search *f)
{
    for (size_t i = 0; i < f->procs.n; i++) {
        const struct fm_proc *proc = &f->procs.items[i];
        struct fm_arena scratch = {0};
        f->is_rank[i] = !proc->ended && !is_fathom(proc) && fm_proc_is_ours(proc->pid) &&
                        fm_target_has_mpi(proc->pid, &scratch);
        fm_arena_destroy(&scratch);
    }
}

/* A child of a rank that has the same library mapped, before it executes another program. */
static bool is_below_rank(const struct job_search *f, size_t i)
{
    for (size_t steps = 0; steps < f->procs.n; steps++) {
        i = place_of(f, f->procs.items[i].parent);
        if (i == SIZE_MAX || f->is_rank[i])
            return i != SIZE_MAX;
    }
    return false;
}

/* The nearest one above; SIZE_MAX if there is none of ours. All above are marked. */
static size_t launcher_above(struct job_search *f, size_t i)
{
    size_t found = SIZE_MAX;
    for (size_t steps = 0; steps < f->procs.n; steps++) {
        i = place_of(f, f->procs.items[i].parent);
        if (i == SIZE_MAX)
            break;
        if (!fm_launcher_is_command(f->procs.items[i].name) || !fm_proc_is_ours(f->procs.items[i].pid))
            continue;
        f->has_ranks[i] = true;
        found = found == SIZE_MAX ? i : found;
    }
    return found;
}

/* ---- jobs ---- */

static uint64_t real_time_of(uint64_t start_time)
{
    uint64_t boot = fm_clock_ns(CLOCK_REALTIME) - fm_clock_ns(CLOCK_BOOTTIME);
    return boot + start_time * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static struct fm_host_job *add_job(struct job_search *f, pid_t first, const char *key)
{
    struct fm_host_jobs *jobs = f->jobs;
    struct fm_host_job *items = fm_arena_grow(&jobs->arena, jobs->items, &jobs->capacity, jobs->n + 1, sizeof *items);
    const char **keys = fm_arena_grow(&jobs->arena, (void *)f->key, &f->key_capacity, jobs->n + 1, sizeof *keys);
    f->failed |= !items || !keys;
    if (f->failed)
        return NULL;
    jobs->items = items;
    f->key = keys;
    keys[jobs->n] = key;
    struct fm_host_job *job = &items[jobs->n++];
    *job = (struct fm_host_job){
        .first = {first, fm_process_start_time(first)}, .has_launcher = !key, .program = "", .hosts = ""};
    job->since_ns = real_time_of(job->first.start_time);
    return job;
}

/* Ranks without a launcher of ours belong together if their batch system says so. */
static struct fm_host_job *job_of(struct job_search *f, pid_t rank, size_t launcher)
{
    struct fm_host_jobs *jobs = f->jobs;
    pid_t pid = launcher == SIZE_MAX ? 0 : f->procs.items[launcher].pid;
    const char *key = pid ? NULL : fm_job_key(&f->procs, rank, &jobs->arena);
    for (size_t i = 0; i < jobs->n; i++)
        if (pid ? !f->key[i] && jobs->items[i].first.pid == pid
                : f->key[i] && strchr(key, '=') && strcmp(f->key[i], key) == 0)
            return &jobs->items[i];
    return add_job(f, pid ? pid : rank, key);
}

struct rank_environment {
    const char *text;
    size_t bytes;
};

static const char *variable_of(const void *context, const char *name)
{
    const struct rank_environment *environment = context;
    return environment->text ? fm_proc_variable(environment->text, environment->bytes, name) : NULL;
}

static void describe(struct fm_host_job *job, pid_t rank, struct fm_arena *arena)
{
    struct fm_arena scratch = {0};
    size_t bytes;
    const char *words[MAX_ARGUMENTS];
    struct rank_environment environment;
    environment.text = fm_proc_file(rank, "environ", &scratch, &environment.bytes);
    int world = 0;
    if (fm_launcher_rank(variable_of, &environment, &world) >= 0 && (uint32_t)world > job->world)
        job->world = (uint32_t)world;
    if (!*job->program) {
        struct fm_job named = {.exe = fm_proc_link(rank, "exe", &scratch), .argv = words};
        const char *text = fm_proc_file(rank, "cmdline", &scratch, &bytes);
        for (const char *at = text; at && at < text + bytes && named.n_argv < MAX_ARGUMENTS; at += strlen(at) + 1)
            words[named.n_argv++] = at;
        const char *name = fm_job_name(&named);
        name = fm_arena_strndup(arena, name, strlen(name));
        job->program = name ? name : "";
    }
    fm_arena_destroy(&scratch);
}

static void add_rank(struct job_search *f, size_t i)
{
    struct fm_arena *arena = &f->jobs->arena, scratch = {0};
    pid_t pid = f->procs.items[i].pid;
    struct fm_host_job *job = job_of(f, pid, launcher_above(f, i));
    struct fm_host_rank *ranks = job ? fm_arena_grow(arena, job->ranks, &job->ranks_capacity, job->here + 1,
                                                     sizeof *ranks)
                                     : NULL;
    f->failed |= !ranks;
    if (!ranks)
        return;
    size_t bytes;
    const char *maps = fm_proc_file(pid, "maps", &scratch, &bytes);
    job->ranks = ranks;
    ranks[job->here++] = (struct fm_host_rank){pid, fm_process_start_time(pid)};
    job->measured += maps && fm_proc_mapped(maps, "libfathom.so", &scratch);
    fm_arena_destroy(&scratch);
    if (job->here == 1) /* what the launcher has told one rank it has told all */
        describe(job, pid, arena);
    if (job->world < job->here)
        job->world = (uint32_t)job->here;
}

/* ---- other hosts ---- */

/* Starts the agents of a `fathom attach`, and not a job. */
static bool starts_agents(pid_t launcher)
{
    struct fm_arena scratch = {0};
    size_t bytes;
    bool does = false;
    const char *text = fm_proc_file(launcher, "cmdline", &scratch, &bytes);
    for (const char *at = text; at && at < text + bytes && !does; at += strlen(at) + 1)
        does = strcmp(at, "--agents") == 0;
    fm_arena_destroy(&scratch);
    return does;
}

/* The hosts on which the children of a launcher run daemons. */
static const char *hosts_of(struct job_search *f, pid_t launcher)
{
    struct fm_arena scratch = {0};
    const char *hosts = "";
    for (size_t i = 0; i < f->procs.n; i++) {
        const struct fm_proc *proc = &f->procs.items[i];
        const char *host = proc->parent == launcher ? fm_job_daemon_host(proc->pid, &scratch) : NULL;
        if (host && hosts)
            hosts = fm_written(&f->jobs->arena, "%s%s%s", hosts, *hosts ? "," : "", host);
    }
    fm_arena_destroy(&scratch);
    f->failed |= !hosts;
    return hosts ? hosts : "";
}

/* All ranks may be elsewhere. Of srun, daemons are not among the children. */
static void add_launcher(struct job_search *f, const struct fm_proc *proc)
{
    const char *hosts = hosts_of(f, proc->pid);
    bool slurm = fm_launcher_has_command(&fm_launchers[FM_LAUNCHER_SLURM], proc->name);
    size_t above = place_of(f, proc->parent);
    if (slurm && above != SIZE_MAX && strcmp(f->procs.items[above].name, proc->name) == 0)
        return; /* srun consists of two processes */
    if ((!slurm && !*hosts) || starts_agents(proc->pid))
        return;
    struct fm_host_job *job = add_job(f, proc->pid, NULL);
    if (job)
        job->hosts = hosts;
}

static void find_other_hosts(struct job_search *f)
{
    size_t n = f->jobs->n;
    bool stepped = false; /* ranks of a step of Slurm, which its srun need not be above */
    for (size_t i = 0; i < n; i++) {
        struct fm_host_job *job = &f->jobs->items[i];
        stepped |= !job->has_launcher && strchr(f->key[i], '=');
        job->hosts = job->has_launcher ? hosts_of(f, job->first.pid) : "";
    }
    for (size_t i = 0; i < f->procs.n && !f->failed; i++) {
        const struct fm_proc *proc = &f->procs.items[i];
        bool slurm = fm_launcher_has_command(&fm_launchers[FM_LAUNCHER_SLURM], proc->name);
        if (!f->has_ranks[i] && !proc->ended && fm_launcher_is_command(proc->name) && !(slurm && stepped) &&
            fm_proc_is_ours(proc->pid))
            add_launcher(f, proc);
    }
}

static int oldest_first(const void *a, const void *b)
{
    const struct fm_host_job *left = a, *right = b;
    if (left->first.start_time != right->first.start_time)
        return left->first.start_time < right->first.start_time ? -1 : 1;
    return (left->first.pid > right->first.pid) - (left->first.pid < right->first.pid);
}

bool fm_host_jobs_find(struct fm_host_jobs *jobs)
{
    struct fm_arena scratch = {0};
    struct job_search f = {.jobs = jobs};
    *jobs = (struct fm_host_jobs){0};
    f.procs.items = fm_proc_list(&scratch, &f.procs.n);
    f.is_rank = fm_arena_alloc(&scratch, f.procs.n * sizeof *f.is_rank);
    f.has_ranks = fm_arena_alloc(&scratch, f.procs.n * sizeof *f.has_ranks);
    f.failed = !f.procs.items || !f.is_rank || !f.has_ranks;
    if (!f.failed) {
        memset(f.has_ranks, 0, f.procs.n * sizeof *f.has_ranks);
        find_ranks(&f);
    }
    for (size_t i = 0; i < f.procs.n && !f.failed; i++)
        if (f.is_rank[i] && !is_below_rank(&f, i))
            add_rank(&f, i);
    if (!f.failed)
        find_other_hosts(&f);
    if (!f.failed && jobs->n)
        qsort(jobs->items, jobs->n, sizeof *jobs->items, oldest_first);
    fm_arena_destroy(&scratch);
    return !f.failed;
}

void fm_host_jobs_close(struct fm_host_jobs *jobs)
{
    fm_arena_destroy(&jobs->arena);
    *jobs = (struct fm_host_jobs){0};
}

const struct fm_host_job *fm_host_job_of(const struct fm_host_jobs *jobs, pid_t pid, uint64_t start_time)
{
    for (size_t i = 0; i < jobs->n; i++)
        for (size_t r = 0; r < jobs->items[i].here; r++)
            if (jobs->items[i].ranks[r].pid == pid && jobs->items[i].ranks[r].start_time == start_time)
                return &jobs->items[i];
    return NULL;
}
