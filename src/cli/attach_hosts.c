/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/job.h"
#include "base/names.h"
#include "base/rankset.h"
#include "cli/run_env.h"
#include "render/text.h"

struct host_search {
    struct fm_remote_hosts *remote_hosts;
    const struct fm_attach_request *request;
    const struct fm_targets *targets;
    struct fm_arena *arena;
    struct fm_procs procs;
    pid_t launcher; /* 0: none */
    bool slurm;     /* srun */
    char *environment_text;
    size_t environment_bytes;
};

/* ---- launcher ---- */

static const struct fm_proc *proc_of(const struct host_search *f, pid_t pid)
{
    for (size_t i = 0; i < f->procs.n; i++)
        if (f->procs.items[i].pid == pid)
            return &f->procs.items[i];
    return NULL;
}

/* The process itself, or the first launcher among its descendants. */
static const struct fm_proc *launcher_below(const struct host_search *f, pid_t pid)
{
    const struct fm_proc *self = proc_of(f, pid), *found = self && fm_launcher_is_command(self->name) ? self : NULL;
    for (size_t i = 0; i < f->procs.n && !found; i++)
        if (f->procs.items[i].parent == pid && f->procs.items[i].pid != pid)
            found = launcher_below(f, f->procs.items[i].pid);
    return found;
}

static const struct fm_proc *launcher_above(const struct host_search *f, pid_t pid)
{
    for (size_t steps = 0; steps < f->procs.n; steps++) {
        const struct fm_proc *proc = proc_of(f, pid);
        if (!proc || fm_launcher_is_command(proc->name))
            return proc;
        pid = proc->parent;
    }
    return NULL;
}

static const char *launcher_variable(const void *context, const char *name)
{
    const struct host_search *f = context;
    return f->environment_text ? fm_proc_variable(f->environment_text, f->environment_bytes, name) : NULL;
}

/* ---- hosts ---- */

/* The command line of the launcher, NULL-terminated. */
static char **command_of(const struct host_search *f)
{
    size_t bytes, n = 0;
    char *text = fm_proc_file(f->launcher, "cmdline", f->arena, &bytes);
    char **words = fm_arena_alloc(f->arena, (bytes + 1) * sizeof *words); /* upper bound: every word has a NUL */
    for (char *at = text; text && words && at < text + bytes; at += strlen(at) + 1)
        words[n++] = at;
    return words && n ? words : NULL;
}

static void find_hosts(const struct host_search *f, struct fm_run_hosts *hosts, char **command)
{
    char own[FM_HOST_BYTES] = "";
    if (f->request->hosts) {
        fm_hosts_add_list(hosts, f->request->hosts, ", ");
        return;
    }
    gethostname(own, sizeof own - 1);
    if (f->targets->n)
        fm_hosts_add_list(hosts, own, ",");
    for (size_t i = 0; i < f->procs.n; i++) {
        const struct fm_proc *proc = &f->procs.items[i];
        const char *host = proc->parent == f->launcher ? fm_job_daemon_host(proc->pid, f->arena) : NULL;
        if (host)
            fm_hosts_add_list(hosts, host, ",");
    }
    if (!f->slurm && command)
        fm_hosts_add_named(hosts, command);
    if (hosts->n < 2)
        fm_hosts_add_allocated(hosts, launcher_variable, f);
}

static const char *list_of(const struct fm_run_hosts *hosts, struct fm_arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < hosts->n; i++)
        text = fm_format(arena, "%s%s%s", text, i ? "," : "", hosts->items[i].name);
    return text;
}

/* ---- command ---- */

/* That of the launcher, without what would make Fathom measure the agents. */
static char **environment_of(const struct host_search *f)
{
    static const char *const not [] = {"FATHOM_", "LD_PRELOAD=", FM_OPENMPI_ENV_LIST "="};
    const char *text = f->environment_text, *end = text + f->environment_bytes;
    size_t n = 0;
    for (const char *at = text; at < end; at += strlen(at) + 1)
        n++;
    char **environment = fm_arena_alloc(f->arena, (n + 1) * sizeof *environment);
    n = 0;
    for (char *at = f->environment_text; environment && at < end; at += strlen(at) + 1) {
        bool wanted = true;
        for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
            wanted = wanted && strncmp(at, not [i], strlen(not [i])) != 0;
        if (wanted)
            environment[n++] = at;
    }
    return environment;
}

static void add_slurm(const struct host_search *f, struct fm_arguments *words, size_t hosts)
{
    const struct fm_launcher *slurm = &fm_launchers[FM_LAUNCHER_SLURM];
    const char *job = launcher_variable(f, slurm->job_id), *nodes = launcher_variable(f, FM_SLURM_JOB_NODES);
    const char *n = hosts ? fm_format(f->arena, "%zu", hosts) : nodes ? nodes : "1";
    fm_arguments_add(words, slurm->commands);
    if (job)
        fm_arguments_add(words, fm_format(f->arena, "--jobid=%s", job));
    fm_arguments_add(words, "--overlap");
    fm_arguments_add(words, "--cpu-bind=none");
    fm_arguments_add(words, fm_format(f->arena, "--nodes=%s", n));
    fm_arguments_add(words, fm_format(f->arena, "--ntasks=%s", n));
    fm_arguments_add(words, "--ntasks-per-node=1");
    if (f->request->hosts)
        fm_arguments_add(words, fm_format(f->arena, "--nodelist=%s", f->remote_hosts->names));
}

static void add_mpirun(const struct host_search *f, struct fm_arguments *words, char **command, size_t hosts)
{
    const char *exe = fm_proc_link(f->launcher, "exe", f->arena);
    const struct fm_launcher *launcher = fm_launcher_of(exe);
    fm_arguments_add(words, exe);
    fm_arguments_copy_options(words, command);
    fm_arguments_add_hosts(words, launcher, f->remote_hosts->names, fm_format(f->arena, "%zu", hosts));
    for (const char *word = launcher->each_once; *word; word = fm_name_after(word))
        fm_arguments_add(words, word);
}

static void add_agent(const struct host_search *f, struct fm_arguments *words, size_t hosts)
{
    const struct fm_attach_request *request = f->request;
    fm_arguments_add(words, fm_proc_link(getpid(), "exe", f->arena));
    fm_arguments_add(words, "attach");
    fm_arguments_add(words, "--agents");
    fm_arguments_add(words, f->remote_hosts->key);
    fm_arguments_add(words, "--fed");
    fm_arguments_add(words, "--hz");
    fm_arguments_add(words, fm_format(f->arena, "%zu", request->hz));
    if (hosts) {
        fm_arguments_add(words, "--of");
        fm_arguments_add(words, fm_format(f->arena, "%zu", hosts));
    }
    if (request->moments) {
        fm_arguments_add(words, "--samples");
        fm_arguments_add(words, fm_format(f->arena, "%zu", request->moments));
    }
    if (request->outside)
        fm_arguments_add(words, "--outside");
    if (f->targets->n && *f->targets->items[0].mpi_library && fm_proc_is_ours(f->targets->items[0].pid)) {
        fm_arguments_add(words, "--mpi-library");
        fm_arguments_add(words, f->targets->items[0].mpi_library);
    }
}

static void make_command(struct host_search *f)
{
    struct fm_remote_hosts *remote_hosts = f->remote_hosts;
    struct fm_run_hosts hosts = {0};
    char **command = command_of(f);
    find_hosts(f, &hosts, command);
    remote_hosts->names = list_of(&hosts, f->arena);
    remote_hosts->hosts = hosts.n;
    remote_hosts->environment = environment_of(f);
    remote_hosts->foreign = !fm_proc_is_ours(f->launcher);
    remote_hosts->directory = fm_proc_link(f->launcher, "cwd", f->arena);
    bool known = remote_hosts->key && f->environment_text && remote_hosts->environment && command &&
                 (hosts.n || f->slurm) && !remote_hosts->foreign;
    if (known && f->slurm)
        add_slurm(f, &remote_hosts->words, hosts.n);
    else if (known)
        add_mpirun(f, &remote_hosts->words, command, hosts.n);
    if (known)
        add_agent(f, &remote_hosts->words, hosts.n);
    fm_run_hosts_free(&hosts);
}

/* ---- search ---- */

static bool is_target(const struct fm_targets *targets, pid_t pid)
{
    for (size_t i = 0; i < targets->n; i++)
        if (targets->items[i].pid == pid)
            return true;
    return false;
}

bool fm_remote_hosts_find(struct fm_remote_hosts *remote_hosts, const struct fm_attach_request *request,
                          const struct fm_targets *targets, struct fm_arena *arena)
{
    struct host_search f = {.remote_hosts = remote_hosts, .request = request, .targets = targets, .arena = arena};
    *remote_hosts = (struct fm_remote_hosts){.names = ""};
    f.procs.items = fm_proc_list(arena, &f.procs.n);
    bool ranks = is_target(targets, request->pids[0]); /* the user has chosen these ranks */
    if (!f.procs.items || (!request->hosts && (ranks || (targets->n && targets->ranks <= targets->n))))
        return false;
    const struct fm_proc *launcher = ranks ? launcher_above(&f, request->pids[0])
                                           : launcher_below(&f, request->pids[0]);
    if (!launcher)
        return targets->n;
    f.launcher = launcher->pid;
    f.slurm = fm_launcher_has_command(&fm_launchers[FM_LAUNCHER_SLURM], launcher->name);
    f.environment_text = fm_proc_file(f.launcher, "environ", arena, &f.environment_bytes);
    remote_hosts->key = targets->n ? fm_job_key(&f.procs, targets->items[0].pid, arena)
                                   : fm_job_key_elsewhere(&f.procs, f.launcher, arena);
    make_command(&f);
    return targets->n || remote_hosts->words.n;
}

const char *fm_remote_ranks(const struct fm_targets *targets, struct fm_arena *arena)
{
    enum { MAX_CHARS = 60 };
    struct fm_rankset set = {0};
    uint32_t next = 0;
    for (size_t i = 0; i < targets->n; i++) {
        uint32_t rank = targets->items[i].rank;
        if (rank > next)
            fm_rankset_add(&set, arena, next, rank - 1);
        next = rank + 1;
    }
    if (next < targets->ranks)
        fm_rankset_add(&set, arena, next, targets->ranks - 1);
    const char *text = fm_rankset_text(&set, arena, MAX_CHARS);
    return text ? text : "";
}
