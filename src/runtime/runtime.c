#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/usage.h"
#include "generated/routines.h"
#include "runtime/describe.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/weak.h"
#include "runtime/job.h"
#include "runtime/mpi/reduction.h"
#include "runtime/record.h"
#include "runtime/room.h"
#include "runtime/sampler.h"
#include "runtime/say.h"
#include "runtime/segment_make.h"
#include "runtime/timers/timer.h"

struct fm_runtime fm_rt = {.generation = 1};
__thread struct fm_local fm_local __attribute__((tls_model("initial-exec")));

static struct fm_thread *threads; /* [FM_THREAD_SLOTS], empty again in a forked child */
static uint32_t *is_parent;       /* behind them: 1, and 0 in a forked child */
static pthread_key_t thread_end_key;
static bool has_thread_end_key;
/* The slot of a thread that may have called us only for a region, when MPI may not be known yet. */
static __thread struct fm_thread *attached __attribute__((tls_model("initial-exec")));

struct fm_shelter fm_shelter_enter(void)
{
    struct fm_shelter shelter = {.error = errno};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shelter.cancel);
    return shelter;
}

void fm_shelter_leave(struct fm_shelter shelter)
{
    pthread_setcancelstate(shelter.cancel, NULL);
    errno = shelter.error;
}

/* The caller holds the table lock, or is alone. */
uint32_t fm_text_add(const char *text, size_t length)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (length == 0 || h->n_text + length + 1 > h->sections[FM_SECTION_TEXT].capacity)
        return 0;
    uint32_t offset = h->n_text;
    char *at = (char *)fm_section(h, FM_SECTION_TEXT) + offset;
    memcpy(at, text, length);
    at[length] = 0;
    h->n_text += (uint32_t)length + 1;
    return offset;
}

/* ---- threads ---- */

static void thread_ended(void *data)
{
    struct fm_thread *thread = data;
    fm_timers_end(&thread->timers);
    fm_thread_detach();
    if (!thread->shared)
        __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

static struct fm_thread *take_slot(void)
{
    uint32_t last = fm_rt.segment->sections[FM_SECTION_THREADS].capacity - 1;
    for (uint32_t i = 0; i < last; i++) {
        uint32_t expected = 0;
        if (__atomic_load_n(&threads[i].taken, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&threads[i].taken, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &threads[i];
    }
    threads[last].shared = true;
    fm_runtime_threaded();
    return &threads[last];
}

/* A thread begins in the region that the first one is in, as helpers do. */
static uint32_t first_region(uint32_t slot)
{
    const struct fm_segment_thread *all = fm_section(fm_rt.segment, FM_SECTION_THREADS);
    return slot ? __atomic_load_n(&all[0].region, __ATOMIC_RELAXED) : 0;
}

struct fm_thread *fm_thread_attach(void)
{
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) != FM_RT_ON)
        return NULL;
    if (attached && attached->seg)
        return attached;
    if (fm_is_silent())
        return NULL;
    if (getpid() != fm_rt.pid) {
        fm_runtime_off();
        return NULL;
    }
    struct fm_thread *thread = take_slot();
    thread->slot = (uint32_t)(thread - threads);
    fm_local.guard = 0;
    thread->seg = (struct fm_segment_thread *)fm_section(fm_rt.segment, FM_SECTION_THREADS) + thread->slot;
    thread->seg->tid = (uint64_t)fm_kernel(SYS_gettid);
    thread->seg->call_routine = 0;
    thread->seg->region_depth = 0;
    thread->seg->region = first_region(thread->slot);
    fm_lock(&fm_rt.table_lock);
    if (fm_rt.segment->n_threads <= thread->slot)
        fm_rt.segment->n_threads = thread->slot + 1;
    fm_unlock(&fm_rt.table_lock);
    if (has_thread_end_key)
        pthread_setspecific(thread_end_key, thread);
    attached = thread;
    if (fm_sampled_self && !thread->shared)
        fm_sampled_self->seg = thread->seg;
    return thread;
}

/* The kernel empties it in a child, also in one made by _Fork or clone, where no atfork handler runs: a child's calls
 * find no slot and do not write into their parent's segment. */
static bool make_threads(void)
{
    size_t bytes = FM_THREAD_SLOTS * sizeof *threads + sizeof *is_parent;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, bytes, MADV_WIPEONFORK);
    threads = map;
    is_parent = (uint32_t *)(void *)(threads + FM_THREAD_SLOTS);
    *is_parent = 1;
    return true;
}

/* ---- start and end ---- */

/* What recording one event costs here: the cheapest of a few rounds, on an entry that is taken back afterwards. */
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
            struct fm_sample sample = {.ns = fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - t)};
            struct fm_entry *entry = fm_table_known(fm_key_words(&key), FM_SIZE_NONE);
            fm_entry_add(entry ? entry : fm_table_find(key), &sample);
        }
        uint64_t took = fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - start);
        best = took < best ? took : best;
    }
    h->event_cost_ps = best * 1000 / EVENTS;
    fm_table_take_back(&key);
}

void fm_runtime_pause(bool pause)
{
    fm_rt.paused = pause;
    fm_rt.careful = pause || fm_rt.threaded;
    fm_rt.quick_mask = pause ? 0 : fm_rt.index_mask;
    fm_forget_memos();
}

void fm_runtime_threaded(void)
{
    if (!fm_rt.threaded)
        __atomic_add_fetch(&fm_rt.requests_displaced, 1, __ATOMIC_RELAXED);
    fm_rt.threaded = fm_rt.careful = true;
    fm_forget_memos();
}

/* A tool or a library that can do without MPI asks whether it is there: no reason to leave a segment behind. */
static bool only_asked(void)
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
    return fm_is_silent() ? !*is_parent : getpid() != fm_rt.pid;
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (atomic_load(&fm_rt.state) != FM_RT_ON || is_child())
        return;
    if (fm_rt.segment->leave == FM_LEAVE_ABORT)
        return;
    if (!fm_is_silent() && only_asked())
        unlink(fm_rt.path);
    if (fm_rt.segment->leave == FM_LEAVE_UNKNOWN) {
        fm_rt.segment->leave = FM_LEAVE_EXIT;
        fm_rt.segment->leave_code = status;
    }
    fm_runtime_note_end();
    if (!(fm_rt.segment->flags & FM_FLAG_NO_MPI))
        return;
    fm_rt.segment->state = FM_STATE_FINALIZING; /* others wait in vain for one that did not call MPI_Finalize */
    if (fm_rt.segment->n_timers && !fm_rt.segment->run_id[0] && !fm_is_silent() && fm_room_on_stack())
        fm_reduction_without_mpi();
}

/* The time measured begins where we began: what we took ourselves is a share of it. The clock's rate is estimated from the
 * time that preparing all the rest has taken. */
static void start_segment(void)
{
    struct fm_job_place place;
    fm_job_find(&place, fm_rt.named);
    if (!fm_room_in_memory() || !make_threads() || !fm_segment_make(place.key, place.neighbours)) {
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
    fm_clock_estimate(&fm_rt.clock);
    h->clock_mult = fm_rt.clock.mult;
    h->clock_shift = FM_CLOCK_SHIFT;
    measure_event_cost();
    fm_segment_publish();
    has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0;
    on_exit(at_exit, NULL);
    atomic_store_explicit(&fm_rt.state, FM_RT_ON, memory_order_release);
}

/* What pthread_atfork takes for the owner of a handler; we are never unloaded, and no start files define it. */
extern FM_HIDDEN void *const __dso_handle;
void *const __dso_handle = NULL;

/* A child is another process with the same mapping: it must not write into its parent's segment. A fork in a user's
 * callback returns through the call that it was made in: that one ends in a slot which nobody reads. A child of a
 * process that was not measured is a process like any other. */
static void in_forked_child(void)
{
    static struct fm_segment_thread nowhere;
    if (!fm_is_silent())
        fm_process_begins();
    if (atomic_load(&fm_rt.state) == FM_RT_IDLE)
        return;
    fm_runtime_pause(true);
    if (!fm_is_silent()) /* else that is over */
        fm_sampler_forget();
    if (fm_local.self)
        fm_local.self->seg = &nowhere;
    fm_runtime_off();
}

static bool begins_with(const char *text, const char *beginning)
{
    while (*beginning && *text == *beginning)
        text++, beginning++;
    return !*beginning;
}

/* Whether anything is set that matters before a process is measured. In most nothing is, and to bind libc's functions
 * would cost them more than this. */
static bool is_told(char *const *environment)
{
    enum { PREFIX = sizeof "FATHOM_" - 1 };
    for (; environment && *environment; environment++) {
        const char *name = *environment + PREFIX;
        if (begins_with(*environment, "FATHOM_") &&
            (begins_with(name, "DISABLE=") || begins_with(name, "SAMPLE=") || begins_with(name, "NAMED=")))
            return true;
    }
    return false;
}

/* Before anything is measured: by the constructor, or by an MPI call of another library's constructor that runs before
 * ours. Should two threads do it at once, nothing comes of that. Whether the environment tells us anything. */
static bool prepare_process(char *const *environment)
{
    static bool prepared, told;
    if (__atomic_load_n(&prepared, __ATOMIC_ACQUIRE))
        return told;
    told = is_told(environment);
    bool off = told && fm_setting_disabled();
    fm_process_begins();
    if (off)
        atomic_store(&fm_rt.state, FM_RT_OFF);
    else
        pthread_atfork(NULL, NULL, in_forked_child);
    if (told)
        fm_sampler_loaded(!off);
    __atomic_store_n(&prepared, true, __ATOMIC_RELEASE);
    return told;
}

static void start(enum fm_reason reason)
{
    fm_say_begin();
    if (!fm_room_on_stack()) {
        atomic_store(&fm_rt.state, FM_RT_OFF);
        return;
    }
    fm_clock_start(&fm_rt.clock);
    fm_rt.pid = getpid();
    start_segment();
    if (atomic_load(&fm_rt.state) != FM_RT_ON)
        return;
    if (reason != FM_BY_MPI) {
        fm_rt.segment->flags |= FM_FLAG_NO_MPI;
        fm_rt.segment->rank = 0;
        fm_rt.segment->world_size = 1;
    }
    fm_sampler_start();
    fm_rt.segment->init_ns += fm_clock_ns(CLOCK_MONOTONIC) - fm_rt.clock.start.ns;
}

bool fm_runtime_start(enum fm_reason reason)
{
    if (fm_is_silent())
        return atomic_load(&fm_rt.state) == FM_RT_ON;
    if (fm_process_is_bare_child()) /* it may find a lock held for ever, and its parent starting for ever */
        return false;
    struct fm_shelter shelter = fm_shelter_enter();
    uint64_t signals = fm_set_signals(UINT64_MAX); /* a handler that calls MPI would wait for this to end */
    prepare_process(environ);
    int expected = FM_RT_IDLE;
    if (atomic_compare_exchange_strong(&fm_rt.state, &expected, FM_RT_STARTING)) {
        start(reason);
        fm_wake_all(&fm_rt.state);
    }
    fm_set_signals(signals);
    while (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_STARTING)
        fm_sleep_while(&fm_rt.state, FM_RT_STARTING);
    fm_shelter_leave(shelter);
    return atomic_load(&fm_rt.state) == FM_RT_ON;
}

static void note_use(struct fm_segment_header *h)
{
    struct rusage use;
    if (getrusage(RUSAGE_SELF, &use) != 0)
        return;
    struct fm_usage usage = fm_usage_of(&use);
#define X(member, value) h->member = usage.member;
    FM_USAGE(X)
#undef X
}

static void note_last(struct fm_segment_header *h)
{
    fm_sampler_stop();
    note_use(h);
    h->clock_ppb = fm_clock_error_ppb(&fm_rt.clock);
}

static struct fm_clock usual_clock;
static uint64_t stopped_ns; /* when the clock was; 0: it goes */

uint64_t fm_runtime_ns(void)
{
    return stopped_ns ? stopped_ns : fm_clock_ns(CLOCK_MONOTONIC);
}

void fm_runtime_note_end(void)
{
    if (!fm_is_silent())
        note_last(fm_rt.segment);
    if (!stopped_ns)
        fm_rt.segment->ended_mono_ns = fm_runtime_ns();
}

/* One that the kernel is asked for cannot be read any more: calls are counted, but take no time. */
static void stop_clock(void)
{
    usual_clock = fm_rt.clock;
    if (!fm_rt.clock.coarse)
        return;
    stopped_ns = fm_clock_ns(CLOCK_MONOTONIC);
    fm_rt.clock.coarse = false;
    fm_rt.clock.mult = 0;
}

bool fm_runtime_quiet(void)
{
    if (fm_is_silent() || atomic_load(&fm_rt.state) == FM_RT_OFF || fm_process_is_bare_child())
        return false;
    int state = FM_RT_IDLE;
    fm_rt.stopped = atomic_compare_exchange_strong(&fm_rt.state, &state, FM_RT_OFF);
    while (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_STARTING)
        fm_sleep_while(&fm_rt.state, FM_RT_STARTING);
    if (atomic_load(&fm_rt.state) == FM_RT_ON) {
        note_last(fm_rt.segment);
        fm_rt.segment->flags |= FM_FLAG_FILTERED;
    }
    stop_clock();
    fm_silence_begin();
    return true;
}

/* Samples are not begun again. */
void fm_runtime_quiet_end(void)
{
    fm_rt.clock = usual_clock;
    stopped_ns = 0;
    fm_silence_end();
    if (fm_rt.stopped)
        atomic_store(&fm_rt.state, FM_RT_IDLE);
    if (atomic_load(&fm_rt.state) != FM_RT_ON)
        return;
    fm_rt.segment->flags &= ~FM_FLAG_FILTERED;
    fm_rt.segment->flags |= fm_rt.segment->sample_period_ns ? FM_FLAG_UNFILTERED : 0;
}

void fm_thread_detach(void)
{
    fm_local.self = attached = NULL;
    fm_local.timers = NULL;
}

void fm_runtime_off(void)
{
    atomic_store(&fm_rt.state, FM_RT_OFF);
    fm_thread_detach();
}

/* In every process of a job, also shells and launchers: it must cost next to nothing. */
__attribute__((constructor)) static void loaded(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    bool told = prepare_process(environment);
    fm_weak_at_start();
    const char *named = told ? getenv("FATHOM_NAMED") : NULL;
    if (named && atoi(named) == getpid()) {
        fm_rt.named = true;
        fm_runtime_start(FM_BY_NAME);
    }
}
