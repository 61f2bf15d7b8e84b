/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime: the library that is loaded into the user's program. Mutable state is one global, fm_rt, and fm_local for
 * each thread. All measurements are in the segment, per-thread scratch memory is in a fixed array, and nothing is
 * allocated after the start.
 *
 * Variables apart from these two, and why (enforced by tools/check_globals.py):
 *     fm_counting, fm_counted           counters/ is read by the same handler
 *     fm_sampling, fm_sampling_local    signal/ is read by a signal handler at any moment and uses only its own data
 *     fm_real, fm_interpose             interpose/ does not depend on its users, and works before any constructor runs
 *     fm_abi, fm_next_table, fm_comms   tables of types declared in the headers of mpi/ and in site.h, which read them
 *     fm_types, fm_bindings             in every call
 *     fm_call_table
 *     next_*                            generated with the wrappers of Fortran routines and used only there
 *
 * States: a process starts as IDLE and stays so unless it calls MPI, uses a timer, or is the program named on the
 * command line of `fathom run`. It becomes ON once it has a segment. OFF is permanent: disabled, in a forked child,
 * after the merge, or after a failure. Every entry point then only forwards its call. */
#ifndef FM_RUNTIME_RUNTIME_H
#define FM_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/platform.h"
#include "collect/node.h"
#include "format/segment.h"
#include "generated/routines.h"
#include "mpi/abi.h"
#include "mpi/rank_tree.h"
#include "runtime/interpose/own_syscalls.h"
#include "runtime/io/extents.h"
#include "runtime/lock.h"
#include "runtime/stack_bounds.h"

enum fm_runtime_state { FM_RT_IDLE, FM_RT_STARTING, FM_RT_ON, FM_RT_OFF };

enum {
    FM_THREAD_SLOTS = 255, /* fewer in a small segment; the last is shared, under a lock, by all further threads */
    FM_MEMO_SETS = 1024,   /* a power of two */
    FM_SITE_SLOTS = 1024,  /* a power of two */
    FM_FRAME_SLOTS = 256,  /* a power of two */
    FM_OUTER_CALLS = 8,
    FM_SCRATCH_REQUESTS = 512,
    FM_TIMERS = 1024,
    FM_GENERATION =
        1 << 16 /* from one generation to the next; less than that: memos are made again, and mean the same */
};

/* A thread's cached result for an ordinary call: the entry of its key, and the arguments from which the key was made.
 * Valid only in the generation in which it was created (mpi/memo.h). */
struct fm_memo {
    struct fm_key key;
    uint64_t generation;
    struct fm_entry *entry;
    fm_word comm, type;
    int32_t partner;     /* rank argument of the call; of a reduction: item of its last succession */
    uint32_t from, span; /* counts from `from` to `from + span` have this size bin; for a blocking receive, lengths */
    union {
        uint32_t item_bytes; /* of the datatype */
        int32_t source;      /* of a blocking receive: sender of the message, from the status */
    };
};
_Static_assert(sizeof(struct fm_memo) == 64, "a memo is a cache line");

/* Unwind rule for a return address in an MPI library: how to step over that frame of a language binding. */
enum fm_frame_kind { FM_FRAME_BINDING, FM_FRAME_INTERNAL, FM_FRAME_OPAQUE };
struct fm_frame_rule {
    uintptr_t pc;
    uint8_t kind;
    uint8_t cfa_from_fp; /* CFA = fp + cfa_offset, else sp + cfa_offset */
    uint8_t fp_saved;    /* the caller's fp is saved at CFA + fp_offset */
    uint8_t unused;
    int32_t cfa_offset, ra_offset, fp_offset;
};

/* A call during which a user's callback (an error handler, a reduction) is running. */
struct fm_outer_call {
    uintptr_t guard;
    uint64_t start, site;
    uint32_t routine; /* + 1 */
};

/* A part of the program's memory. */
struct fm_buffer {
    fm_word from;
    uint64_t bytes;
};

/* The last blocking reduction of a thread, with that routine (see mpi/succession.h). */
enum { FM_ALLREDUCE, FM_REDUCE, FM_REDUCTIONS };
struct fm_last_reduction {
    uint64_t start, end;        /* ticks */
    const struct fm_memo *memo; /* its call site and communicator; one without them if it cannot have a successor */
    /* of a call that did not take the fast path */
    struct fm_memo own;
    uint64_t own_start;
    struct fm_buffer received;
    int32_t root;
};

/* A tracked request among those of a call. */
struct fm_found_request {
    struct fm_request *request;
    int64_t index; /* in the program's array */
};

/* A thread's data of a timer, and the timer that was running when it was last started. */
struct fm_timer_slot {
    struct fm_segment_timing *timing, *outer;
};
struct fm_thread_timers {
    struct fm_segment_timing *innermost;       /* of the running timers */
    struct fm_timer_slot slots[FM_TIMERS + 1]; /* by handle; the first is unused */
};

struct fm_thread {
    struct fm_memo memos[FM_MEMO_SETS][2]; /* must be first: offset 0 is then a memo too */
    uintptr_t sites[FM_SITE_SLOTS];        /* return addresses outside MPI (see site.h) */
    struct fm_segment_thread *seg;         /* its slot in the segment; NULL in a forked child */
    struct fm_last_reduction reductions[FM_REDUCTIONS];
    uint64_t slot;
    bool shared;    /* by several threads: recording takes `lock`, and scratch memory is not used */
    uint32_t taken; /* atomic: 1 while a thread owns it */
    struct fm_mutex lock;
    uint32_t n_outer;
    struct fm_outer_call outer[FM_OUTER_CALLS];
    struct fm_frame_rule frames[FM_FRAME_SLOTS];
    struct fm_found_request found[FM_SCRATCH_REQUESTS]; /* scratch of a call that waits for many requests */
    struct fm_thread_timers timers;
    _Alignas(8) char statuses[FM_SCRATCH_REQUESTS][FM_STATUS_BYTES];
};

/* ---- parts of struct fm_runtime that belong to one file or folder ---- */

struct fm_start_state { /* start.c */
    bool prepared;
    bool configured;                     /* the environment has a setting that is read before measurement starts */
    bool in_run;                         /* below `fathom run` */
    struct fm_segment_thread dummy_slot; /* of a forked child that returns through a call of its parent */
};

struct fm_slots_state {    /* thread_slots.c */
    struct fm_thread *all; /* [FM_THREAD_SLOTS], zeroed by the kernel in a forked child */
    uint32_t *is_parent;   /* follows them: 1, and 0 in a forked child */
    pthread_key_t end_key;
    bool has_end_key;
};

struct fm_messages_state { /* messages.c */
    bool output_reported;  /* at the start of the job the output path was found unusable, and that was reported */
    struct {
        bool known;
        dev_t device;
        ino_t file;
    } initial_stderr; /* a program may close it and reuse its descriptor for a file */
};

enum { FM_SMALL_STACKS = 64, FM_TIMED_DESCRIPTORS = 1 << 16, FM_THREAD_STARTS = 256 };

/* Start routine and argument of a thread, from its creation until it begins. */
struct fm_thread_start {
    atomic_uint taken;
    atomic_uint begun; /* the number of threads that have begun with it */
    void *(*thread)(void *);
    thrd_start_t thrd;
    void *argument;
    size_t room; /* bytes of stack */
};

struct fm_sampler_state {    /* sampler.c, sampler_threads.c, libc/ */
    bool program_ends_calls; /* a handler of the program has no SA_RESTART (see libc/sampling_mask.h) */
    bool timed_beyond;       /* the same as `timed` for all descriptors beyond it */
    bool has_end_key;
    pthread_key_t end_key;
    clockid_t clock;
    struct fm_mutex lock;          /* protects the timers and the signal that they send */
    struct fm_mutex handlers_lock; /* protects the installed actions and fm_sampling.handlers */
    uint32_t n_places;             /* of fm_sampling.threads that were ever used: no others are read or touched */
    uint32_t n_processors;         /* available to the process */
    uint32_t n_adopted;            /* threads that existed before sampling began */
    struct fm_stack_bounds first_stack;
    atomic_ullong avoided;          /* bit set of the program's signals */
    atomic_ullong loaded, unloaded; /* the loader's counters when the modules were last listed */
    /* Threads that existed before sampling began and whose stack may be too small even for the first signal: a small
     * stack, or an alternate one, whose size only the thread itself can query. */
    int32_t small_stacks[FM_SMALL_STACKS];
    atomic_uint n_small_stacks;
    atomic_uint next_start;
    atomic_bool starts_late; /* a new thread got no CPU for long: its creator does not wait for the next ones */
    struct fm_thread_start starts[FM_THREAD_STARTS];
    /* Descriptors that ever had a timeout or a minimum length. Never cleared: a stale bit only costs time. */
    uint64_t timed[FM_TIMED_DESCRIPTORS / 64];
};

enum { FM_SITE_RANGES = 1024 };

struct fm_site_range {
    uintptr_t start, end;
    bool mpi, fortran_binding, fortran_library;
};

struct fm_site_state { /* site.c */
    struct fm_mutex ranges_lock, bindings_lock;
    uint32_t n_ranges;
    /* Modules seen so far, so that the loader is asked only once for each. An unloaded module has an empty range. */
    struct fm_site_range ranges[FM_SITE_RANGES];
};

struct fm_counting_state { /* counting.c */
    bool has_end_key;
    pthread_key_t end_key;
    atomic_ullong spent_ns; /* CPU time of opening and closing the events of threads */
};

struct fm_timers_state {               /* timer_room.c */
    struct fm_segment_timing no_outer; /* never a timer's parent: a slot with it always takes the slow path */
    struct fm_thread_timers no_room;   /* of threads without a slot of their own: always empty */
};

enum { FM_TRANSLATIONS = 1024, FM_REQUEST_HASHES = 1024, FM_LARGE_SCRATCH = 16384 };

struct fm_mpi_state { /* mpi/ */
    bool known;       /* the MPI library is known */
    bool init_missed; /* MPI_Init has returned in a process that is not measured */
    bool by_host;     /* several hosts without leaders (see reduction.c) */
    bool is_leader;
    bool child_added[FM_RANK_TREE_CHILDREN];
    struct fm_rank_tree leaders;
    fm_word world_group;
    struct fm_mutex handles_lock;
    uint64_t translations[FM_TRANSLATIONS]; /* one word each, so that no lock is needed (see handles.c) */
    struct fm_spin requests_lock;
    /* Number of displaced requests by hash of their handle, so that most other requests, sends above all, need no
     * search. */
    uint16_t displaced_hashed[FM_REQUEST_HASHES];
    struct {
        uintptr_t owner;
        struct fm_found_request found[FM_LARGE_SCRATCH];
        _Alignas(8) char statuses[FM_LARGE_SCRATCH][FM_STATUS_BYTES];
    } scratch;
};

/* A file descriptor of the program. */
struct fm_io_descriptor {
    uint32_t file;     /* atomic: FM_IO_UNKNOWN, FM_IO_NO_FILE, or the number of its entry + FM_IO_FIRST */
    bool unplaced;     /* it has no position of its own: appends, or is a copy */
    bool steady;       /* no signal interrupts reading and writing */
    uint64_t position; /* FM_IO_NO_POSITION: unknown */
};

/* What only this process knows about an entry for a file. */
struct fm_io_file {
    uintptr_t owner;           /* thread that writes its first counters: the address of its fm_local */
    uint32_t generation;       /* changes when the entry is reused */
    uint32_t open;             /* atomic: descriptors */
    uint64_t hash;             /* of its name */
    struct fm_extents written; /* by its owner */
};

/* A handle of MPI-IO. */
struct fm_mpi_file {
    fm_word handle; /* atomic; 0: free */
    uint32_t file, generation;
};

enum { FM_IO_PATH_BYTES = 4096, FM_MPI_FILES = 64, FM_IO_DEVICES = 8 };

struct fm_io_state {        /* io/ */
    uint32_t n_descriptors; /* 0: not measured */
    /* zeroed by the kernel in a forked child */
    struct fm_io_descriptor *descriptors;
    struct fm_io_file *files;
    struct fm_segment_file *entries; /* in the segment */
    uint32_t n_used;                 /* descriptors: all others are unknown */
    struct fm_mutex lock;            /* protects the names, the devices, and `path` */
    char path[FM_IO_PATH_BYTES];     /* scratch: the stack may be small */
    uint64_t devices[FM_IO_DEVICES]; /* whose file systems are not steady; 0: none */
    uint32_t n_devices;
    struct fm_mpi_file mpi_files[FM_MPI_FILES];
};

enum { FM_KNOWN_MODULES = 1024 };

struct fm_snapshot_total {
    uint64_t count, ns, bytes;
};

struct fm_runtime {
    /* read on the hot path */
    struct fm_clock clock;
    uint64_t generation; /* atomic, not 0: memos with another one are invalid; see FM_GENERATION */
    struct fm_entry *entries;
    uint32_t *index;
    uint32_t fast_mask; /* index_mask, or 0 while paused: index position 0 is always empty */
    uint32_t index_mask, entries_capacity;
    struct fm_request *requests;
    uint32_t request_bucket_mask;
    /* Atomic. Number of tracked requests that are not in the first slot of their bucket, plus one with threads: if it
     * is not 0, no request is taken without a search. */
    uint32_t requests_displaced;
    bool slow_clock; /* reading the clock is not just reading the counter: it is coarse, or counters are read as well */
    bool split;      /* counters are read around MPI calls */
    bool careful;    /* paused or threaded */
    bool paused;     /* MPI_Pcontrol(0) */
    bool threaded;   /* MPI_THREAD_MULTIPLE, or more threads than slots: shared tables need their lock */

    struct fm_segment_bins *timer_bins;
    struct fm_segment_succession *successions;
    uint64_t short_gap_ticks;

    struct fm_segment_header *segment;
    atomic_int state;
    pid_t pid;
    bool named;   /* measured even without MPI */
    bool stopped; /* system calls were forbidden before it was measured: OFF for that alone */
    char directory[FM_FILE_PATH_BYTES], path[FM_FILE_PATH_BYTES];
    struct fm_job_file *job;    /* shared by the processes of the job on this host, or NULL */
    uint32_t index_used;        /* occupied positions of the index */
    bool folded_all[2];         /* nothing left to fold: regions, details (see table.c) */
    struct fm_mutex table_lock; /* inserting entries, modules, regions: rare */
    bool seen_fortran;          /* a call came through a Fortran binding */

    struct fm_clock saved_clock; /* before system calls were forbidden */
    uint64_t clock_stopped_ns;   /* when the clock became unreadable; 0: it is running */

    /* state of single files or folders */
    struct fm_start_state start;
    struct fm_slots_state slots;
    struct fm_messages_state say;
    struct fm_sampler_state sampler;
    struct fm_site_state site;
    struct fm_counting_state counting;
    struct fm_timers_state timers;
    struct fm_mpi_state mpi;
    struct fm_io_state io;
    struct fm_atomic_file segment_file;                         /* open until it has its final name */
    uint64_t unloaded_modules[FM_KNOWN_MODULES / 64];           /* bit set (see load_modules.c) */
    struct fm_snapshot_total snapshot_totals[FM_ROUTINE_COUNT]; /* scratch of fm_snapshot */
};

extern FM_HIDDEN struct fm_runtime fm_rt;
/* State of the calling thread. */
struct fm_local {
    struct fm_thread *self;          /* its slot, after its first MPI call */
    uintptr_t guard;                 /* stack address of the outermost call being recorded, 0 outside of calls */
    struct fm_thread_timers *timers; /* after its first use of a timer */
    uint64_t mpi_ns;            /* in its calls that have returned; those of a callback are part of the outer one */
    struct fm_thread *attached; /* its slot, also if it has only used a region, when MPI may not be known yet */
    uintptr_t io;               /* stack address of the call in progress on a file, 0 outside of such calls (io/io.h) */
};
extern FM_HIDDEN __thread struct fm_local fm_local __attribute__((tls_model("initial-exec")));

/* CLOCK_MONOTONIC. Once system calls are forbidden, if reading it takes one: the time at which they were. */
uint64_t fm_runtime_ns(void);
/* The calling thread may not even read the clock any more: its calls are only forwarded. */
void fm_thread_detach(void);
/* Pauses or resumes recording. While paused, only receives posted before are recorded. */
void fm_runtime_pause(bool pause);
/* Invalidates all memos: a handle was freed, or an entry has a new key, so earlier results may no longer be right. */
static inline void fm_forget_memos(void)
{
    __atomic_fetch_add(&fm_rt.generation, FM_GENERATION, __ATOMIC_RELEASE);
}
/* The generation for results obtained from here on. */
static inline uint64_t fm_generation(void)
{
    return __atomic_load_n(&fm_rt.generation, __ATOMIC_ACQUIRE);
}
/* From now on several threads may be in MPI at the same time. */
void fm_runtime_threaded(void);
/* Turns measurement off for the rest of this process: after the merge, or on failure. */
void fm_runtime_off(void);

static inline void *fm_section(const struct fm_segment_header *segment, enum fm_segment_section_id id)
{
    return (char *)segment + segment->sections[id].offset;
}

/* Brackets our own work inside a call of the program: preserves its errno and defers thread cancellation. */
struct fm_caller_state {
    int error, cancel;
};
struct fm_caller_state fm_caller_state_save(void);
void fm_caller_state_restore(struct fm_caller_state saved);

/* Appends to the text section. Returns 0 if it is full or the text is empty. */
uint32_t fm_text_add(const char *text, size_t length);
static inline const char *fm_text_at(uint32_t offset)
{
    return offset ? (const char *)fm_section(fm_rt.segment, FM_SECTION_TEXT) + offset : "";
}

#endif
