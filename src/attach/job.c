#include "attach/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

static const struct fm_proc *proc_of(const struct fm_procs *procs, pid_t pid)
{
    for (size_t i = 0; i < procs->n; i++)
        if (procs->items[i].pid == pid)
            return &procs->items[i];
    return NULL;
}

/* All words of a process in one line. */
static char *line_of(pid_t pid, struct fm_arena *arena)
{
    size_t bytes;
    char *line = fm_proc_file(pid, "cmdline", arena, &bytes);
    for (size_t i = 0; line && i + 1 < bytes; i++)
        if (!line[i])
            line[i] = ' ';
    return line;
}

/* The word behind a name, without quotes; NULL: the name is not there. */
static const char *word_behind(const char *line, const char *name, struct fm_arena *arena)
{
    const char *at = line ? strstr(line, name) : NULL;
    if (!at)
        return NULL;
    at += strlen(name);
    at += strspn(at, " \"'=");
    return fm_arena_strndup(arena, at, strcspn(at, " \"'"));
}

static char *joined(struct fm_arena *arena, const char *format, const char *first, const char *second)
{
    size_t bytes = strlen(format) + strlen(first) + strlen(second) + 1;
    char *text = fm_arena_alloc(arena, bytes);
    if (text)
        snprintf(text, bytes, format, first, second);
    return text;
}

/* ---- the key ---- */

/* The launcher that the nearest proxy of Hydra above answers to; NULL: there is none. */
static const char *hydra_above(const struct fm_procs *procs, pid_t pid, struct fm_arena *arena)
{
    const struct fm_proc *proc = proc_of(procs, pid);
    for (size_t steps = 0; proc && proc->pid > 1 && steps < procs->n; steps++) {
        if (strncmp(proc->name, "hydra_pmi_pro", 13) == 0)
            return word_behind(line_of(proc->pid, arena), "--control-port", arena);
        proc = proc_of(procs, proc->parent);
    }
    return NULL;
}

const char *fm_job_key(const struct fm_procs *procs, pid_t rank, struct fm_arena *arena)
{
    size_t bytes;
    const char *env = fm_proc_file(rank, "environ", arena, &bytes), *hydra = hydra_above(procs, rank, arena);
    const char *space = env ? fm_proc_variable(env, bytes, "PMIX_NAMESPACE") : NULL;
    const char *job = env ? fm_proc_variable(env, bytes, "SLURM_JOB_ID") : NULL;
    const char *step = env ? fm_proc_variable(env, bytes, "SLURM_STEP_ID") : NULL;
    if (space)
        return joined(arena, "PMIX_NAMESPACE=%s%s", space, "");
    if (hydra)
        return joined(arena, "hydra=%s%s", hydra, "");
    if (job && step)
        return joined(arena, "SLURM_JOB_ID=%s,SLURM_STEP_ID=%s", job, step);
    return fm_last_part(fm_proc_link(rank, "exe", arena));
}

/* Daemons are job 0 of their launcher, what it was asked to start is job 1. */
static const char *key_in(const char *line, struct fm_arena *arena)
{
    char number[24];
    const char *open = word_behind(line, "ess_base_jobid", arena), *hydra = word_behind(line, "--control-port", arena);
    const char *newer = word_behind(line, "ess_base_nspace", arena);
    if (open) {
        snprintf(number, sizeof number, "%llu", strtoull(open, NULL, 10) + 1);
        return joined(arena, "PMIX_NAMESPACE=%s%s", number, "");
    }
    if (newer)
        return joined(arena, "PMIX_NAMESPACE=%s@%s", fm_arena_strndup(arena, newer, strcspn(newer, "@")), "1");
    return hydra ? joined(arena, "hydra=%s%s", hydra, "") : NULL;
}

const char *fm_job_key_elsewhere(const struct fm_procs *procs, pid_t launcher, struct fm_arena *arena)
{
    const char *key = NULL;
    size_t bytes;
    for (size_t i = 0; i < procs->n && !key; i++)
        if (procs->items[i].parent == launcher)
            key = key_in(line_of(procs->items[i].pid, arena), arena);
    const char *env = fm_proc_file(launcher, "environ", arena, &bytes);
    const char *job = env && !key ? fm_proc_variable(env, bytes, "SLURM_JOB_ID") : NULL;
    return job ? joined(arena, "SLURM_JOB_ID=%s%s", job, "") : key;
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
        return strcmp(fm_last_part(fm_proc_link(pid, "exe", arena)), key) == 0;
    if (strncmp(key, "hydra=", 6) != 0)
        return has_variables(key, pid, arena);
    const char *hydra = hydra_above(procs, pid, arena);
    return hydra && strcmp(hydra, key + 6) == 0;
}

/* ---- daemons ---- */

const char *fm_job_daemon_host(pid_t pid, struct fm_arena *arena)
{
    static const char *const daemons[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy"};
    size_t bytes;
    const char *words = fm_proc_file(pid, "cmdline", arena, &bytes), *before = NULL;
    for (const char *word = words; word && word < words + bytes; word += strlen(word) + 1) {
        for (size_t i = 0; i < sizeof daemons / sizeof *daemons; i++)
            if (strstr(word, daemons[i]))
                return before && *before != '-' && !strchr(before, '/') ? before : NULL;
        if (word > words)
            before = word;
    }
    return NULL;
}
