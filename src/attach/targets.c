/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/targets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/denied.h"
#include "attach/job.h"
#include "base/names.h"
#include "base/sort.h"
#include "collect/node.h"
#include "mpi/launchers.h"

enum { NOBODY = 65534 };

struct target_search {
    struct fm_targets *targets;
    struct fm_arena *arena;
    const struct fm_proc *procs;
    size_t n;
    bool failed;
    bool some_ranked;
};

/* Programs that only start others. */
static bool is_launcher(const struct fm_proc *proc)
{
    static const char *const others[] = {"sh",   "bash",    "dash",    "zsh",   "ksh", "csh",  "tcsh",
                                         "env",  "timeout", "time",    "nohup", "ssh", "sshd", "fathom",
                                         "sudo", "numactl", "taskset", "gdb",   "make"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(proc->name, others[i]) == 0)
            return true;
    return fm_launcher_is_process(proc->name);
}

static const struct fm_proc *proc_of(const struct target_search *f, pid_t pid)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->procs[i].pid == pid)
            return &f->procs[i];
    return NULL;
}

static bool is_target(const struct target_search *f, pid_t pid)
{
    for (size_t i = 0; i < f->targets->n; i++)
        if (f->targets->items[i].pid == pid)
            return true;
    return false;
}

struct environment {
    const char *text;
    size_t bytes;
};

static const char *variable_of(const void *context, const char *name)
{
    const struct environment *environment = context;
    return fm_proc_variable(environment->text, environment->bytes, name);
}

/* From the launcher's variables. Returns false if there are none. */
static bool find_rank(struct target_search *f, const struct environment *environment, uint32_t *rank)
{
    int ranks, number = fm_launcher_rank(variable_of, environment, &ranks);
    if (number < 0)
        return false;
    *rank = (uint32_t)number;
    if ((uint32_t)ranks > f->targets->ranks)
        f->targets->ranks = (uint32_t)ranks;
    return true;
}

static void find_launcher(struct fm_targets *targets, const struct environment *environment)
{
    const char *id;
    if (*targets->launcher)
        return;
    targets->launcher = fm_launcher_name(variable_of, environment, &id);
    targets->job_id = id ? id : "";
}

static const char *mpi_of(const char *maps, struct fm_arena *arena, const char **library)
{
    for (size_t i = 0; i < FM_MPI_LIBRARIES; i++)
        for (const char *name = fm_mpi_libraries[i].libraries; *name; name = fm_name_after(name)) {
            *library = fm_proc_mapped(maps, name, arena);
            if (*library)
                return fm_mpi_kind_name(fm_mpi_libraries[i].kind);
        }
    *library = "";
    return "";
}

static void add_target(struct target_search *f, pid_t pid)
{
    struct fm_targets *targets = f->targets;
    size_t map_bytes, env_bytes;
    const char *maps = fm_proc_file(pid, "maps", f->arena, &map_bytes);
    const char *env = fm_proc_file(pid, "environ", f->arena, &env_bytes);
    struct fm_target *items = fm_arena_grow(f->arena, targets->items, &targets->capacity, targets->n + 1,
                                            sizeof *items);
    if (!items) {
        f->failed = true;
        return;
    }
    targets->items = items;
    struct fm_target *target = &items[targets->n];
    *target = (struct fm_target){.pid = pid, .start_time = fm_process_start_time(pid), .rank = UINT32_MAX};
    long owner = fm_owner_of(pid);
    target->owner = owner < 0 ? NOBODY : (uid_t)owner;
    target->exe = fm_proc_link(pid, "exe", f->arena);
    target->build_id = fm_proc_build_id(pid, f->arena);
    target->cwd = fm_proc_link(pid, "cwd", f->arena);
    target->arguments = fm_proc_file(pid, "cmdline", f->arena, &target->arguments_bytes);
    target->mpi = mpi_of(maps, f->arena, &target->mpi_library);
    target->fathom = fm_proc_mapped(maps, "libfathom.so", f->arena);
    const char *directory = env ? fm_proc_variable(env, env_bytes, "FATHOM_DIR") : NULL;
    target->directory = directory ? directory : "";
    if (env) {
        struct environment environment = {env, env_bytes};
        f->some_ranked |= find_rank(f, &environment, &target->rank);
        find_launcher(targets, &environment);
    }
    targets->n++;
}

bool fm_target_has_mpi(pid_t pid, struct fm_arena *arena)
{
    size_t bytes;
    const char *maps = fm_proc_file(pid, "maps", arena, &bytes), *library;
    return maps && *mpi_of(maps, arena, &library);
}

/* Adds processes that have loaded MPI, but none below another. */
static void add_ranks(struct target_search *f, pid_t pid)
{
    if (is_target(f, pid))
        return;
    if (fm_target_has_mpi(pid, f->arena)) {
        add_target(f, pid);
        return;
    }
    for (size_t i = 0; i < f->n && !f->failed; i++)
        if (f->procs[i].parent == pid && f->procs[i].pid != pid && !f->procs[i].ended)
            add_ranks(f, f->procs[i].pid);
}

static void add_leaves(struct target_search *f, const struct fm_proc *proc)
{
    if (is_target(f, proc->pid) || proc->ended || fm_job_daemon_host(proc->pid, f->arena))
        return;
    if (!is_launcher(proc)) {
        add_target(f, proc->pid);
        return;
    }
    for (size_t i = 0; i < f->n && !f->failed; i++)
        if (f->procs[i].parent == proc->pid && f->procs[i].pid != proc->pid)
            add_leaves(f, &f->procs[i]);
}

static int by_rank(const void *a, const void *b)
{
    const struct fm_target *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Ranks must be unique: processes of two jobs, or without ranks, are numbered by pid. */
static enum fm_status number(struct target_search *f, struct fm_error *error)
{
    struct fm_targets *targets = f->targets;
    bool unique = f->some_ranked;
    if (!fm_sort(targets->items, targets->n, sizeof *targets->items, by_rank, f->arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the processes");
    for (size_t i = 0; i < targets->n; i++)
        unique = unique && targets->items[i].rank != UINT32_MAX &&
                 (!i || targets->items[i].rank != targets->items[i - 1].rank);
    for (size_t i = 0; i < targets->n && !unique; i++)
        targets->items[i].rank = (uint32_t)i;
    uint32_t min_ranks = targets->n ? targets->items[targets->n - 1].rank + 1 : 0;
    if (!unique || targets->ranks < min_ranks)
        targets->ranks = min_ranks;
    return FM_OK;
}

/* proc: NULL, or a zombie. */
static enum fm_status no_process(struct fm_arena *arena, pid_t pid, const struct fm_proc *proc, struct fm_error *error)
{
    static const char name[] = "\nTgid:";
    size_t bytes;
    const char *status = fm_proc_file(pid, "status", arena, &bytes),
               *group = status && bytes ? strstr(status, name) : NULL;
    int process = group ? atoi(group + strlen(name)) : 0;
    if (proc)
        return fm_fail(error, FM_ERR_USAGE, "process %d has ended (it is a zombie)", (int)pid);
    if (process && process != (int)pid)
        return fm_fail(error, FM_ERR_USAGE, "%d is a thread; give the PID of its process, %d", (int)pid, process);
    return fm_fail(error, FM_ERR_USAGE, "no such process: %d", (int)pid);
}

enum fm_status fm_targets_find(struct fm_targets *targets, const pid_t *pids, size_t n, struct fm_arena *arena,
                               struct fm_error *error)
{
    struct target_search f = {.targets = targets, .arena = arena};
    *targets = (struct fm_targets){.launcher = "", .job_id = ""};
    f.procs = fm_proc_list(arena, &f.n);
    f.failed = !f.procs;
    for (size_t i = 0; i < n && !f.failed; i++) {
        const struct fm_proc *proc = proc_of(&f, pids[i]);
        size_t before = targets->n;
        if (!proc || proc->ended)
            return no_process(arena, pids[i], proc, error);
        add_ranks(&f, pids[i]);
        if (targets->n == before)
            add_leaves(&f, proc);
        if (targets->n == before && !is_target(&f, pids[i]))
            return fm_fail(error, FM_ERR_USAGE, "process %d (%s) has not started a program on this host", (int)pids[i],
                           proc->name);
    }
    return f.failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the processes") : number(&f, error);
}

static bool is_below_target(const struct target_search *f, const struct fm_proc *proc)
{
    for (size_t steps = 0; proc && steps < f->n; proc = proc_of(f, proc->parent), steps++)
        if (is_target(f, proc->pid))
            return true;
    return false;
}

static bool belongs(const struct target_search *f, const struct fm_proc *proc, const char *key)
{
    struct fm_arena scratch = {0};
    struct fm_procs procs = {f->procs, f->n};
    bool does = proc->pid != getpid() && !proc->ended && strcmp(proc->name, "fathom") != 0 &&
                fm_job_has(&procs, key, proc->pid, &scratch);
    fm_arena_destroy(&scratch);
    return does;
}

enum fm_status fm_targets_of_job(struct fm_targets *targets, const char *key, struct fm_arena *arena,
                                 struct fm_error *error)
{
    struct target_search f = {.targets = targets, .arena = arena};
    *targets = (struct fm_targets){.launcher = "", .job_id = ""};
    f.procs = fm_proc_list(arena, &f.n);
    f.failed = !f.procs;
    for (int any = 0; any < 2 && !targets->n; any++)
        for (size_t i = 0; i < f.n && !f.failed; i++) {
            const struct fm_proc *proc = &f.procs[i];
            if (belongs(&f, proc, key) && !is_below_target(&f, proc) &&
                (any ? !is_launcher(proc) : fm_target_has_mpi(proc->pid, f.arena)))
                add_target(&f, proc->pid);
        }
    return f.failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the processes") : number(&f, error);
}
