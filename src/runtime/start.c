/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/start.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/off_file.h"
#include "base/settings.h"
#include "collect/node.h"
#include "generated/routines.h"
#include "runtime/counting.h"
#include "runtime/describe.h"
#include "runtime/end.h"
#include "runtime/headroom.h"
#include "runtime/interpose/functions.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/weak.h"
#include "runtime/io/io.h"
#include "runtime/job.h"
#include "runtime/messages.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/reduction.h"
#include "runtime/mpi/succession.h"
#include "runtime/record.h"
#include "runtime/resources.h"
#include "runtime/sampler.h"
#include "runtime/segment_make.h"
#include "runtime/thread_slots.h"

/* Measures the cost of recording one event: the fastest of a few rounds, on an entry that is removed afterwards. */
static void measure_event_cost(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_key key = {.peer = FM_PEER_NONE, .routine = 0xffff, .size_bin = FM_SIZE_NONE};
    uint64_t best = UINT64_MAX;
    enum { ROUNDS = 5, EVENTS = 64 };
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = fm_clock_ticks(&fm_rt.clock);
        for (int i = 0; i < EVENTS; i++) {
            uint64_t t = fm_clock_ticks(&fm_rt.clock);
            struct fm_event_data event = {.ns = fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - t)};
            struct fm_entry *entry = fm_table_known(fm_key_words(&key), FM_SIZE_NONE);
            fm_entry_add(entry ? entry : fm_table_find(key), &event);
        }
        uint64_t took = fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - start);
        best = took < best ? took : best;
    }
    h->event_cost_ps = best * 1000 / EVENTS;
    fm_table_take_back(&key);
}

/* A tool or library that can work without MPI only queried whether MPI is there: not worth a segment. */
static bool only_queried(void)
{
    const struct fm_segment_header *h = fm_rt.segment;
    for (uint32_t i = 0; i < h->n_entries; i++) {
        unsigned routine = fm_rt.entries[i].key.routine;
        if (routine != FM_R_MPI_Initialized && routine != FM_R_MPI_Finalized && routine != FM_R_MPI_Get_version &&
            routine != FM_R_MPI_Get_library_version)
            return false;
    }
    return !fm_rt.named && h->n_regions == 1 && h->n_timers == 0;
}

static bool is_child(void)
{
    return fm_syscalls_forbidden() ? !fm_threads_are_own() : getpid() != fm_rt.pid;
}

/* Calls through the handle of a library, as of ctypes and Julia, and those of a library loaded with RTLD_DEEPBIND go past
 * us. For a process in which no call was seen. */
static bool may_have_unseen_mpi(void)
{
    return !fm_syscalls_forbidden() && !is_child() && fm_abi_find();
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (atomic_load(&fm_rt.state) != FM_RT_ON || is_child())
        return;
    if (fm_rt.segment->leave == FM_LEAVE_ABORT)
        return;
    if (!fm_syscalls_forbidden() && only_queried())
        unlink(fm_rt.path);
    if (fm_rt.segment->leave == FM_LEAVE_UNKNOWN) {
        fm_rt.segment->leave = FM_LEAVE_EXIT;
        fm_rt.segment->leave_code = status;
    }
    fm_runtime_note_end();
    if (!(fm_rt.segment->flags & FM_FLAG_NO_MPI))
        return;
    fm_rt.segment->flags |= may_have_unseen_mpi() ? FM_FLAG_UNSEEN_MPI : 0;
    fm_rt.segment->state = FM_STATE_FINALIZING; /* not with MPI: without MPI_Finalize others wait for it in vain */
    if (fm_rt.segment->n_timers && !fm_rt.segment->run_id[0] && !fm_syscalls_forbidden() && fm_stack_has_headroom())
        fm_reduction_without_mpi();
}

/* Measured time starts before our own startup, which is therefore part of it. The clock rate is estimated over the time
 * that the rest of the preparation takes. */
static void start_segment(void)
{
    struct fm_job_place place;
    fm_rt.generation = FM_GENERATION; /* memos that were never filled have generation 0 */
    fm_job_find(&place, fm_rt.named);
    if (!fm_memory_has_headroom() || !fm_threads_make() || !fm_segment_make(place.key, place.neighbours)) {
        atomic_store(&fm_rt.state, FM_RT_OFF);
        return;
    }
    struct fm_segment_header *h = fm_rt.segment;
    h->flags |= fm_rt.clock.coarse ? FM_FLAG_COARSE_CLOCK : 0;
    h->local_size = place.local_size;
    h->rank = place.rank;
    h->world_size = place.world_size;
    h->flags |= place.single_node ? FM_FLAG_SINGLE_NODE : 0;
    fm_describe_process(h);
    fm_resources_at_start(h);
    fm_clock_estimate(&fm_rt.clock);
    h->clock_mult = fm_rt.clock.mult;
    fm_rt.short_gap_ticks = fm_clock_from_ns(&fm_rt.clock, FM_SHORT_GAP_NS);
    h->clock_shift = FM_CLOCK_SHIFT;
    measure_event_cost();
    fm_segment_publish();
    fm_threads_watch_exits();
    on_exit(at_exit, NULL);
    atomic_store_explicit(&fm_rt.state, FM_RT_ON, memory_order_release);
}

/* Used by pthread_atfork to identify the owner of a handler. We are never unloaded, and no start files define it. */
extern FM_HIDDEN void *const __dso_handle;
void *const __dso_handle = NULL;

/* A child is another process with the same mapping: it must not write to its parent's segment. After a fork in a user's
 * callback, the child returns through the MPI call around it, which then ends in a dummy slot that is never read. A
 * child of a process that was not measured is treated like any other process. */
static void in_forked_child(void)
{
    if (!fm_syscalls_forbidden())
        fm_process_begins();
    if (atomic_load(&fm_rt.state) == FM_RT_IDLE)
        return;
    fm_rt.io.n_descriptors = 0;
    fm_runtime_pause(true);
    fm_counting_forget();
    if (!fm_syscalls_forbidden()) /* else sampling has already ended */
        fm_sampler_forget();
    if (fm_local.self)
        fm_local.self->seg = &fm_rt.start.dummy_slot;
    fm_runtime_off();
}

static bool begins_with(const char *text, const char *beginning)
{
    while (*beginning && *text == *beginning)
        text++, beginning++;
    return !*beginning;
}

/* Looks for variables that matter before measurement starts, and for that of `fathom run`. Most processes have none, and
 * binding libc's getenv would cost them more than this loop. */
static void read_environment(char *const *environment, struct fm_start_state *start)
{
    enum { PREFIX = sizeof "FATHOM_" - 1 };
    for (; environment && *environment; environment++) {
        const char *name = *environment + PREFIX;
        if (!begins_with(*environment, "FATHOM_"))
            continue;
        if (begins_with(name, "DISABLE=") || begins_with(name, "SAMPLE=") || begins_with(name, "NAMED="))
            start->configured = true;
        if (begins_with(name, "RUN_ID="))
            start->in_run = true;
    }
}

/* A program that is set-user-id or the like, into which only /etc/ld.so.preload brings us. Its environment is that of a user
 * who must not choose what is written with its rights. */
static bool has_more_rights(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* Runs before anything is measured: in the constructor, or in an MPI call made by the constructor of another library
 * that runs before ours. Harmless if two threads run it at the same time. Returns true if the environment has settings
 * that matter. */
static bool prepare_process(char *const *environment)
{
    if (__atomic_load_n(&fm_rt.start.prepared, __ATOMIC_ACQUIRE))
        return fm_rt.start.configured;
    read_environment(environment, &fm_rt.start);
    bool off = fm_rt.start.configured && (fm_setting_disabled() || has_more_rights());
    fm_process_begins();
    if (off)
        atomic_store(&fm_rt.state, FM_RT_OFF);
    else
        pthread_atfork(NULL, NULL, in_forked_child);
    if (fm_rt.start.configured)
        fm_sampler_loaded(!off);
    __atomic_store_n(&fm_rt.start.prepared, true, __ATOMIC_RELEASE);
    return fm_rt.start.configured;
}

/* The administrator's switch, for jobs that a site measures: a library that every job loads must be able to step aside
 * everywhere within a moment, without a new environment or module. `fathom run` is a user's own wish, and its hosts must
 * not disagree. */
static bool is_switched_off(void)
{
    return !fm_rt.start.in_run && access(FM_OFF_FILE, F_OK) == 0;
}

static void start(enum fm_reason reason)
{
    if (has_more_rights() || is_switched_off()) {
        atomic_store(&fm_rt.state, FM_RT_OFF);
        return;
    }
    fm_messages_begin();
    if (!fm_stack_has_headroom()) {
        atomic_store(&fm_rt.state, FM_RT_OFF);
        return;
    }
    fm_clock_start(&fm_rt.clock);
    fm_rt.slow_clock = fm_rt.clock.coarse;
    fm_rt.pid = getpid();
    start_segment();
    if (atomic_load(&fm_rt.state) != FM_RT_ON)
        return;
    if (reason != FM_BY_MPI) {
        fm_rt.segment->flags |= FM_FLAG_NO_MPI;
        fm_rt.segment->rank = 0;
        fm_rt.segment->world_size = 1;
    }
    bool files = !fm_setting_is_off("FATHOM_IO");
    if (files)
        fm_interpose_announce(FM_FOR_FILES);
    fm_counting_start();
    fm_sampler_start();
    if (files)
        fm_io_start();
    fm_rt.segment->init_ns += fm_clock_ns(CLOCK_MONOTONIC) - fm_rt.clock.start.ns;
}

bool fm_runtime_start(enum fm_reason reason)
{
    if (fm_syscalls_forbidden())
        return atomic_load(&fm_rt.state) == FM_RT_ON;
    if (fm_process_is_bare_child()) /* it may find locks held forever, and its parent's state at STARTING forever */
        return false;
    struct fm_caller_state saved = fm_caller_state_save();
    uint64_t signals = fm_set_signals(UINT64_MAX); /* a signal handler that calls MPI would deadlock with this thread */
    prepare_process(environ);
    int expected = FM_RT_IDLE;
    if (atomic_compare_exchange_strong(&fm_rt.state, &expected, FM_RT_STARTING)) {
        start(reason);
        fm_wake_all(&fm_rt.state);
    }
    fm_set_signals(signals);
    while (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_STARTING)
        fm_sleep_while(&fm_rt.state, FM_RT_STARTING);
    fm_caller_state_restore(saved);
    return atomic_load(&fm_rt.state) == FM_RT_ON;
}

/* Runs in every process of a job, including shells and launchers, so it must cost next to nothing. */
__attribute__((constructor)) static void on_load(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    bool configured = prepare_process(environment);
    fm_weak_at_start(fm_is_mpi_name);
    const char *named = configured ? getenv("FATHOM_NAMED") : NULL;
    if (named && atoi(named) == getpid()) {
        fm_rt.named = true;
        fm_runtime_start(FM_BY_NAME);
    }
}

/* A process that was not measured although it loaded MPI: without a segment, only `fathom run` can tell the user. */
__attribute__((destructor)) static void on_unload(void)
{
    if (!fm_rt.start.in_run || atomic_load(&fm_rt.state) != FM_RT_IDLE || fm_syscalls_forbidden() || !fm_abi_find() ||
        fm_process_is_bare_child() || !fm_stack_has_headroom() || has_more_rights())
        return;
    const char *run_id = getenv("FATHOM_RUN_ID");
    if (run_id)
        fm_node_tell_unseen_mpi(run_id);
}
