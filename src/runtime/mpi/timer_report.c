/* SPDX-License-Identifier: BSD-3-Clause */
/* The timer report that a program requests: a collective call over a communicator of the program. Each task reads its
 * timers from its segment; they are merged along a binary tree to task 0. A task that measures nothing takes part, but
 * contributes nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/parts.h"
#include "runtime/mpi/abi.h"
#include "runtime/runtime.h"
#include "runtime/timers/timer.h"
#include "timer_report/timer_rich.h"
#include "timer_report/timer_text.h"

enum { TAG = 1, COLUMNS = 100, MAX_BYTES = 1 << 30 };

struct tasks {
    fm_word comm;
    int rank, size;
};

static bool transfer(bool sends, void *data, int bytes, int partner, fm_word comm)
{
    fm_word request = 0;
    char status[FM_STATUS_BYTES];
    int result = sends ? fm_abi.pmpi.Isend(data, bytes, fm_abi.type_byte, partner, TAG, comm, &request)
                       : fm_abi.pmpi.Irecv(data, bytes, fm_abi.type_byte, partner, TAG, comm, &request);
    return result == 0 && fm_abi.pmpi.Wait(&request, status) == 0;
}

static struct fm_profile *own_timers(uint32_t rank)
{
    struct fm_profile *profile = NULL;
    struct fm_error error;
    if (!fm_rt.segment || atomic_load(&fm_rt.state) != FM_RT_ON ||
        fm_timers_from_segment(fm_rt.segment, fm_rt.segment->segment_bytes, "the segment", rank,
                               fm_clock_ns(CLOCK_MONOTONIC), &profile, &error) != FM_OK)
        return fm_profile_create();
    return profile;
}

/* Merges the timers of a child into `timers`, which is consumed, if there is memory: the child announces its size, and
 * sends only what is requested. Returns the result. */
static struct fm_profile *add_child(const struct tasks *tasks, int child, struct fm_profile *timers)
{
    struct fm_profile *child_timers = NULL;
    struct fm_error error;
    uint64_t bytes = 0;
    if (child >= tasks->size || !transfer(false, &bytes, sizeof bytes, child, tasks->comm) || !bytes)
        return timers;
    void *data = timers && bytes <= MAX_BYTES ? malloc(bytes) : NULL;
    uint64_t wanted = data ? bytes : 0;
    if (transfer(true, &wanted, sizeof wanted, child, tasks->comm) && data &&
        transfer(false, data, (int)bytes, child, tasks->comm) &&
        fm_profile_decode(data, bytes, "a message", &child_timers, &error) == FM_OK)
        timers = fm_join_timers(timers, child_timers);
    free(data);
    return timers;
}

/* The timers of this task and of all below it. Returns NULL if out of memory. */
static struct fm_profile *gather(const struct tasks *tasks)
{
    struct fm_profile *timers = own_timers((uint32_t)tasks->rank);
    timers = add_child(tasks, 2 * tasks->rank + 1, timers);
    return add_child(tasks, 2 * tasks->rank + 2, timers);
}

static void send_to_parent(const struct tasks *tasks, const struct fm_profile *timers)
{
    struct fm_arena arena = {0};
    struct fm_error error;
    const void *data = NULL;
    size_t size = 0;
    if (!timers || fm_profile_encode_exact(timers, &arena, &data, &size, &error) != FM_OK || size > MAX_BYTES)
        size = 0;
    uint64_t bytes = size, wanted = 0;
    int parent = (tasks->rank - 1) / 2;
    if (transfer(true, &bytes, sizeof bytes, parent, tasks->comm) && bytes &&
        transfer(false, &wanted, sizeof wanted, parent, tasks->comm) && wanted)
        transfer(true, (void *)data, (int)size, parent, tasks->comm);
    fm_arena_destroy(&arena);
}

/* ---- as text ---- */

static bool wants_rich(void)
{
    const char *value = getenv("FATHOM_TIMERS");
    bool rich = false;
    if (value)
        fm_setting_timers(value, &rich);
    return rich;
}

/* The length of a tick in the layout of the paper, as a power of ten of nanoseconds. */
static unsigned wanted_tick(void)
{
    const char *tick = getenv("FATHOM_TICK");
    unsigned exponent = 0;
    if (tick)
        fm_setting_tick(tick, &exponent);
    return exponent;
}

static const char *format_timers(const struct fm_profile *timers, uint32_t tasks, struct fm_arena *arena)
{
    if (wants_rich()) {
        struct fm_timer_rich rich = {.tasks = tasks, .ascii = !fm_utf8_locale()};
        return fm_timers_rich(timers->timers, timers->n_timers, &rich, arena);
    }
    struct fm_timer_layout layout = {.columns = COLUMNS, .tasks = tasks, .exponent = wanted_tick()};
    return fm_timers_text(timers->timers, timers->n_timers, &layout, arena);
}

/* Invalid settings are reported here as well: nobody looks at the standard error of a job that succeeded. */
static void write_invalid_setting(struct fm_writer *w, const char *name)
{
    char sentence[FM_SETTING_SENTENCE];
    const char *value = getenv(name);
    if (value && fm_setting_problem(name, value, sentence))
        fm_write(w, "%s.\n", sentence);
}

static void write_invalid_settings(struct fm_writer *w)
{
    write_invalid_setting(w, "FATHOM_TIMERS");
    write_invalid_setting(w, "FATHOM_TICK");
}

static void write_no_timers(struct fm_writer *w, int tasks)
{
    if (atomic_load(&fm_rt.state) == FM_RT_OFF)
        fm_write(w, "No timers: nothing is measured here (is FATHOM_DISABLE set?).\n");
    else
        fm_write(w, "No timers: none has been started and stopped on %s.\n", tasks == 1 ? "this task" : "these tasks");
}

static char *report_text(const struct fm_profile *timers, int tasks)
{
    struct fm_arena arena = {0};
    struct fm_writer w = {.arena = &arena};
    write_invalid_settings(&w);
    const char *body = timers && timers->n_timers ? format_timers(timers, (uint32_t)tasks, &arena) : NULL;
    if (body)
        fm_write(&w, "%s", body);
    else if (timers && !timers->n_timers)
        write_no_timers(&w, tasks);
    else
        w.failed = true;
    const char *text = fm_writer_text(&w);
    char *copy = text ? strdup(text) : NULL;
    fm_arena_destroy(&arena);
    return copy;
}

static char *report_own(void)
{
    struct fm_profile *alone = own_timers(0);
    char *text = report_text(alone, 1);
    fm_profile_destroy(alone);
    return text;
}

/* Creates our own communicator with the same tasks. Not a duplicate: the program's attributes must not be copied.
 * Errors are handled by us, not by the program's error handler. */
static bool make_tasks(fm_word comm, struct tasks *tasks)
{
    fm_word handler = 0;
    int inter = 0, rank = 0;
    if (comm == fm_abi.comm_null || fm_abi.pmpi.Comm_test_inter(comm, &inter) != 0 || inter ||
        fm_abi.pmpi.Comm_get_errhandler(comm, &handler) != 0)
        return false;
    fm_abi.pmpi.Comm_set_errhandler(comm, fm_abi.errors_return);
    fm_abi.pmpi.Comm_rank(comm, &rank);
    bool made = fm_abi.pmpi.Comm_split(comm, 0, rank, &tasks->comm) == 0;
    fm_abi.pmpi.Comm_set_errhandler(comm, handler);
    fm_abi.pmpi.Errhandler_free(&handler);
    if (!made)
        return false;
    fm_abi.pmpi.Comm_set_errhandler(tasks->comm, fm_abi.errors_return);
    fm_abi.pmpi.Comm_rank(tasks->comm, &tasks->rank);
    fm_abi.pmpi.Comm_size(tasks->comm, &tasks->size);
    return true;
}

char *fm_timers_report(int fortran_comm)
{
    struct tasks tasks = {0};
    int initialised = 0, finalised = 1;
    if (!fm_abi_find() || fm_abi.pmpi.Initialized(&initialised) != 0 || !initialised)
        return report_own();
    if (fm_abi.pmpi.Finalized(&finalised) != 0 || finalised)
        return NULL;
    fm_word comm = fm_abi.comm_f2c ? fm_abi.comm_f2c(fortran_comm) : (fm_word)(uint32_t)fortran_comm;
    if (!make_tasks(comm, &tasks))
        return NULL;
    struct fm_profile *timers = gather(&tasks);
    if (tasks.rank)
        send_to_parent(&tasks, timers);
    char *text = tasks.rank ? NULL : report_text(timers, tasks.size);
    fm_profile_destroy(timers);
    fm_abi.pmpi.Comm_free(&tasks.comm);
    return text;
}
