/* SPDX-License-Identifier: BSD-3-Clause */
/* The segment: everything one process measures, in one shared mapping of fixed size.
 *
 * Written only by the process itself, readable at any time by any process with the same uid; position-independent
 * (offsets from the start, no pointers). A reader treats it as hostile: every offset, count and string is checked
 * first.
 *
 *   0            struct fm_segment_header, with a directory of sections:
 *   [text]       process description: NUL-terminated strings, append only
 *   [modules]    struct fm_segment_module[], load modules of call sites
 *   [regions]    struct fm_segment_region[]
 *   [threads]    struct fm_segment_thread[], one per thread slot
 *   [index]      uint32_t[], open addressing: entry number + 1, 0 is free
 *   [entries]    struct fm_entry[], append only, one writer (a thread slot) each
 *   [requests]   struct fm_request[], pending receives and persistent requests
 *   [snapshots]  struct fm_segment_snapshot[]
 *   [timers]     struct fm_segment_timer[], names of timers
 *   [timings]    struct fm_segment_timing[], one thread's data for one timer
 *   [timer bins] struct fm_segment_bins[], one power of ten of a histogram
 *   [paths]      struct fm_segment_path[], the calling context tree
 *   [path index] uint32_t[], open addressing: path + 1 by parent and address, 0 is free
 *   [sequence]   struct fm_segment_sequence, one: what the process did over time
 *   [routines]   names of the routines added after the first FM_ROUTINES_FIXED, in the order of their numbers: for each
 *                its class as a letter ('a' + enum fm_class) and its name, NUL-terminated
 *   [successions] struct fm_segment_succession[], pairs of successive reductions; the first is empty
 *   [files]      struct fm_segment_file[], files that the program reads and writes
 *   [counters]   struct fm_segment_counters[], the counters of a thread
 *   [arena]      unused; space for the sections of later kinds of data
 *
 * Publication: the key of a slot is written before the index refers to it (release), and `n_*` counts are incremented
 * after the slot is complete.
 *
 * Every build reads the segments of every other build of the same version: it uses the part of the header and of items
 * that both have, sets the rest of its own to 0, and skips unknown sections (format/segment_header.h). Therefore fields
 * are only ever appended, to the header and to items; a field that is no longer used keeps its place; an array keeps
 * its length; a section keeps its slot; enum values keep their meaning. Fields written by other processes (leave,
 * ended_mono_ns, the resource usage, seen_end, seen_code, seen_available_bytes, runqueue_end, job_key) have the same offset in all versions. Only a change
 * that a reader would misinterpret increments the version. */
#ifndef FM_FORMAT_SEGMENT_H
#define FM_FORMAT_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bins.h"
#include "base/decimal.h"
#include "base/host.h"
#include "base/request_bins.h"
#include "base/settings.h"
#include "model/grid.h"
#include "model/misuse.h"
#include "model/sequence.h"

#define FM_SEGMENT_MAGIC "FATHOMSG"
enum {
    FM_SEGMENT_VERSION = 2,
    FM_SEGMENT_DEFAULT_BYTES = 4 << 20,
    FM_SEGMENT_MIN_BYTES = FM_SETTING_MIN_MEMORY,
    FM_SEGMENT_MAX_BYTES = FM_SETTING_MAX_MEMORY,
};

enum fm_segment_section_id {
    FM_SECTION_TEXT,
    FM_SECTION_MODULES,
    FM_SECTION_REGIONS,
    FM_SECTION_THREADS,
    FM_SECTION_INDEX,
    FM_SECTION_ENTRIES,
    FM_SECTION_REQUESTS,
    FM_SECTION_SNAPSHOTS,
    FM_SECTION_TIMERS,
    FM_SECTION_TIMINGS,
    FM_SECTION_TIMER_BINS,
    FM_SECTION_PATHS,
    FM_SECTION_PATH_INDEX,
    FM_SECTION_SEQUENCE, /* copied after the paths: see `changes` */
    FM_SECTION_ROUTINES,
    FM_SECTION_SUCCESSIONS,
    FM_SECTION_FILES,
    FM_SECTION_COUNTERS,
    FM_SECTION_COUNT,
    FM_SECTION_SLOTS = 64 /* in every header, used or not: space for the sections of newer builds */
};

struct fm_segment_section {
    uint64_t offset;   /* from the start of the segment; a multiple of 64 */
    uint32_t capacity; /* items (bytes for text) */
    uint32_t item_bytes;
};

enum fm_segment_state {
    FM_STATE_NEW = 0, /* being initialized */
    FM_STATE_RUNNING = 1,
    FM_STATE_FINALIZING = 2, /* entered MPI_Finalize (without MPI: left main) */
    FM_STATE_MERGED = 3,     /* its data is in a durable profile: may be removed */
};

/* How the process ended, as far as it could record that itself. */
enum fm_segment_leave {
    FM_LEAVE_UNKNOWN = 0,
    FM_LEAVE_FINALIZE = 1, /* MPI_Finalize */
    FM_LEAVE_EXIT = 2,     /* exit() or return from main; leave_code = exit status, or -1 if unknown */
    FM_LEAVE_ABORT = 3,    /* MPI_Abort; leave_code = its error code */
    FM_LEAVE_EXEC = 4,     /* replaced itself with another program */
};

struct fm_segment_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t routines_fingerprint; /* of version 1: identifies the list of routines */
    int32_t clock_ppb; /* durations are too short by this (fm_clock_error_ppb); set at rare events and the end */
    uint64_t segment_bytes;
    struct fm_segment_section unused_sections[16]; /* of version 1 */

    /* identity */
    char boot_id[40]; /* /proc/sys/kernel/random/boot_id */
    char host[72];
    char job_key[72];       /* the same for all processes of one MPI_COMM_WORLD (or of one non-MPI program) */
    char run_id[40];        /* set by `fathom run`, else "" */
    uint64_t pid_namespace; /* inode of /proc/self/ns/pid */
    uint64_t start_time;    /* /proc/self/stat field 22, clock ticks since boot */
    int32_t pid;
    uint32_t uid;
    int32_t rank;       /* -1 before MPI_Init; 0 without MPI */
    int32_t world_size; /* 0 before MPI_Init; 1 without MPI */
    int32_t local_size; /* processes of the job on this host, 0 if unknown */
    uint32_t state;     /* enum fm_segment_state */
    uint32_t leave;     /* enum fm_segment_leave */
    int32_t leave_code;
    uint32_t seen_end; /* enum fm_end, written by a parent that waited for the process; 0 = not observed */
    int32_t seen_code;
    uint32_t flags;        /* FM_FLAG_* */
    uint32_t mpi_kind;     /* enum fm_mpi_kind of mpi/libraries.h */
    uint32_t thread_level; /* provided level, 0..3 */
    uint32_t language;     /* enum fm_language */

    /* time */
    uint64_t clock_mult; /* ns = (ticks * mult) >> shift */
    uint32_t clock_shift;
    uint32_t core;            /* core at MPI_Init */
    uint64_t started_real_ns; /* CLOCK_REALTIME at the start of measurement */
    uint64_t started_mono_ns; /* CLOCK_MONOTONIC at the same time */
    uint64_t started_ticks;   /* hot path clock at the same time, to date a call in progress; 0 = unknown */
    uint64_t ended_mono_ns;   /* at MPI_Finalize or exit, 0 while running */
    uint64_t user_ns, system_ns, max_rss_bytes; /* getrusage, updated at snapshots and at the end */
    uint64_t init_ns;                           /* time Fathom itself took to start */
    uint64_t finish_ns;                         /* time Fathom itself took in MPI_Finalize before the merge */
    uint64_t event_cost_ps;                     /* measured cost of recording one event in picoseconds */

    /* host */
    uint64_t host_memory_bytes;
    uint32_t host_cores;

    struct fm_grid cart; /* created by the program over all ranks */

    /* number of items in use in each section (text: bytes) */
    uint32_t n_text, n_modules, n_regions, n_threads, n_entries, n_snapshots, n_timers, n_timings, n_timer_bins;
    uint32_t unused_count;

    /* counts of lost detail; totals are never lost */
    uint64_t degraded_peer, degraded_site, degraded_size; /* events recorded with less detail */
    uint64_t untracked_receives;                          /* nonblocking receives recorded without length */
    uint64_t unmatched_region_ends, refused_regions, refused_snapshots;
    uint64_t abandoned_calls;          /* left by longjmp */
    uint64_t refused_timers;           /* starts and stops of timers without space for them */
    uint64_t cut_timer_names;          /* names that were too long */
    uint64_t no_timers, no_timer_site; /* starts and stops with an invalid handle, and the site of the last one */
    uint64_t timer_cost_ps;            /* measured cost of one start and stop in picoseconds */
    uint64_t timer_inside_ps;          /* the part of it between the two clock reads */

    /* call path samples */
    uint64_t sample_period_ns; /* 0 = not sampled */
    uint64_t samples, samples_partial;
    uint64_t samples_lost;      /* sampling periods without a path */
    uint64_t folded_periods;    /* moved to a shorter path for lack of space */
    uint32_t n_paths;           /* slots used so far, from 0; some of them may be free */
    uint32_t unsampled_threads; /* without a timer, or without space */

    /* what the main thread did over time */
    uint64_t sequence_first; /* number of the first cell (model/sequence.h); 0 = none yet */
    uint32_t sequence_shift;
    uint32_t sequence_changes; /* changes so far of the slots of call paths and of the grid of cells */

    /* offsets into the text section, 0 = none. argv and env are lists of NUL-terminated strings ended by an empty
     * one. */
    uint32_t text_exe, text_argv, text_env, text_build_id, text_mpi_version, text_mpi_library, text_cpu_model,
        text_launcher, text_job_id, text_user, text_cwd, text_output, text_tool;

    /* Version 1 ends here. */
    uint32_t text_runtime_version;                        /* of the Fathom that measured, such as "0.1.0" */
    struct fm_segment_section sections[FM_SECTION_SLOTS]; /* by enum fm_segment_section_id */

    uint64_t voluntary_switches, involuntary_switches, minor_faults, major_faults; /* getrusage, like user_ns */

    uint64_t lost_successions; /* successive reductions without space for their pair of call sites */

    /* time without a CPU: fm_process_runqueue + 1 at the start and at the end of measurement; 0: unknown. The end also by
     * a parent that waited for the process. */
    uint64_t runqueue_start, runqueue_end;

    /* memory; 0: unknown */
    uint64_t init_rss_bytes,
        end_rss_bytes;             /* resident at the end of MPI_Init (without MPI: at the start), at the end */
    uint64_t available_bytes;      /* of the host, the least that the process has seen */
    uint64_t seen_available_bytes; /* the same, seen and written by `fathom run` */
    struct fm_memory_limit memory_limit;

    /* network of the host at the start and the end; all 0: unknown */
    struct fm_network network_start, network_end;
    uint32_t numa_nodes;
    uint32_t unused_resources;
    uint64_t combined_files;       /* files that are recorded only as a part of their class, for lack of space */
    uint32_t n_counters;           /* items of the section in use */
    uint32_t text_counters;        /* names of the counters: a list like argv; each begins with 'h' (hardware) or 's' */
    uint32_t counters_error;       /* error number if nothing could be counted; 0 = none, or counters are off */
    uint32_t uncounted_threads;    /* without counters */
    uint32_t text_unknown_counter; /* first counter that was asked for and is not known or not available */
    uint32_t unused_counters;

    /* where its main thread may run when measurement starts; 0: unknown */
    uint32_t allowed_cpus;
    uint32_t first_cpu; /* the first of them + 1 */
    uint32_t numa_node; /* where it runs then, + 1 */

    uint32_t peak_flops_per_cycle; /* of a core, estimated (base/peak.h); 0: unknown */

    uint32_t text_commit; /* of the program (base/commit.h) */
    uint32_t unused_commit;
};

#define FM_FLAG_FALLBACK_DIR 0x1u  /* in TMPDIR: the default directory could not be created or was full */
#define FM_FLAG_ANONYMOUS 0x2u     /* no file: only the process itself can merge it */
#define FM_FLAG_SMALLER 0x4u       /* smaller than requested, for lack of space */
#define FM_FLAG_OTHER_TOOL 0x8u    /* another PMPI tool was active: text_tool names its module */
#define FM_FLAG_NO_MPI 0x10u       /* a program without MPI */
#define FM_FLAG_SINGLE_NODE 0x20u  /* all ranks of the job are on this host */
#define FM_FLAG_SPAWNED 0x40u      /* started by MPI_Comm_spawn */
#define FM_FLAG_COARSE_CLOCK 0x80u /* clock_gettime instead of the CPU counter */
#define FM_FLAG_APART 0x100u       /* several ranks according to the launcher, only one according to MPI */
#define FM_FLAG_TRACED 0x200u      /* not sampled: a debugger would stop at every sample */
#define FM_FLAG_OTHER_DIR 0x400u   /* in another directory: the default one was not private to the user */
#define FM_FLAG_FILTERED 0x800u    /* the program installed a seccomp filter: no samples or resource usage after that */
#define FM_FLAG_IO_URING 0x1000u   /* sampling off or stopped: samples would interrupt waits for io_uring */
#define FM_FLAG_UNFILTERED 0x2000u /* the program tried to install a seccomp filter: no samples after that */
#define FM_FLAG_UNSEEN_MPI 0x4000u /* MPI was loaded, but no call of it was seen */

enum fm_language { FM_LANGUAGE_UNKNOWN, FM_LANGUAGE_C, FM_LANGUAGE_CXX, FM_LANGUAGE_FORTRAN, FM_LANGUAGE_PYTHON };

struct fm_segment_module {
    uint64_t start, end; /* mapped addresses, end exclusive */
    uint64_t bias;       /* virtual address in the file = address - bias */
    uint32_t text_path, text_build_id;
};

/* When something began for the first time, and the time in MPI until then. */
struct fm_segment_first {
    uint64_t since_ns; /* since the start; 0 = not yet */
    uint64_t mpi_ns;
};

struct fm_segment_region {
    char name[56];
    uint32_t parent; /* region number; region 0 is the whole program and is its own parent */
    uint32_t unused;
    uint64_t entries;
    uint64_t wall_ns; /* of entries that have ended */
    struct fm_segment_first first;
};

/* One thread slot. It is reused by a new thread after its owner has ended. */
struct fm_segment_thread {
    uint64_t tid;
    uint64_t unused;
    uint64_t call_start;   /* of the call in progress: clock ticks */
    uint64_t call_site;    /* its return address */
    uint32_t call_routine; /* its routine + 1; 0 = not in MPI */
    uint32_t region;       /* current region */
    uint32_t region_depth;
    uint32_t paused;
    struct {
        uint32_t region;
        uint32_t unused;
        uint64_t since_ns; /* CLOCK_MONOTONIC */
    } region_stack[29];
};

/* Key of a performance event. */
struct fm_key {
    uint32_t peer;        /* world rank of the peer; for collectives size of the communicator; FM_PEER_NONE */
    uint16_t routine;     /* enum fm_routine */
    uint8_t size_bin;     /* fm_size_bin */
    uint8_t thread;       /* slot */
    uint64_t site_region; /* return address << 16 | region number; address 0: not recorded */
};
#define FM_PEER_NONE 0xffffffffu
#define FM_PEER_OTHER 0xfffffffeu /* peer not recorded: several peers in one entry */

/* The shortest, longest and second longest of some events, each with its number among them, counted from 1. */
struct fm_segment_extremes {
    uint64_t min_ns, max_ns, second_ns;
    uint64_t min_event, max_event, second_event;
};

struct fm_entry {
    struct fm_key key;
    uint64_t count;
    uint64_t count_arguments; /* sum of the count arguments */
    uint64_t total_ns;
    struct fm_segment_extremes extremes;
    uint64_t bytes;                      /* payload of the routine (doc/BYTES.md), on which size_bin is based */
    uint64_t bytes_sent, bytes_received; /* sent and received by this process */
    uint64_t messages;                   /* messages sent or received by these events */
    uint64_t unused;
    uint32_t histogram[FM_DURATION_BINS];      /* low 32 bits */
    uint16_t histogram_high[FM_DURATION_BINS]; /* carry from the low part */
};

/* A receive whose length is not known yet, or a persistent request. Slots are grouped in buckets of FM_REQUEST_BUCKET
 * by the hash of the handle; handle 0 = free. A pending nonblocking receive is recorded as an event when it completes;
 * a reader counts those still pending. The first slot of a bucket is for a handle with that hash; the others are for
 * those that found it occupied. */
enum { FM_REQUEST_BUCKET = 4 };
enum fm_request_kind {
    FM_REQUEST_RECEIVE = 1,
    FM_REQUEST_PERSISTENT_RECEIVE = 2,
    FM_REQUEST_PERSISTENT_SEND = 3,
    FM_REQUEST_RECEIVE_HALF = 4, /* of an MPI_Isendrecv, recorded when it was called */
    FM_REQUEST_KIND = 0x3f,
    /* flags added to the kind */
    FM_REQUEST_FROM_ANY = 0x40,  /* the peer is not known yet */
    FM_REQUEST_DISPLACED = 0x80, /* not in the first slot of its bucket */
};
struct fm_request {
    uint64_t handle;
    uint64_t site_region;
    uint64_t duration_ns; /* of the call that posted it */
    uint64_t bytes;       /* persistent sends: bytes of each start */
    uint32_t peer;        /* world rank or FM_PEER_NONE */
    uint16_t routine;     /* routine that posted it */
    uint8_t kind;         /* enum fm_request_kind */
    uint8_t thread;
    uint32_t count_argument; /* saturating */
    uint32_t comm;           /* slot in the communicator cache, for wildcard sources */
    uint32_t claimed;        /* atomic: a thread is waiting for it */
    uint32_t memo;           /* for its process only: distance to the memo of the call that posted it */
    uint32_t unused[2];      /* the size is a power of two: faster to index */
};

/* A snapshot requested by the program: totals of the heaviest routines at that time. */
enum { FM_SNAPSHOT_ROUTINES = 60 };
struct fm_segment_snapshot {
    char label[56];
    uint64_t when_ns;    /* since the start */
    uint32_t collective; /* 1: taken by all processes together */
    uint32_t n_routines;
    uint64_t mpi_ns, other_ns; /* in all routines; in those not listed */
    struct {
        uint32_t routine, unused;
        uint64_t count, total_ns, bytes;
    } routines[FM_SNAPSHOT_ROUTINES];
};

/* Two call sites of the same reduction on the same communicator, whose calls followed each other in a thread with no
 * other MPI call between them. */
struct fm_segment_succession {
    uint64_t first, second; /* as in a key: return address << 16 | region number; second 0 = free */
    uint64_t count;
    uint64_t gap_ticks;  /* from the end of the first call to the start of the second, in total */
    uint64_t short_gaps; /* number of gaps below 2 us */
    uint16_t routine;
    uint8_t thread;
    uint8_t dependent; /* 1: the second call sent what the first had received */
    uint32_t unused[5];
};

/* ---- file I/O ---- */

struct fm_segment_io {
    uint64_t opens, reads, writes, seeks, syncs;
    uint64_t read_bytes, written_bytes;
    uint64_t rewritten_bytes; /* at positions where the thread had already written */
    uint64_t read_ticks, write_ticks;
    uint64_t meta_ticks;                                                /* opening, closing, seeking */
    uint64_t read_sizes[FM_REQUEST_BINS], write_sizes[FM_REQUEST_BINS]; /* requests that transferred something */
};

enum fm_segment_file_kind {
    FM_FILE_FREE,
    FM_FILE_NAMED,
    FM_FILE_CLASS, /* several files of a class (model/file_class.h) */
    FM_FILE_KIND = 0xf,
    FM_FILE_MPI = 0x10 /* flag: accessed with MPI-IO */
};
enum { FM_FILE_BY_STDIO = 1, FM_FILE_BY_FORTRAN = 2 }; /* interfaces that have opened it */

/* The first entry is for all files without an entry of their own. */
struct fm_segment_file {
    char name[248]; /* absolute path, possibly shortened in the middle; or name of the class */
    uint32_t kind;  /* enum fm_segment_file_kind */
    uint32_t interfaces;
    uint64_t files; /* number in this entry */
    uint64_t unused;
    struct fm_segment_io own;    /* by the thread that created the entry */
    struct fm_segment_io others; /* by all other threads */
};

/* ---- counters ---- */

/* One counter of a thread. Counts are not scaled: the event was counted only for running_ns of enabled_ns. */
struct fm_segment_count {
    uint64_t total;
    uint64_t mpi;   /* in MPI calls that have returned */
    uint64_t start; /* total at the start of the MPI call in progress */
    uint64_t enabled_ns, running_ns;
};

enum { FM_SEGMENT_COUNTERS = 8 };
/* The counters of one thread; reused by a new thread after it has ended, which adds to them. */
struct fm_segment_counters {
    uint64_t tid;
    uint32_t split;  /* only the first of its counters are split between the program and MPI */
    uint32_t inside; /* depth of MPI calls in progress */
    uint64_t unused[6];
    struct fm_segment_count counts[FM_SEGMENT_COUNTERS];
};

/* ---- timers ---- */

enum { FM_TIMER_MARKS = 8, FM_TIMER_SEVERAL = 0xffff };

struct fm_segment_timer {
    char name[120];
    uint32_t misuse[FM_TIMER_MISUSES]; /* atomic */
    uint32_t unused;
    uint64_t misuse_site[FM_TIMER_MISUSES]; /* return address of the last misuse; if never stopped, of the start */
    struct fm_segment_first first;
};

/* A timer in one thread. Time is divided into slices of 2^slice_shift ticks, from the start of measurement. At the end
 * of each slice the state so far is kept as a mark; if there is no space for another one, pairs of slices are
 * combined. */
struct fm_segment_timing {
    uint64_t started;    /* ticks; 0 = not running */
    uint64_t start_site; /* return address of the last start */
    uint64_t count, total_ns;
    /* An event of quiet_from to quiet_from + quiet_span ns that ends before mark_at changes only counts and bins: it is
     * neither the shortest nor one of the two longest, and shorter than a second. */
    uint64_t quiet_from, quiet_span, mark_at;
    uint64_t children_ns;
    struct fm_segment_extremes extremes;
    uint16_t bins[FM_DECADES]; /* block + 1 for each power of ten; 0 = none yet */
    uint16_t timer;
    uint16_t parent; /* timer + 1 it was started in, 0 = none, FM_TIMER_SEVERAL = different ones */
    uint8_t thread, slice_shift, n_marks, unused;
    uint64_t coarse[FM_DECADES]; /* events of that power of ten without a block */
    struct fm_segment_mark {
        uint64_t count, total_ns;
    } marks[FM_TIMER_MARKS];
    uint64_t mpi_ns;     /* of total_ns, in MPI calls of the thread */
    uint64_t mpi_before; /* in MPI calls of the thread before the last start */
    uint64_t unused_words[6];
};

/* Counts for 1 to 9 times a power of ten; in the first block, for 0 to 9 ticks. */
struct fm_segment_bins {
    uint32_t counts[10]; /* low 32 bits */
    uint16_t high[10];   /* carry from the low part */
    uint32_t unused;
};

/* ---- call paths ---- */

/* A node of the calling context tree (model/call_paths.h). Slot 0 is the root. Slots are reused, so the index of the
 * parent can be the larger one; a reader must not rely on the nodes being a tree. */
struct fm_segment_path {
    uint64_t address; /* return address or instruction; for a routine, its number */
    uint32_t parent;
    uint16_t kind;    /* enum fm_path_kind; 0 = free */
    uint16_t module;  /* if its load module was unloaded: number + 1, and `address` is an offset in its file; else 0 */
    uint64_t periods; /* sampling periods that ended here */
};

/* Cells refer to slots of call paths. A change that moves slots or cells is counted here when it begins and in the
 * header when it is complete: if a reader finds different numbers, it has read a partial change. */
struct fm_segment_sequence {
    uint32_t cells[FM_SEQUENCE_CELLS]; /* slot + 1; 0 = unknown */
    uint32_t changes;
    uint32_t unused;
};

/* One per job and host, next to the segments: counts the ranks that have entered MPI_Finalize. */
#define FM_JOB_MAGIC "FATHOMJB"
struct fm_job_file {
    char magic[8];
    uint32_t version;
    uint32_t local_size;
    uint32_t started; /* atomic */
    uint32_t entered; /* atomic: ranks that reached MPI_Finalize */
    uint32_t merged;  /* atomic: 1 once the profile is durable */
    uint32_t unused;
    char boot_id[40];
};

/* File names in the directory of segments (mode 0700):
 *
 *   <job_key>.<pid>.<start_time>.<pid_namespace>.segment     and     <job_key>.job
 *
 * (with another .<number> before .segment if the process was replaced by exec). job_key contains only [A-Za-z0-9_-]. */
#define FM_SEGMENT_SUFFIX ".segment"
#define FM_JOB_SUFFIX ".job"

_Static_assert(offsetof(struct fm_segment_header, text_runtime_version) == 980, "what version 1 has keeps its place");
_Static_assert(sizeof(struct fm_key) == 16, "the key is two words");
_Static_assert(sizeof(struct fm_entry) == 512, "an entry is eight cache lines");
_Static_assert(sizeof(struct fm_request) == 64, "a request is a cache line");
_Static_assert(sizeof(struct fm_segment_succession) == 64, "a succession is a cache line");
_Static_assert(sizeof(struct fm_segment_file) == 768, "a file is twelve cache lines");
_Static_assert(sizeof(struct fm_segment_thread) == 512, "a thread slot is eight cache lines");
_Static_assert(sizeof(struct fm_segment_counters) == 384, "the counters of a thread are six cache lines");
_Static_assert(sizeof(struct fm_segment_timing) == 512, "a timing is eight cache lines, so that threads share none");
_Static_assert(sizeof(struct fm_segment_bins) == 64, "a block of bins is a cache line");

#endif
