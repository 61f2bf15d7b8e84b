/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/names.h"
#include "base/writer.h"
#include "mpi/launchers.h"

static const struct fm_proc *proc_of(const struct fm_procs *procs, pid_t pid)
{
    for (size_t i = 0; i < procs->n; i++)
        if (procs->items[i].pid == pid)
            return &procs->items[i];
    return NULL;
}

/* The command line of a process, its arguments separated by blanks. */
static char *command_line_of(pid_t pid, struct fm_arena *arena)
{
    size_t bytes;
    char *line = fm_proc_file(pid, "cmdline", arena, &bytes);
    for (size_t i = 0; line && i + 1 < bytes; i++)
        if (!line[i])
            line[i] = ' ';
    return line;
}

/* The word after `name`, without quotes; NULL if `name` is not there. */
static const char *word_after(const char *line, const char *name, struct fm_arena *arena)
{
    const char *at = line ? strstr(line, name) : NULL;
    if (!at)
        return NULL;
    at += strlen(name);
    at += strspn(at, " \"'=");
    return fm_arena_strndup(arena, at, strcspn(at, " \"'"));
}

/* ---- job key ---- */

/* The launcher that the nearest Hydra proxy among the ancestors reports to; NULL if there is none. */
static const char *hydra_above(const struct fm_procs *procs, pid_t pid, struct fm_arena *arena)
{
    const struct fm_proc *proc = proc_of(procs, pid);
    for (size_t steps = 0; proc && proc->pid > 1 && steps < procs->n; steps++) {
        if (strcmp(proc->name, FM_HYDRA_PROXY) == 0)
            return word_after(command_line_of(proc->pid, arena), FM_HYDRA_PROXY_LAUNCHER, arena);
        proc = proc_of(procs, proc->parent);
    }
    return NULL;
}

const char *fm_job_key(const struct fm_procs *procs, pid_t rank, struct fm_arena *arena)
{
    size_t bytes;
    const char *env = fm_proc_file(rank, "environ", arena, &bytes), *hydra = hydra_above(procs, rank, arena);
    const char *namespace_name = fm_launchers[FM_LAUNCHER_PRRTE].job;
    const char *job_name = fm_launchers[FM_LAUNCHER_SLURM].job, *step_name = fm_name_after(job_name);
    const char *namespace_id = env ? fm_proc_variable(env, bytes, namespace_name) : NULL;
    const char *job = env ? fm_proc_variable(env, bytes, job_name) : NULL;
    const char *step = env ? fm_proc_variable(env, bytes, step_name) : NULL;
    if (namespace_id)
        return fm_written(arena, "%s=%s", namespace_name, namespace_id);
    if (hydra)
        return fm_written(arena, "hydra=%s", hydra);
    if (job && step)
        return fm_written(arena, "%s=%s,%s=%s", job_name, job, step_name, step);
    return fm_basename(fm_proc_link(rank, "exe", arena));
}

/* Daemons are job 0 of their launcher; the program that it starts is job 1. */
static const char *key_in(const char *line, struct fm_arena *arena)
{
    const char *namespace_name = fm_launchers[FM_LAUNCHER_PRRTE].job;
    const char *open = word_after(line, FM_OPENMPI_DAEMON_JOB, arena),
               *newer = word_after(line, FM_OPENMPI_DAEMON_SPACE, arena),
               *hydra = word_after(line, FM_HYDRA_PROXY_LAUNCHER, arena);
    if (open)
        return fm_written(arena, "%s=%llu", namespace_name, strtoull(open, NULL, 10) + 1);
    if (newer)
        return fm_written(arena, "%s=%.*s@1", namespace_name, (int)strcspn(newer, "@"), newer);
    return hydra ? fm_written(arena, "hydra=%s", hydra) : NULL;
}

const char *fm_job_key_elsewhere(const struct fm_procs *procs, pid_t launcher, struct fm_arena *arena)
{
    const char *key = NULL;
    size_t bytes;
    for (size_t i = 0; i < procs->n && !key; i++)
        if (procs->items[i].parent == launcher)
            key = key_in(command_line_of(procs->items[i].pid, arena), arena);
    const char *env = fm_proc_file(launcher, "environ", arena, &bytes);
    const char *name = fm_launchers[FM_LAUNCHER_SLURM].job_id;
    const char *job = env && !key ? fm_proc_variable(env, bytes, name) : NULL;
    return job ? fm_written(arena, "%s=%s", name, job) : key;
}

static bool has_variables(const char *key, pid_t pid, struct fm_arena *arena)
{
    size_t bytes;
    const char *env = fm_proc_file(pid, "environ", arena, &bytes);
    while (env && *key) {
        size_t name = strcspn(key, "="), length = strcspn(key, ",");
        char *variable = fm_arena_strndup(arena, key, name);
        const char *value = variable ? fm_proc_variable(env, bytes, variable) : NULL;
        if (name >= length || !value || strlen(value) != length - name - 1 ||
            strncmp(value, key + name + 1, length - name - 1) != 0)
            return false;
        key += length + (key[length] == ',');
    }
    return env && bytes;
}

bool fm_job_has(const struct fm_procs *procs, const char *key, pid_t pid, struct fm_arena *arena)
{
    if (!strchr(key, '='))
        return strcmp(fm_basename(fm_proc_link(pid, "exe", arena)), key) == 0;
    if (strncmp(key, "hydra=", 6) != 0)
        return has_variables(key, pid, arena);
    const char *hydra = hydra_above(procs, pid, arena);
    return hydra && strcmp(hydra, key + 6) == 0;
}

/* ---- daemons ---- */

const char *fm_job_daemon_host(pid_t pid, struct fm_arena *arena)
{
    size_t bytes;
    const char *words = fm_proc_file(pid, "cmdline", arena, &bytes), *before = NULL;
    for (const char *word = words; word && word < words + bytes; word += strlen(word) + 1) {
        if (fm_launcher_daemon_in(word))
            return before && *before != '-' && !strchr(before, '/') ? before : NULL;
        if (word > words)
            before = word;
    }
    return NULL;
}
