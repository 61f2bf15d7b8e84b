/* SPDX-License-Identifier: BSD-3-Clause */
/* From samples to a profile: builds the tree of each process, in the order that profiles require, and merges them
 * all. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "attach/samples.h"
#include "base/redact.h"
#include "base/saturate.h"
#include "base/search.h"
#include "base/sort.h"
#include "generated/routines.h"
#include "merge/merge.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "model/strings.h"

struct making {
    const struct fm_attach_samples *samples;
    struct fm_arena scratch;
    uint32_t from, to;
    uint64_t *counts; /* by node: samples of one process, inclusive */
    uint64_t *own;
    uint32_t *first, *next; /* children; 0: none */
    uint32_t *places;       /* by node: its index in the profile */
    struct fm_error error;
};

/* ---- the tree of one process ---- */

static struct fm_path_node path_of(const struct making *m, struct fm_profile *profile, uint32_t node)
{
    const struct fm_attach_samples_node *from = &m->samples->nodes[node];
    struct fm_path_node path = {.kind = from->kind, .site = {"", "", 0}, .routine = ""};
    if (from->kind == FM_PATH_ROUTINE)
        path.routine = fm_routine_name(from->place.routine - 1);
    if (from->kind == FM_PATH_CALL || from->kind == FM_PATH_LEAF) {
        path.site.offset = from->place.offset;
        if (from->place.module) {
            const struct fm_attach_samples_module *module = &m->samples->modules[from->place.module - 1];
            path.site.module = fm_profile_intern(profile, module->path);
            path.site.build_id = fm_profile_intern(profile, module->build_id);
        }
    }
    return path;
}

/* The first sample of a period; samples are sorted by period. */
static size_t first_of(const struct fm_attach_samples *samples, uint32_t moment)
{
    return FM_FIRST_AT_LEAST(samples->log, samples->n, moment, moment);
}

static void count(struct making *m, uint32_t process)
{
    const struct fm_attach_samples *samples = m->samples;
    memset(m->own, 0, samples->n_nodes * sizeof *m->own);
    memset(m->first, 0, samples->n_nodes * sizeof *m->first);
    for (size_t i = first_of(samples, m->from); i < samples->n && samples->log[i].moment < m->to; i++)
        if (samples->log[i].process == process)
            m->own[samples->log[i].node]++;
    memcpy(m->counts, m->own, samples->n_nodes * sizeof *m->counts);
    for (uint32_t i = (uint32_t)samples->n_nodes; i-- > 1;) {
        uint32_t parent = samples->nodes[i].parent;
        m->counts[parent] += m->counts[i];
        if (m->counts[i]) {
            m->next[i] = m->first[parent];
            m->first[parent] = i;
        }
    }
}

struct child_path {
    struct fm_path_node path;
    uint32_t node;
};

static int compare_children(const void *a, const void *b)
{
    return fm_path_compare(&((const struct child_path *)a)->path, &((const struct child_path *)b)->path);
}

/* Appends a node and everything below it, children in order. FM_CALL_PATHS_DEPTH bounds the recursion. */
static bool append(struct making *m, struct fm_profile *profile, uint32_t node, uint32_t parent, uint32_t rank)
{
    struct fm_call_paths *paths = &profile->paths;
    uint32_t place = (uint32_t)paths->n;
    size_t n = 0;
    struct fm_path_node path = path_of(m, profile, node);
    path.parent = parent;
    path.own = fm_path_cost_of(m->own[node] * m->samples->period_ns, rank);
    struct fm_path_node *nodes = fm_arena_grow(&profile->arena, paths->nodes, &paths->capacity, paths->n + 1,
                                               sizeof *nodes);
    if (!nodes || !path.site.module || !path.site.build_id)
        return false;
    paths->nodes = nodes;
    m->places[node] = place;
    nodes[paths->n++] = path;
    for (uint32_t child = m->first[node]; child; child = m->next[child])
        n++;
    struct child_path *children = fm_arena_alloc(&m->scratch, n * sizeof *children);
    if (!children)
        return false;
    n = 0;
    for (uint32_t child = m->first[node]; child; child = m->next[child])
        children[n++] = (struct child_path){path_of(m, profile, child), child};
    if (!fm_sort(children, n, sizeof *children, compare_children, &m->scratch))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!append(m, profile, children[i].node, place, rank))
            return false;
    return true;
}

/* ---- sequence ---- */

/* Cells from the first to the last sample, not longer than a period: each thread is sampled at a random moment of each
 * period, so a cell occasionally has no sample, and hardly ever two. */
static struct fm_sequence grid_of(const struct fm_attach_samples *samples)
{
    uint64_t from = samples->log[0].real_ns, to = samples->log[samples->n - 1].real_ns;
    uint32_t shift = fm_sequence_shift_of(samples->period_ns / 2 + 1);
    while ((to >> shift) - (from >> shift) >= FM_SEQUENCE_CELLS)
        shift++;
    return (struct fm_sequence){
        .shift = shift, .first = from >> shift, .n_cells = (uint32_t)((to >> shift) - (from >> shift) + 1)};
}

/* The first sample of a cell counts. */
static bool make_sequence(struct making *m, struct fm_profile *profile, uint32_t process)
{
    const struct fm_attach_samples *samples = m->samples;
    struct fm_sequence sequence = grid_of(samples);
    uint32_t *cells = fm_arena_alloc(&profile->arena, FM_SEQUENCE_CELLS * sizeof *cells);
    sequence.rows = fm_arena_alloc(&profile->arena, sizeof *sequence.rows);
    if (!cells || !sequence.rows)
        return false;
    for (size_t i = 0; i < samples->n && samples->log[i].moment < m->to; i++) {
        const struct fm_attach_sample *sample = &samples->log[i];
        uint64_t cell = (sample->real_ns >> sequence.shift) - sequence.first;
        if (sample->process == process && sample->first && cell < sequence.n_cells && !cells[cell])
            cells[cell] = m->places[sample->node] + 1;
    }
    sequence.rows[0] = (struct fm_sequence_row){samples->targets->items[process].rank, cells};
    sequence.n = sequence.capacity = 1;
    profile->paths.sequence = sequence;
    return true;
}

static bool is_complete(const struct making *m)
{
    return m->from == 0 && m->to == m->samples->moments;
}

static bool make_paths(struct making *m, struct fm_profile *profile, uint32_t process)
{
    uint32_t rank = m->samples->targets->items[process].rank;
    struct fm_call_paths *paths = &profile->paths;
    count(m, process);
    paths->samples = m->counts[0];
    paths->period_ns[0] = paths->period_ns[1] = m->samples->period_ns;
    if (!paths->samples)
        return true;
    if (!append(m, profile, 0, 0, rank))
        return false;
    fm_call_paths_inclusive(paths, rank);
    if (is_complete(m) && !make_sequence(m, profile, process))
        return false;
    return fm_call_paths_make_shares(paths, &profile->arena, &m->scratch, rank);
}

/* ---- job, host, program and process ---- */

static const char *keep(struct fm_profile *profile, const char *text)
{
    return fm_profile_intern(profile, text ? text : "");
}

static bool keep_arguments(struct fm_profile *profile, const struct fm_target *target)
{
    struct fm_job *job = &profile->job;
    const char *text = target->arguments, *end = text ? text + target->arguments_bytes : NULL;
    size_t n = 0;
    if (text && text < end && !fm_arguments_wanted())
        end = text + 1; /* only the first */
    for (const char *at = text; at < end; at += strlen(at) + 1)
        n++;
    /* "***" may be longer than the secret it replaces, also in URLs, and a word may contain many */
    struct fm_redacted kept = {.size = 2 * target->arguments_bytes + 4 * n + 1};
    job->argv = fm_arena_alloc(&profile->arena, n * sizeof *job->argv);
    kept.text = fm_arena_alloc(&profile->arena, kept.size);
    for (const char *at = text; kept.text && job->argv && at < end; at += strlen(at) + 1) {
        size_t before = kept.used;
        if (!fm_redact(&kept, at) || !(job->argv[job->n_argv++] = keep(profile, kept.text + before)))
            return false;
    }
    return job->argv && kept.text;
}

static bool describe_job(const struct making *m, struct fm_profile *profile, const struct fm_target *target)
{
    const struct fm_targets *targets = m->samples->targets;
    struct fm_job *job = &profile->job;
    char key[72], id[64] = "";
    time_t started = (time_t)(m->samples->started_real_ns / 1000000000u);
    struct tm tm;
    const struct passwd *user = getpwuid(getuid());
    if (gmtime_r(&started, &tm))
        strftime(id, 32, "%Y%m%d-%H%M%S", &tm);
    snprintf(key, sizeof key, "attach-%d-%llu", (int)targets->items[0].pid,
             (unsigned long long)targets->items[0].start_time);
    snprintf(id + strlen(id), sizeof id - strlen(id), "-%d", (int)targets->items[0].pid);
    job->key = keep(profile, key);
    job->id = keep(profile, *targets->job_id ? targets->job_id : id);
    job->exe = keep(profile, target->exe);
    job->cwd = keep(profile, target->cwd);
    job->user = keep(profile, user ? user->pw_name : "");
    job->launcher = keep(profile, targets->launcher);
    job->mpi = keep(profile, target->mpi);
    job->mpi_library = keep(profile, target->mpi_library);
    job->ranks = targets->ranks;
    job->started_real_ns = m->samples->started_real_ns;
    job->ended_real_ns = job->started_real_ns + (uint64_t)(m->to - m->from) * m->samples->period_ns;
    return job->key && job->id && job->exe && job->cwd && job->user && job->launcher && job->mpi && job->mpi_library &&
           keep_arguments(profile, target);
}

static bool describe_process(const struct making *m, struct fm_profile *profile, const struct fm_target *target)
{
    char name[72] = "";
    struct sysinfo info = {0};
    sysinfo(&info);
    gethostname(name, sizeof name - 1);
    struct fm_range range = {target->rank, target->rank};
    struct fm_host host = fm_host_of(keep(profile, name));
    host.cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    host.memory_bytes = (uint64_t)info.totalram * info.mem_unit;
    host.ranks = (struct fm_rankset){&range, 1, 1};
    struct fm_program program = {keep(profile, target->exe), keep(profile, target->build_id), host.ranks};
    struct fm_process process = fm_process_of(target->rank, FM_END_UNKNOWN);
    process.pid = target->pid;
    process.wall_ns = (uint64_t)(m->to - m->from) * m->samples->period_ns;
    return host.name && program.exe && program.build_id && fm_merge_hosts(profile, &host, 1) &&
           fm_merge_list(profile, &fm_list_programs, &program, 1) && fm_merge_processes(profile, &process, 1) &&
           fm_profile_note_outside(profile, &host.ranks);
}

static struct fm_profile *of_process(struct making *m, uint32_t process)
{
    const struct fm_target *target = &m->samples->targets->items[process];
    struct fm_profile *profile = fm_profile_create();
    if (!profile)
        return NULL;
    if (make_paths(m, profile, process) && describe_job(m, profile, target) && describe_process(m, profile, target))
        return profile;
    fm_profile_destroy(profile);
    return NULL;
}

static struct fm_profile *merge_all(struct making *m)
{
    struct fm_profile *all = fm_profile_create();
    for (uint32_t i = 0; all && i < m->samples->targets->n; i++) {
        struct fm_profile *one = of_process(m, i);
        if (!one || fm_profile_merge(all, one, &m->error) != FM_OK) {
            fm_profile_destroy(all);
            all = NULL;
        }
        fm_profile_destroy(one);
    }
    return all;
}

struct fm_profile *fm_attach_samples_profile(const struct fm_attach_samples *samples, uint32_t from, uint32_t to)
{
    struct making m = {.samples = samples, .from = from, .to = to};
    m.counts = fm_arena_alloc(&m.scratch, samples->n_nodes * sizeof *m.counts);
    m.own = fm_arena_alloc(&m.scratch, samples->n_nodes * sizeof *m.own);
    m.first = fm_arena_alloc(&m.scratch, samples->n_nodes * sizeof *m.first);
    m.next = fm_arena_alloc(&m.scratch, samples->n_nodes * sizeof *m.next);
    m.places = fm_arena_alloc(&m.scratch, samples->n_nodes * sizeof *m.places);
    struct fm_profile *profile = m.counts && m.own && m.first && m.next && m.places ? merge_all(&m) : NULL;
    if (profile && is_complete(&m)) {
        profile->paths.partial = samples->partial;
        profile->paths.lost = samples->lost;
    }
    fm_arena_destroy(&m.scratch);
    return profile;
}
