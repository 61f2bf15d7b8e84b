/* A job made by hand for the tests of the rules: ranks of 100 s, on cores of their own, that spend the same time outside
 * MPI. Each test changes what its rule looks at. */
#ifndef FM_TESTS_MADE_JOB_H
#define FM_TESTS_MADE_JOB_H

#include <stdlib.h>
#include <string.h>

#include "analyse/findings/finding.h"
#include "model/note_codes.h"
#include "tap.h"

#define SECOND 1000000000ull
#define MS 1000000ull
enum { JOB_RANKS = 8, JOB_WALL_S = 100 };

struct made_job {
    struct fm_arena arena;
    struct fm_profile profile;
    struct fm_process processes[JOB_RANKS];
    struct fm_host hosts[2];
    struct fm_event events[16];
    struct fm_routine_total routines[16];
    struct fm_timer timers[4];
    struct fm_note notes[4];
    struct fm_edge sent[64];
    struct fm_path_node nodes[16];
    struct fm_class_of_files file_class;
    struct fm_findings found;
};

static inline struct made_job *made_job(uint32_t hosts)
{
    struct made_job *job = calloc(1, sizeof *job);
    if (!job)
        abort();
    for (uint32_t rank = 0; rank < JOB_RANKS; rank++) {
        job->processes[rank] = fm_process_of(rank, FM_END_FINALIZED);
        struct fm_process *process = &job->processes[rank];
        process->host = rank * hosts / JOB_RANKS;
        process->wall_ns = JOB_WALL_S * SECOND;
        process->mpi_ns = 20 * SECOND;
        process->user_ns = 99 * SECOND;
        process->max_rss_bytes = 1 << 20;
        process->involuntary_switches = 5;
        fm_rankset_add(&job->hosts[process->host].ranks, &job->arena, rank, rank);
    }
    for (uint32_t i = 0; i < hosts; i++) {
        job->hosts[i].name = i ? "n2" : "n1";
        job->hosts[i].cpu = "";
        job->hosts[i].cores = JOB_RANKS;
        job->hosts[i].memory_bytes = 1 << 30;
    }
    job->profile.job.ranks = JOB_RANKS;
    job->profile.job.exe = "/bin/model";
    job->profile.job.cwd = "/work";
    job->profile.processes = job->processes;
    job->profile.n_processes = JOB_RANKS;
    job->profile.hosts = job->hosts;
    job->profile.n_hosts = hosts;
    job->profile.events = job->events;
    job->profile.routines = job->routines;
    job->profile.timers = job->timers;
    job->profile.notes = job->notes;
    job->profile.sent.items = job->sent;
    return job;
}

static inline void made_job_free(struct made_job *job)
{
    fm_arena_destroy(&job->arena);
    free(job);
}

/* Calls of all ranks at a site: `fast` of fast_ns and `slow` of slow_ns. */
static inline void made_calls(struct made_job *job, const char *routine, uint64_t offset, uint64_t bytes, uint64_t fast,
                              uint64_t fast_ns, uint64_t slow, uint64_t slow_ns)
{
    struct fm_event *event = &job->events[job->profile.n_events++];
    struct fm_routine_total *total = &job->routines[job->profile.n_routines++];
    bool collective = !strcmp(routine, "MPI_Barrier") || !strcmp(routine, "MPI_Allreduce");
    *event = (struct fm_event){.key = {routine,
                                       "",
                                       bytes ? fm_size_bin(bytes) : FM_SIZE_NONE,
                                       collective ? JOB_RANKS : 0,
                                       {"/bin/model", "", offset}}};
    event->stats.count = fast + slow;
    event->stats.total_ns = fast * fast_ns + slow * slow_ns;
    event->stats.bytes = (fast + slow) * bytes;
    event->stats.histogram.bins[fm_duration_bin(fast_ns)] += fast;
    event->stats.histogram.bins[fm_duration_bin(slow_ns)] += slow;
    total->name = routine;
    total->stats = event->stats;
    fm_rankset_add(&total->ranks, &job->arena, 0, JOB_RANKS - 1);
}

/* Applies all rules. Returns the finding of this rule; NULL: none. */
static inline const struct fm_finding *made_finding(struct made_job *job, const char *rule)
{
    struct fm_summary summary;
    struct fm_balance balance;
    struct fm_error error = {0};
    if (fm_summarise(&job->profile, &job->arena, &summary, &error) ||
        fm_balance_find(&job->profile, &job->arena, &balance, &error))
        abort();
    struct fm_finding_input input = {&job->profile, &summary, &balance, NULL};
    if (fm_findings_find(&input, &job->arena, &job->found, &error))
        abort();
    return fm_findings_of(&job->found, rule);
}

static inline bool made_none(struct made_job *job)
{
    made_finding(job, "");
    for (size_t i = 0; i < job->found.n; i++)
        printf("# %s: %s\n", job->found.items[i].rule, job->found.items[i].text);
    return job->found.n == 0;
}

static inline bool made_ranks(struct made_job *job, const struct fm_finding *finding, const char *ranks)
{
    const char *text = finding ? fm_rankset_text(&finding->ranks, &job->arena, 0) : NULL;
    return text && !strcmp(text, ranks);
}

/* About equal, in seconds. */
static inline bool made_cost(const struct fm_finding *finding, double seconds)
{
    return finding && finding->cost_ns > 0.95e9 * seconds && finding->cost_ns < 1.05e9 * seconds;
}

#endif
