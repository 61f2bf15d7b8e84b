/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile: the model of one job, merged over its processes.
 *
 * A profile of one process is made from its segment (merge/from_segment.h); profiles
 * are merged pairwise (merge/merge.h) in any order with the same result; the file form
 * (format/encode.h, doc/FORMAT.md) is canonical: equal profiles give equal bytes.
 *
 * All numbers are integers, so that sums do not depend on the order of merging. Of equal
 * extremes the lowest rank is named, then the lowest event number.
 *
 * Memory: everything hangs on `arena`; fm_profile_destroy frees it. One thread at a time.
 * Strings are never NULL ("" when unknown). Arrays are sorted by their key, as noted, with
 * strings compared by strcmp. */
#ifndef FM_MODEL_PROFILE_H
#define FM_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bins.h"
#include "base/error.h"
#include "base/rankset.h"
#include "model/call_paths.h"
#include "model/figures.h"
#include "model/grid.h"
#include "model/site.h"
#include "model/timer.h"
#include "model/values.h"

/* ---- parts of the profile ---- */

/* Sorted by routine, region, size_bin, comm_size, site.module, site.build_id, site.offset. Unique. */
struct fm_event_key {
    const char *routine; /* "MPI_Send" */
    const char *region;  /* path "a/b"; "" = the whole program */
    uint32_t size_bin;   /* base/bins.h */
    uint32_t comm_size;  /* collectives; 0 = not one, or detail given up */
    struct fm_site site;
};

struct fm_event {
    struct fm_event_key key;
    struct fm_stats stats;
};

/* Per routine over ranks. Sorted by name. */
struct fm_rank_value {
    uint32_t rank;
    uint64_t time_ns, calls, bytes; /* bytes: payload */
};
struct fm_routine_total {
    const char *name;
    struct fm_stats stats;
    struct fm_rankset ranks;
    struct fm_spread time_ns, calls, bytes;
    struct fm_rank_value *per_rank; /* sorted by rank; NULL/0 when it was left out of a large file */
    size_t n_per_rank, per_rank_capacity;
};

/* Point-to-point traffic. An edge of `sent` is contributed by rank `from` alone, an edge of `received`
 * by rank `to` alone; so the heaviest of a union are the union's heaviest. Sorted by from, to. */
struct fm_edge {
    uint32_t from, to;
    uint64_t messages, bytes, time_ns;
};
struct fm_edges {
    struct fm_edge *items;
    size_t n, capacity;
    uint64_t dropped, dropped_messages, dropped_bytes, dropped_ns; /* left out of a large profile */
};

/* Sorted by path. Times are sums over ranks, inclusive of nested regions. */
struct fm_region {
    const char *path; /* "a/b"; "" = the whole program */
    uint64_t entries;
    uint64_t wall_ns;
    struct fm_rankset ranks;
    struct fm_spread wall_per_rank; /* ns */
};

/* Sorted by name. */
struct fm_host {
    const char *name, *cpu;
    uint32_t cores;
    uint64_t memory_bytes;
    struct fm_rankset ranks;
};

/* One of the programs of the job: several where they were started together (mpirun ./atm : ./ocean). Sorted by executable and
 * build id. */
struct fm_program {
    const char *exe, *build_id;
    struct fm_rankset ranks;
};

/* How a process ended. */
enum fm_end {
    FM_END_UNKNOWN = 0, /* still running when it was read */
    FM_END_FINALIZED,   /* reached MPI_Finalize (without MPI: left normally) */
    FM_END_EXITED,      /* left without MPI_Finalize; code = exit status where known, else -1 */
    FM_END_ABORTED,     /* MPI_Abort; code = its error code */
    FM_END_SIGNALLED,   /* a wait status was seen; code = the signal */
    FM_END_REPLACED,    /* exec */
    FM_END_VANISHED,    /* gone, and nobody saw how */
    FM_END_MISSING,     /* no data of this rank at all */
};

/* One process. Sorted by rank. */
struct fm_process {
    uint32_t rank;
    uint32_t host; /* index into hosts */
    uint32_t core;
    int32_t pid;
    uint32_t end; /* enum fm_end */
    int32_t end_code;
#define X(column, since, member, ...) uint64_t member;
    FM_PROCESS_FIGURES(X) /* model/figures.h */
#undef X
    const char *inside; /* routine it was in when it ended badly, or "" */
};

/* A process of which nothing else is known. */
struct fm_process fm_process_of(uint32_t rank, enum fm_end end);

/* Whether user_ns, system_ns and max_rss_bytes are known: nobody asked for those of a process that was killed, unless
 * its parent saw it end. Every process has some memory. */
static inline bool fm_process_has_usage(const struct fm_process *process)
{
    return process->max_rss_bytes > 0;
}

/* A note about the measurement itself: what it says is a code (note_codes.h) with parameters, and note.h makes a sentence
 * of it where it is shown. Sorted by code, argument and text. */
struct fm_note {
    uint32_t code;
    const char *argument; /* what it is about, "" when that is nothing in particular */
    uint64_t amount;      /* summed; 0 when it has none */
    struct fm_rankset ranks;
    const char *text; /* the sentence, as it is in the file, when this build has none for the code; else "" */
};

struct fm_name_value {
    const char *name, *value;
};

/* Subtotals. Sorted by collective (1 first), label, order, rank. */
struct fm_snapshot_routine {
    const char *name;
    uint64_t count, total_ns, bytes;
};
struct fm_snapshot {
    const char *label;
    uint32_t collective; /* 1: all ranks, merged; 0: of one process */
    uint32_t order;      /* 0, 1, ... among those of the same label in one process */
    uint32_t rank;       /* FM_NO_RANK for collective ones */
    uint32_t ranks;      /* how many processes are in it */
    uint64_t when_ns;    /* latest, since the start of its process */
    uint64_t mpi_ns;
    struct fm_snapshot_routine *routines; /* sorted by name */
    size_t n_routines;
};

struct fm_job {
    const char *key; /* job_key of the segments: profiles with different keys do not merge */
    const char *id;  /* batch system's job id, else date and pid */
    const char *run_id;
    const char *exe, *build_id, *cwd, *user;
    const char *launcher; /* "Slurm", "PBS", "LSF", "Flux", "mpirun", "" */
    const char *mpi;      /* "Open MPI 4.1.4", "MPICH 4.0.2", "" */
    const char *mpi_library;
    const char *language;        /* "C", "C++", "Fortran", "Python", "" */
    const char *tool;            /* another PMPI tool's module, or "" */
    const char *output;          /* where the user asked the profile to be written, or "" */
    const char *runtime_version; /* of the Fathom that measured, as in "0.1.0"; "": not known */
    const char *merge_version;   /* of the Fathom that wrote the file; "" before it is written, or not known */
    const char **argv;
    size_t n_argv;
    struct fm_name_value *env; /* sorted by name; secrets already left out */
    size_t n_env;
    uint32_t ranks; /* size of MPI_COMM_WORLD */
    uint32_t thread_level;
    struct fm_grid cart;      /* Cartesian, over all ranks */
    uint64_t started_real_ns; /* earliest */
    uint64_t ended_real_ns;   /* latest */
};

/* What a newer Fathom has written into a file or a segment, and this one does not know. Of merged ones the most. */
struct fm_left_out {
    uint32_t sections, columns, values;
};

/* Of a profile of the ranks of one program (analyse/programs/part.h): which, and how much cannot be attributed to a
 * program, because the profile of the job has it only as a sum over ranks of several. */
struct fm_part {
    const char *label; /* of the program (analyse/programs/program.h) */
    struct fm_rankset ranks;
    uint32_t job_ranks;                /* of the whole job */
    uint64_t calls, calls_ns;          /* MPI calls by call site, size, region and communicator */
    uint64_t sampled_ns;               /* call paths of libraries alone, other than */
    uint64_t threads_ns;               /* those of threads of MPI */
    size_t timers, regions, snapshots; /* that ranks of several programs have */
};

struct fm_profile {
    struct fm_arena arena;
    struct fm_left_out left_out;
    uint32_t owner;             /* uid of the file that it was read from; 0: root's, or made here */
    const struct fm_part *part; /* NULL: it is of the whole job */
    struct fm_job job;
    struct fm_host *hosts;
    size_t n_hosts, hosts_capacity;
    struct fm_process *processes;
    size_t n_processes, processes_capacity;
    struct fm_program *programs; /* none in profiles of 0.1.0 */
    size_t n_programs, programs_capacity;
    struct fm_routine_total *routines;
    size_t n_routines, routines_capacity;
    struct fm_event *events;
    size_t n_events, events_capacity;
    struct fm_region *regions;
    size_t n_regions, regions_capacity;
    struct fm_edges sent, received;
    struct fm_timer *timers;
    size_t n_timers, timers_capacity;
    struct fm_call_paths paths;
    struct fm_snapshot *snapshots;
    size_t n_snapshots, snapshots_capacity;
    struct fm_note *notes;
    size_t n_notes, notes_capacity;
};

/* An empty profile (the identity of merging), or NULL without memory. The struct itself lies in its arena. */
struct fm_profile *fm_profile_create(void);
/* The same from the spare memory of profiles that were destroyed, which outlives it (see fm_arena). */
struct fm_profile *fm_profile_create_from(struct fm_arena *spare);
void fm_profile_destroy(struct fm_profile *profile); /* NULL is fine */

/* complete: every rank of the job is there and ended by MPI_Finalize (or normally without MPI). */
bool fm_profile_complete(const struct fm_profile *profile);
/* wall time of the job in ns: from the earliest start to the latest end. */
uint64_t fm_profile_wall_ns(const struct fm_profile *profile);

/* "reached MPI_Finalize", "killed by signal 9 (SIGKILL)", "exited with status 3 without MPI_Finalize", "vanished", ... */
const char *fm_end_text(enum fm_end end, int code, char *buffer, size_t size);

#endif
