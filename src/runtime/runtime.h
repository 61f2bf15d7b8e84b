/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime: what is loaded into the user's program. One mutable global, fm_rt, and for each thread fm_local; everything
 * measured lies in the segment; per-thread scratch lies in a fixed array. Nothing is allocated after the start.
 *
 * What has its own variable, and why (tools/check_globals.py holds it to this list):
 *     fm_sampling, fm_sampling_local    signal/ is read by a handler at any moment, and uses nothing that is not there
 *     fm_real, fm_interpose             interpose/ knows nothing of its users, and works before any constructor has run
 *     fm_abi, fm_next_table, fm_comms   tables that the headers of mpi/ and site.h read in every call, of types that are
 *     fm_types, fm_bindings             declared there
 *     next_*                            generated with the wrappers of Fortran's routines, which alone know of them
 *
 * States: a process begins IDLE and stays so unless it calls MPI or is the program named after `fathom run`.
 * It becomes ON once it has a segment. OFF is for good: disabled, a forked child, after the merge, or a failure;
 * every entry point then only passes its call on. */
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
#include "runtime/lock.h"
#include "runtime/stack_bounds.h"

enum fm_runtime_state { FM_RT_IDLE, FM_RT_STARTING, FM_RT_ON, FM_RT_OFF };

enum {
    FM_THREAD_SLOTS = 255, /* fewer in a small segment; the last one is shared, under a lock, by threads beyond */
    FM_MEMO_SETS = 1024,   /* a power of two */
    FM_SITE_SLOTS = 1024,  /* a power of two */
    FM_FRAME_SLOTS = 256,  /* a power of two */
    FM_OUTER_CALLS = 8,
    FM_SCRATCH_REQUESTS = 512,
    FM_TIMERS = 1024
};

/* What a thread remembers of an ordinary call: the entry of its key, and the arguments that the key was made of. It
 * holds in the generation that it was made in (mpi/memo.h). */
struct fm_memo {
    struct fm_key key;
    uint64_t generation;
    struct fm_entry *entry;
    fm_word comm, type;
    int32_t partner;     /* the rank that the program gave */
    uint32_t from, span; /* the counts from `from` to `from + span` give this size; of a blocking receive, lengths */
    union {
        uint32_t item_bytes; /* of the datatype */
        int32_t source;      /* of a blocking receive: where the message came from, as the status tells */
    };
};
_Static_assert(sizeof(struct fm_memo) == 64, "a memo is a cache line");

/* What is known of a return address in an MPI library: how to step over that frame of a language binding. */
enum fm_frame_kind { FM_FRAME_BINDING, FM_FRAME_INTERNAL, FM_FRAME_OPAQUE };
struct fm_frame_rule {
    uintptr_t pc;
    uint8_t kind;
    uint8_t cfa_from_fp; /* CFA = fp + cfa_offset, else sp + cfa_offset */
    uint8_t fp_saved;    /* the caller's fp lies at CFA + fp_offset */
    uint8_t unused;
    int32_t cfa_offset, ra_offset, fp_offset;
};

/* A call that a user's callback (an error handler, a reduction) was called from. */
struct fm_outer_call {
    uintptr_t guard;
    uint64_t start, site;
    uint32_t routine; /* + 1 */
};

/* A followed request among those of a call. */
struct fm_found_request {
    struct fm_request *request;
    int64_t index; /* in the program's list */
};

/* What a thread has of a timer, and the one that was running when it was started last. */
struct fm_timer_slot {
    struct fm_segment_timing *timing, *outer;
};
struct fm_thread_timers {
    struct fm_segment_timing *innermost;       /* of those that are running */
    struct fm_timer_slot slots[FM_TIMERS + 1]; /* by handle; the first stays empty */
};

struct fm_thread {
    struct fm_memo memos[FM_MEMO_SETS][2]; /* first: a distance of 0 is one of them */
    uintptr_t sites[FM_SITE_SLOTS];        /* return addresses outside MPI: see site.h */
    struct fm_segment_thread *seg;         /* its slot in the segment; NULL in a forked child */
    uint64_t slot;
    bool shared;    /* by several threads: records are made under `lock`, scratch is not used */
    uint32_t taken; /* atomic: 1 while a thread owns it */
    struct fm_mutex lock;
    uint32_t n_outer;
    struct fm_outer_call outer[FM_OUTER_CALLS];
    struct fm_frame_rule frames[FM_FRAME_SLOTS];
    struct fm_found_request found[FM_SCRATCH_REQUESTS]; /* of a call that waits for many */
    struct fm_thread_timers timers;
    _Alignas(8) char statuses[FM_SCRATCH_REQUESTS][FM_STATUS_BYTES];
};

/* ---- the parts of struct fm_runtime that are not everybody's ---- */

struct fm_start_state { /* start.c */
    bool prepared;
    bool told;                        /* the environment says something that matters */
    struct fm_segment_thread nowhere; /* what a child writes into that returns through a call of its parent */
};

struct fm_slots_state {    /* thread_slots.c */
    struct fm_thread *all; /* [FM_THREAD_SLOTS], empty again in a forked child */
    uint32_t *is_parent;   /* behind them: 1, and 0 in a forked child */
    pthread_key_t end_key;
    bool has_end_key;
};

struct fm_messages_state { /* say.c */
    bool output_is_told;   /* it was found to be impossible, and that was said, when the job began */
    struct {
        bool known;
        dev_t device;
        ino_t file;
    } at_first; /* what stderr was: a program may close it, and open a file of its own in its place */
};

enum { FM_CRAMPED_THREADS = 64, FM_TIMED_DESCRIPTORS = 1 << 16, FM_THREAD_STARTS = 256 };

/* What a thread is to run, from its creation until it begins. */
struct fm_thread_start {
    atomic_uint taken;
    void *(*thread)(void *);
    thrd_start_t thrd;
    void *argument;
    size_t room; /* on its stack */
};

struct fm_sampler_state {    /* sampler.c, sampler_threads.c, libc/ */
    bool program_ends_calls; /* a handler has no SA_RESTART: see libc/sampling_mask.h */
    bool timed_beyond;       /* one of the descriptors for which there is no bit */
    bool has_end_key;
    pthread_key_t end_key;
    clockid_t clock;
    struct fm_mutex lock;          /* timers, and the signal that they send */
    struct fm_mutex handlers_lock; /* what the kernel has, and fm_sampling.handlers */
    uint32_t n_places;     /* of fm_sampling.threads that were ever taken: no others are looked at, nor touched */
    uint32_t n_processors; /* that the process may use */
    struct fm_stack_bounds first_stack;
    atomic_ullong avoided;          /* signals of the program */
    atomic_ullong loaded, unloaded; /* modules, when they were looked at last */
    /* Threads from before sampling began on whose stack even a first signal may be too much: one that is small, or an
     * alternate one, of which only they can tell how large it is. */
    int32_t cramped[FM_CRAMPED_THREADS];
    atomic_uint n_cramped;
    atomic_uint next_start;
    struct fm_thread_start starts[FM_THREAD_STARTS];
    /* Descriptors of sockets that had a limit of time once. Nothing is taken out again: a bit too many costs time only. */
    uint64_t timed[FM_TIMED_DESCRIPTORS / 64];
};

enum { FM_SITE_RANGES = 1024 };

struct fm_site_range {
    uintptr_t start, end;
    bool mpi, fortran_binding;
};

struct fm_site_state { /* site.c */
    struct fm_mutex ranges_lock, bindings_lock;
    uint32_t n_ranges;
    /* Modules seen so far, so that the loader is asked once for each; of one that was unloaded the range is empty. */
    struct fm_site_range ranges[FM_SITE_RANGES];
};

struct fm_timers_state {               /* timer_room.c */
    struct fm_segment_timing no_outer; /* what no timer is ever started in: a slot with it is looked at the long way */
    struct fm_thread_timers no_room;   /* of threads that have no slot: always empty */
};

enum { FM_TRANSLATIONS = 1024, FM_REQUEST_HASHES = 1024, FM_LARGE_SCRATCH = 16384 };

struct fm_mpi_state { /* mpi/ */
    bool known;       /* the library */
    bool init_missed; /* MPI_Init was seen when it was over */
    bool by_host;     /* several hosts without leaders: see reduction.c */
    bool is_leader;
    bool child_added[FM_RANK_TREE_CHILDREN];
    struct fm_rank_tree leaders;
    fm_word world_group;
    struct fm_mutex handles_lock;
    uint64_t translations[FM_TRANSLATIONS]; /* one word each, so that no lock is needed: see handles.c */
    struct fm_spin requests_lock;
    /* How many displaced requests have a handle of that hash: most others, sends above all, are not searched for. */
    uint16_t displaced_hashed[FM_REQUEST_HASHES];
    struct {
        uintptr_t owner;
        struct fm_found_request found[FM_LARGE_SCRATCH];
        _Alignas(8) char statuses[FM_LARGE_SCRATCH][FM_STATUS_BYTES];
    } scratch;
};

enum { FM_KNOWN_MODULES = 1024 };

struct fm_snapshot_total {
    uint64_t count, ns, bytes;
};

struct fm_runtime {
    /* read on the hot path */
    struct fm_clock clock;
    uint64_t generation; /* atomic, not 0: memos of earlier ones no longer hold */
    struct fm_entry *entries;
    uint32_t *index;
    uint32_t fast_mask; /* that of the index, or 0 while paused: its first place is always empty */
    uint32_t index_mask, entries_capacity;
    struct fm_request *requests;
    uint32_t request_bucket_mask;
    /* Atomic. How many of the requests followed are not in the first place of their bucket, and one more with threads:
     * then none is taken without a search. */
    uint32_t requests_displaced;
    bool careful;  /* either of the next two */
    bool paused;   /* MPI_Pcontrol(0) */
    bool threaded; /* MPI_THREAD_MULTIPLE, or more threads than slots: shared tables need their lock */

    struct fm_segment_bins *timer_bins;

    struct fm_segment_header *segment;
    atomic_int state;
    pid_t pid;
    bool named;   /* measured even without MPI */
    bool stopped; /* quiet before it was measured: the state is OFF for that alone */
    char directory[FM_FILE_PATH_BYTES], path[FM_FILE_PATH_BYTES];
    struct fm_job_file *job;    /* shared by the job's processes on this host, or NULL */
    uint32_t index_used;        /* places of the index that are taken */
    bool folded_all[2];         /* nothing is left to be folded: regions, details (see table.c) */
    struct fm_mutex table_lock; /* inserting entries, modules, regions: rare */
    bool seen_fortran;          /* a call came through a Fortran binding */

    struct fm_clock usual_clock; /* as it was before system calls were forbidden */
    uint64_t clock_stopped_ns;   /* when it could no longer be read; 0: it goes */

    /* what a file, or the few of a part, has for itself */
    struct fm_start_state start;
    struct fm_slots_state slots;
    struct fm_messages_state say;
    struct fm_sampler_state sampler;
    struct fm_site_state site;
    struct fm_timers_state timers;
    struct fm_mpi_state mpi;
    struct fm_atomic_file segment_file;                         /* until it has its name; its fd is open as long */
    uint64_t unloaded_modules[FM_KNOWN_MODULES / 64];           /* of the segment's list: see load_modules.c */
    struct fm_snapshot_total snapshot_totals[FM_ROUTINE_COUNT]; /* of a snapshot, while it is made */
};

extern FM_HIDDEN struct fm_runtime fm_rt;
/* Of the calling thread. */
struct fm_local {
    struct fm_thread *self;          /* its slot, once it has called MPI */
    uintptr_t guard;                 /* stack address of the outermost call being recorded, 0 outside */
    struct fm_thread_timers *timers; /* once it has used one */
    struct fm_thread
        *attached; /* its slot, also if it has called us for a region only, when MPI may not be known yet */
};
extern FM_HIDDEN __thread struct fm_local fm_local __attribute__((tls_model("initial-exec")));

#define FM_LIKELY(x) __builtin_expect(!!(x), 1)

/* CLOCK_MONOTONIC. Once system calls are forbidden, if it takes one: the time at which they were. */
uint64_t fm_runtime_ns(void);
/* The calling thread may not even read the clock any more: its calls are passed on. */
void fm_thread_detach(void);
/* From now on nothing is recorded but receives posted before; or everything again. */
void fm_runtime_pause(bool pause);
/* What calls gave before may mean something else from now on: a handle was freed, an entry has another key. */
static inline void fm_forget_memos(void)
{
    __atomic_fetch_add(&fm_rt.generation, 1, __ATOMIC_RELEASE);
}
/* The generation of what is found out from here on. */
static inline uint64_t fm_generation(void)
{
    return __atomic_load_n(&fm_rt.generation, __ATOMIC_ACQUIRE);
}
/* From now on several threads may be in MPI at once. */
void fm_runtime_threaded(void);
/* After the merge, or when something is wrong: never measure again in this process. */
void fm_runtime_off(void);

static inline void *fm_section(const struct fm_segment_header *segment, enum fm_segment_section_id id)
{
    return (char *)segment + segment->sections[id].offset;
}

/* Saved around our own work in a thread of the program: its errno, and its cancellation state, since it must not be
 * cancelled inside. */
struct fm_caller_state {
    int error, cancel;
};
struct fm_caller_state fm_caller_state_save(void);
void fm_caller_state_restore(struct fm_caller_state saved);

/* Appends to the text section; 0 when it is full or the text is empty. */
uint32_t fm_text_add(const char *text, size_t length);
static inline const char *fm_text_at(uint32_t offset)
{
    return offset ? (const char *)fm_section(fm_rt.segment, FM_SECTION_TEXT) + offset : "";
}

#endif
