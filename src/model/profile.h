/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile: the model of one job, merged over its processes.
 *
 * A profile of one process is made from its segment (merge/from_segment.h). Profiles are merged in pairs
 * (merge/merge.h), in any order with the same result. The file format (format/encode.h, doc/FORMAT.md) is canonical:
 * equal profiles give equal bytes.
 *
 * All numbers are integers, so that sums do not depend on the order of merging. If several events have the same extreme
 * value, the one with the lowest rank is recorded, then the one with the lowest event number.
 *
 * Memory: everything is allocated from `arena` and freed by fm_profile_destroy. Not thread-safe: one thread at a time.
 * Strings are never NULL ("" if unknown). Arrays are sorted by their key, as noted, with strings compared by strcmp. */
#ifndef FM_MODEL_PROFILE_H
#define FM_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bins.h"
#include "base/error.h"
#include "base/rankset.h"
#include "base/request_bins.h"
#include "model/call_paths.h"
#include "model/figures.h"
#include "model/grid.h"
#include "model/host_figures.h"
#include "model/site.h"
#include "model/timer.h"
#include "model/values.h"

/* ---- parts of the profile ---- */

/* Sorted by routine, region, size_bin, comm_size, site.module, site.build_id, site.offset. Unique. */
struct fm_event_key {
    const char *routine; /* "MPI_Send" */
    const char *region;  /* path "a/b"; "" = the whole program */
    uint32_t size_bin;   /* base/bins.h */
    uint32_t comm_size;  /* collectives; 0 = not a collective, or not recorded */
    struct fm_site site;
};

struct fm_event {
    struct fm_event_key key;
    struct fm_stats stats;
};

/* Reductions that followed each other in a thread: the same routine, communicator and root, and no other MPI call between
 * them. Sorted by routine, first and second. */
struct fm_succession {
    const char *routine;
    struct fm_site first, second; /* call sites, possibly the same */
    uint64_t count;
    uint64_t gap_ns;     /* from the end of the first to the start of the second, in total */
    uint64_t short_gaps; /* number of gaps below 2 us: too short for work on an array */
    uint32_t dependent;  /* 1: the second sent what the first had received */
    struct fm_rankset ranks;
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
    struct fm_rank_value *per_rank; /* sorted by rank; NULL and 0 if left out of a large file */
    size_t n_per_rank, per_rank_capacity;
};

/* Point-to-point traffic. An edge of `sent` comes only from rank `from`, an edge of `received` only from rank `to`, so
 * the heaviest edges of a union are the heaviest of its parts. Sorted by from, to. */
struct fm_edge {
    uint32_t from, to;
    uint64_t messages, bytes, time_ns;
};
struct fm_edges {
    struct fm_edge *items;
    size_t n, capacity;
    uint64_t dropped, dropped_messages, dropped_bytes, dropped_ns; /* edges left out of a large profile */
};

/* Sorted by path. Times are sums over ranks, inclusive of nested regions. */
struct fm_region {
    const char *path; /* "a/b"; "" = the whole program */
    uint64_t entries;
    uint64_t wall_ns;
    struct fm_rankset ranks;
    struct fm_spread wall_per_rank; /* ns */
};

/* A part of the run: its wall time on each rank, and how much of that is outside MPI. Sorted by kind and name. */
enum fm_span_kind {
    FM_SPAN_REGION,      /* inside a region, with those nested in it */
    FM_SPAN_FROM_REGION, /* from the first entry of a region to the end of the process */
    FM_SPAN_FROM_TIMER,  /* from the first start of a timer to the end of the process */
    FM_SPAN_TIMER,       /* inside a timer, all threads together */
    FM_SPAN_KINDS
};
struct fm_span {
    uint32_t kind;    /* enum fm_span_kind */
    const char *name; /* of a region, its path */
    struct fm_spread wall_ns, outside_ns;
    struct fm_rankset ranks;
};

/* Sorted by name. */
struct fm_host {
    const char *name, *cpu;
    uint32_t cores;
    uint64_t memory_bytes;
    struct fm_rankset ranks;
#define X(member, ...) uint64_t member;
    FM_HOST_FIGURES(X) /* model/host_figures.h */
#undef X
};

/* A host about which only its name is known. */
struct fm_host fm_host_of(const char *name);

/* A program of the job; there are several if they were started together (mpirun ./atm : ./ocean). Sorted by executable
 * and build id. */
struct fm_program {
    const char *exe, *build_id;
    struct fm_rankset ranks;
};

/* A counter: of one rank, or over all ranks (FM_NO_RANK). Sorted by name and rank. Counts of events that shared a counter
 * of the processor with others are scaled: they were counted only for running_ns of enabled_ns. */
struct fm_counter {
    const char *name;
    uint32_t rank;
    uint32_t position;      /* in the list that was asked for, from 1 */
    uint32_t software;      /* 1: counted by the kernel, not by the processor */
    uint32_t unsplit;       /* 1: events in MPI were not counted separately */
    uint64_t count, in_mpi; /* of a rank */
    uint64_t enabled_ns, running_ns;
    /* over all ranks */
    struct fm_spread counts, in_mpis;
    struct fm_rankset ranks;
};

/* How a process ended. */
enum fm_end {
    FM_END_UNKNOWN = 0, /* still running when it was read */
    FM_END_FINALIZED,   /* reached MPI_Finalize (without MPI: exited normally) */
    FM_END_EXITED,      /* exited without MPI_Finalize; code = exit status, or -1 if unknown */
    FM_END_ABORTED,     /* MPI_Abort; code = its error code */
    FM_END_SIGNALLED,   /* killed, according to its wait status; code = the signal */
    FM_END_REPLACED,    /* exec */
    FM_END_VANISHED,    /* ended, and its exit was not observed */
    FM_END_MISSING,     /* no data for this rank */
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
    const char *inside; /* routine it was in when it ended abnormally, or "" */
};

/* A process about which nothing else is known. */
struct fm_process fm_process_of(uint32_t rank, enum fm_end end);

/* Whether what getrusage tells is known. It is not for a process that was killed, unless its parent observed its end; of
 * such a process only max_rss_bytes may be known, from a sample. Every process uses some memory and CPU time, so 0 means
 * unknown. */
static inline bool fm_process_has_usage(const struct fm_process *process)
{
    return process->max_rss_bytes > 0 && (process->user_ns || process->system_ns);
}

/* File I/O. A request is one call that reads or writes. */
struct fm_io {
    uint64_t opens, reads, writes, seeks, syncs;
    uint64_t read_bytes, written_bytes;
    uint64_t rewritten_bytes;            /* at positions where the same thread had already written */
    uint64_t read_ns, write_ns, meta_ns; /* meta: opening, closing, seeking */
};

/* A file by name, at most FM_FILES_OF_CLASS of each class. Sorted by class, mpi, path. */
struct fm_file {
    const char *class; /* model/file_class.h */
    uint32_t mpi;      /* 1: accessed with MPI-IO, 0: with other calls, outside MPI */
    const char *path;  /* absolute, possibly shortened in the middle */
    struct fm_io io;
    uint32_t stdio, fortran; /* 1: some rank has opened it with that interface */
    struct fm_rankset ranks;
};

/* The files of a class, at most FM_FILE_CLASSES and FM_OTHER_FILES. Sorted by name, mpi. */
struct fm_class_of_files {
    const char *name;
    uint32_t mpi;
    uint64_t files; /* sum over ranks: a file that several ranks use is counted for each */
    struct fm_io io;
    uint64_t read_sizes[FM_REQUEST_BINS], write_sizes[FM_REQUEST_BINS]; /* requests that transferred something */
    uint32_t stdio, fortran;
    struct fm_spread time_ns, bytes; /* per rank */
    struct fm_rankset ranks;
};

/* Which ones are kept depends only on their names, so that merging is associative. */
enum { FM_FILES_OF_CLASS = 32, FM_FILE_CLASSES = 512 };

uint64_t fm_io_ns(const struct fm_io *io); /* all of its time */

/* A note about the measurement: a code (note_codes.h) with parameters, from which note.h makes a sentence when it is
 * shown. Sorted by code, argument and text. */
struct fm_note {
    uint32_t code;
    const char *argument; /* its subject, or "" */
    uint64_t amount;      /* summed; 0 if it has none */
    struct fm_rankset ranks;
    const char *text; /* the sentence as stored in the file if this build has none for the code; else "" */
};

struct fm_name_value {
    const char *name, *value;
};

/* Snapshots. Sorted by collective (1 first), label, order, rank. */
struct fm_snapshot_routine {
    const char *name;
    uint64_t count, total_ns, bytes;
};
struct fm_snapshot {
    const char *label;
    uint32_t collective; /* 1: all ranks, merged; 0: of one process */
    uint32_t order;      /* 0, 1, ... among those of the same label in one process */
    uint32_t rank;       /* FM_NO_RANK for collective ones */
    uint32_t ranks;      /* number of processes in it */
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
    const char *runtime_version; /* of the Fathom that measured, such as "0.1.0"; "" if unknown */
    const char *merge_version;   /* of the Fathom that wrote the file; "" if not written yet or unknown */
    const char *commit;          /* that the program was built from (base/commit.h); "" if unknown */
    const char **argv;
    size_t n_argv;
    struct fm_name_value *env; /* sorted by name; without secrets */
    size_t n_env;
    uint32_t ranks; /* size of MPI_COMM_WORLD */
    uint32_t thread_level;
    struct fm_grid cart;      /* Cartesian, over all ranks */
    uint64_t started_real_ns; /* earliest */
    uint64_t ended_real_ns;   /* latest */
};

/* Number of items in a file or segment of a newer Fathom that this version does not know. Merging keeps the maximum. */
struct fm_left_out {
    uint32_t sections, columns, values;
};

/* For a profile of the ranks of one program (analyse/programs/part.h): the program, and how much cannot be attributed
 * to a program because the profile of the job has only a sum over ranks of several. */
struct fm_part {
    const char *label; /* of the program (analyse/programs/program.h) */
    struct fm_rankset ranks;
    uint32_t job_ranks;                /* number of ranks of the whole job */
    uint64_t calls, calls_ns;          /* MPI calls by call site, size, region and communicator */
    uint64_t sampled_ns;               /* call paths that are only in libraries, without threads_ns */
    uint64_t threads_ns;               /* the same, of threads of MPI */
    size_t timers, regions, snapshots; /* number of those shared by ranks of several programs */
    size_t routines;                   /* the same, if neither call sites nor calls per rank tell them apart */
};

struct fm_profile {
    struct fm_arena arena;
    struct fm_left_out left_out;
    uint32_t owner;             /* owner (uid) of the file it was read from; 0: root, or not read from a file */
    const struct fm_part *part; /* NULL: the whole job */
    struct fm_job job;
    struct fm_host *hosts;
    size_t n_hosts, hosts_capacity;
    struct fm_process *processes;
    size_t n_processes, processes_capacity;
    struct fm_program *programs; /* none in profiles of 0.1.0 */
    size_t n_programs, programs_capacity;
    struct fm_counter *counters;
    size_t n_counters, counters_capacity;
    struct fm_routine_total *routines;
    size_t n_routines, routines_capacity;
    struct fm_event *events;
    size_t n_events, events_capacity;
    struct fm_succession *successions;
    size_t n_successions, successions_capacity;
    struct fm_file *files;
    size_t n_files, files_capacity;
    struct fm_class_of_files *file_classes;
    size_t n_file_classes, file_classes_capacity;
    struct fm_region *regions;
    size_t n_regions, regions_capacity;
    struct fm_span *spans;
    size_t n_spans, spans_capacity;
    struct fm_edges sent, received;
    struct fm_timer *timers;
    size_t n_timers, timers_capacity;
    struct fm_call_paths paths;
    struct fm_snapshot *snapshots;
    size_t n_snapshots, snapshots_capacity;
    struct fm_note *notes;
    size_t n_notes, notes_capacity;
};

/* An empty profile (the identity of merging); NULL if out of memory. The struct itself is allocated from its arena. */
struct fm_profile *fm_profile_create(void);
/* The same, but reusing the memory of destroyed profiles; `spare` must outlive it (see fm_arena). */
struct fm_profile *fm_profile_create_from(struct fm_arena *spare);
void fm_profile_destroy(struct fm_profile *profile); /* may be NULL */

/* Whether every rank of the job is present and ended with MPI_Finalize (without MPI: exited normally). */
bool fm_profile_complete(const struct fm_profile *profile);
/* Wall time of the job in ns, from the earliest start to the latest end. */
uint64_t fm_profile_wall_ns(const struct fm_profile *profile);

/* "reached MPI_Finalize", "killed by signal 9 (SIGKILL)", "exited with status 3 without MPI_Finalize", "vanished",
 * ... */
const char *fm_end_text(enum fm_end end, int code, char *buffer, size_t size);

#endif
