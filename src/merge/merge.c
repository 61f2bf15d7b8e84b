/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/merge.h"

#include <string.h>

#include "merge/join.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "model/order.h"
#include "model/strings.h"

/* ---- the job: described by the lowest rank ---- */

/* The first process with data, or NULL. */
static const struct fm_process *first_process(const struct fm_profile *profile)
{
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING)
            return &profile->processes[i];
    return NULL;
}

/* Whether the job is described by `from` instead of `into`: it has the lower rank, then the lower pid, then the lesser
 * content. That is the minimum of a total order, so it does not depend on the order of merging. */
static bool takes_job(const struct fm_profile *into, const struct fm_profile *from)
{
    const struct fm_process *mine = first_process(into), *theirs = first_process(from);
    if (!mine != !theirs)
        return theirs;
    if (mine && mine->rank != theirs->rank)
        return theirs->rank < mine->rank;
    if (mine && mine->pid != theirs->pid)
        return theirs->pid < mine->pid;
    /* Of two profiles without data, the one with content is the greater. */
    int order = fm_job_compare(&from->job, &into->job);
    return mine ? order < 0 : order > 0;
}

/* Fields that are taken from the lowest rank. */
static bool copy_fields(struct fm_profile *into, const struct fm_job *from)
{
    for (size_t i = 0; i < fm_job_fields.n; i++) {
        const struct fm_field *field = &fm_job_fields.list[i];
        if (field->merge == FM_MERGE_FIRST &&
            !(*fm_field_text(field, &into->job) = fm_profile_intern(into, *fm_field_text(field, from))))
            return false;
    }
    return true;
}

static bool copy_lists(struct fm_profile *into, const struct fm_job *from)
{
    const char **argv = fm_arena_alloc(&into->arena, from->n_argv * sizeof *argv);
    struct fm_name_value *env = fm_arena_alloc(&into->arena, from->n_env * sizeof *env);
    if (!argv || !env)
        return false;
    for (size_t i = 0; i < from->n_argv; i++)
        if (!(argv[i] = fm_profile_intern(into, from->argv[i])))
            return false;
    for (size_t i = 0; i < from->n_env; i++) {
        env[i].name = fm_profile_intern(into, from->env[i].name);
        env[i].value = fm_profile_intern(into, from->env[i].value);
        if (!env[i].name || !env[i].value)
            return false;
    }
    into->job.argv = argv;
    into->job.n_argv = from->n_argv;
    into->job.env = env;
    into->job.n_env = from->n_env;
    return true;
}

/* Must be called before the lists of processes are merged. */
static bool merge_job(struct fm_profile *into, const struct fm_profile *from)
{
    struct fm_job *job = &into->job;
    const struct fm_job *other = &from->job;
    if (!*job->key && !(job->key = fm_profile_intern(into, other->key)))
        return false;
    fm_grid_merge(&job->cart, &other->cart);
    return fm_merge_fields(into, &fm_job_fields, job, other) &&
           (!takes_job(into, from) || (copy_fields(into, other) && copy_lists(into, other)));
}

/* ---- hosts and processes ---- */

static uint32_t host_number(const struct fm_profile *profile, const char *name)
{
    size_t low = 0, high = profile->n_hosts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fm_compare_text(profile->hosts[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void renumber(struct fm_process *processes, size_t n, const uint32_t *numbers, size_t n_numbers)
{
    for (size_t i = 0; i < n; i++)
        processes[i].host = processes[i].host < n_numbers ? numbers[processes[i].host] : FM_NO_RANK;
}

/* The new indices of hosts; returns whether any has changed. */
static bool find_numbers(const struct fm_profile *profile, const struct fm_host *hosts, size_t n, uint32_t *numbers)
{
    bool moved = false;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = host_number(profile, hosts[i].name);
        moved |= numbers[i] != i;
    }
    return moved;
}

static bool same_hosts(const struct fm_profile *a, const struct fm_profile *b)
{
    bool same = a->n_hosts == b->n_hosts;
    for (size_t i = 0; same && i < a->n_hosts; i++)
        same = !fm_compare_text(a->hosts[i].name, b->hosts[i].name);
    return same;
}

static bool merge_processes(struct fm_profile *into, const struct fm_profile *from, struct fm_arena *scratch)
{
    if (same_hosts(into, from)) /* within a node: no index changes */
        return fm_merge_hosts(into, from->hosts, from->n_hosts) &&
               fm_merge_processes(into, from->processes, from->n_processes);
    size_t n_old = into->n_hosts;
    struct fm_host *old = fm_arena_alloc(scratch, n_old * sizeof *old);
    uint32_t *old_numbers = fm_arena_alloc(scratch, n_old * sizeof *old_numbers);
    uint32_t *numbers = fm_arena_alloc(scratch, from->n_hosts * sizeof *numbers);
    struct fm_process *processes = fm_arena_alloc(scratch, from->n_processes * sizeof *processes);
    if (!old || !old_numbers || !numbers || !processes)
        return false;
    if (n_old)
        memcpy(old, into->hosts, n_old * sizeof *old);
    if (!fm_merge_hosts(into, from->hosts, from->n_hosts))
        return false;
    if (into->n_hosts != n_old && find_numbers(into, old, n_old, old_numbers))
        renumber(into->processes, into->n_processes, old_numbers, n_old);
    find_numbers(into, from->hosts, from->n_hosts, numbers);
    if (from->n_processes)
        memcpy(processes, from->processes, from->n_processes * sizeof *processes);
    renumber(processes, from->n_processes, numbers, from->n_hosts);
    return fm_merge_processes(into, processes, from->n_processes);
}

/* ---- the whole profile ---- */

static bool merge_lists(struct fm_profile *into, const struct fm_profile *from)
{
    for (unsigned section = 0; section < FM_LISTS_END; section++) {
        const struct fm_list *list = fm_list_of(section);
        size_t n = 0;
        const void *items = list ? fm_list_items(list, from, &n) : NULL;
        if (list && list->by_schema && !fm_merge_list(into, list, items, n))
            return false;
    }
    return true;
}

static uint32_t max_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void merge_left_out(struct fm_left_out *into, const struct fm_left_out *from)
{
    into->sections = max_of(into->sections, from->sections);
    into->columns = max_of(into->columns, from->columns);
    into->values = max_of(into->values, from->values);
}

enum fm_status fm_profile_merge(struct fm_profile *into, const struct fm_profile *from, struct fm_error *error)
{
    if (*into->job.key && *from->job.key && strcmp(into->job.key, from->job.key))
        return fm_fail(error, FM_ERR_INPUT, "profiles of two different jobs (%s and %s) cannot be merged",
                       into->job.key, from->job.key);
    struct fm_arena scratch = {.spare = into->arena.spare};
    merge_left_out(&into->left_out, &from->left_out);
    bool done = merge_job(into, from) && merge_processes(into, from, &scratch) &&
                fm_merge_routines(into, from->routines, from->n_routines) &&
                fm_merge_edges(into, &into->sent, &from->sent) &&
                fm_merge_edges(into, &into->received, &from->received) &&
                fm_merge_timers(into, from->timers, from->n_timers) && fm_merge_paths(into, &from->paths, &scratch) &&
                fm_merge_snapshots(into, from->snapshots, from->n_snapshots) && merge_lists(into, from) &&
                fm_profile_limit_snapshots(into) && fm_profile_limit_files(into);
    fm_arena_destroy(&scratch);
    return done ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory to merge profiles");
}
