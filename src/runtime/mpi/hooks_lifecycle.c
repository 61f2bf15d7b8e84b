/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles that are freed, and the life of the process in MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/end.h"
#include "runtime/interpose/next.h"
#include "runtime/job.h"
#include "runtime/messages.h"
#include "runtime/mpi/hooks.h"
#include "runtime/mpi/lifecycle.h"
#include "runtime/mpi/reduction.h"
#include "runtime/resources.h"
#include "runtime/segment_make.h"

/* ---- handles: dropped before the call, because the library may reuse them at once ---- */

void fm_before_comm_free(struct fm_call *call, fm_word comm)
{
    (void)call;
    if (comm)
        fm_comm_forget(fm_handle_at(comm, 0), false);
}

void fm_after_comm_free(struct fm_call *call, int result)
{
    fm_after_plain(call, result, 0);
}

void fm_before_type_free(struct fm_call *call, fm_word type)
{
    (void)call;
    if (type)
        fm_type_forget(fm_handle_at(type, 0));
}

void fm_after_type_free(struct fm_call *call, int result)
{
    fm_after_plain(call, result, 0);
}

void fm_before_win_free(struct fm_call *call, fm_word win)
{
    (void)call;
    if (win)
        fm_comm_forget(fm_handle_at(win, 0), true);
}

void fm_after_win_free(struct fm_call *call, int result)
{
    fm_after_plain(call, result, 0);
}

/* ---- MPI_Init ---- */

static void note_version(void)
{
    char text[8192] = "", name[FM_MPI_VERSION_CHARS];
    int length = 0;
    if (fm_abi.pmpi.Get_library_version(text, &length) != 0)
        return;
    text[sizeof text - 1] = 0;
    fm_mpi_version(text, name);
    fm_rt.segment->text_mpi_version = fm_text_add(name, strlen(name));
}

static const char *module_of(const void *address)
{
    const struct link_map *module = fm_object_at(address);
    return !module ? "" : *module->l_name ? module->l_name : fm_program_name();
}

/* Another tool is above us if it calls us as PMPI_Init, and below us if our next MPI_Init is not in the MPI library. */
static void note_other_tool(const struct fm_call *call)
{
    struct fm_segment_header *h = fm_rt.segment;
    const char *library = module_of((const void *)fm_abi.pmpi.Comm_rank);
    h->text_mpi_library = fm_text_add(library, strlen(library));
    const char *tool = "";
    const void *below = (const void *)fm_next(2u * call->routine);
    if (strcmp(module_of(below), library) != 0)
        tool = module_of(below);
    else if (call->is_pmpi && !fm_rt.seen_fortran)
        tool = module_of((const void *)(uintptr_t)(call->site_region >> 16));
    if (*tool) {
        h->flags |= FM_FLAG_OTHER_TOOL;
        h->text_tool = fm_text_add(tool, strlen(tool));
    }
}

/* Reads DT_NEEDED of the executable only: the libraries that MPI itself needs say nothing about the program. */
static bool executable_needs(const char *library)
{
    const struct link_map *map = _r_debug.r_map;
    if (!map || !map->l_ld)
        return false;
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strncmp(strings + d->d_un.d_val, library, strlen(library)) == 0)
            return true;
    return false;
}

static enum fm_language language(void)
{
    const char *exe = fm_text_at(fm_rt.segment->text_exe), *slash = strrchr(exe, '/');
    if (strncmp(slash ? slash + 1 : exe, "python", 6) == 0)
        return FM_LANGUAGE_PYTHON;
    if (fm_rt.seen_fortran)
        return FM_LANGUAGE_FORTRAN;
    return executable_needs("libstdc++") ? FM_LANGUAGE_CXX : FM_LANGUAGE_C;
}

/* A program under the mpirun of another MPI, or one started by a rank: its MPI knows neither the job in the environment
 * nor the other processes that were started with it. */
static void leave_job(void)
{
    struct fm_job_place place;
    fm_job_find(&place, true);
    fm_segment_rekey(place.key);
    fm_rt.segment->flags |= FM_FLAG_APART;
}

static void record_world(struct fm_call *call)
{
    uint64_t before = fm_clock_ns(CLOCK_MONOTONIC);
    struct fm_segment_header *h = fm_rt.segment;
    int rank = 0, size = 0, level = 0;
    fm_lifecycle_join_job();
    fm_abi.pmpi.Comm_rank(fm_abi.comm_world, &rank);
    fm_abi.pmpi.Comm_size(fm_abi.comm_world, &size);
    fm_abi.pmpi.Query_thread(&level);
    if (size == 1 && h->world_size > 1)
        leave_job();
    h->rank = rank;
    h->world_size = size;
    h->thread_level = (uint32_t)level;
    h->mpi_kind = fm_abi.kind;
    h->core = (uint32_t)sched_getcpu();
    if (level == 3)
        fm_runtime_threaded();
    note_version();
    note_other_tool(call);
    h->language = language();
    fm_comm_world_ready();
    fm_reduction_prepare();
    fm_messages_settings(rank);
    fm_resources_after_init(h);
    h->clock_ppb = fm_clock_error_ppb(&fm_rt.clock);
    h->init_ns += fm_clock_ns(CLOCK_MONOTONIC) - before;
}

void fm_after_init(struct fm_call *call, int result)
{
    struct fm_caller_state saved = fm_caller_state_save();
    if (result == 0 && !fm_syscalls_forbidden()) /* an attached thread gets here in any case */
        record_world(call);
    fm_caller_state_restore(saved);
    fm_after_plain(call, result, 0);
}

void fm_after_init_thread(struct fm_call *call, int result, fm_word provided)
{
    (void)provided;
    fm_after_init(call, result);
}

/* Reports invalid settings: FATHOM_DISABLE itself may be invalid. */
static void say_disabled(void)
{
    int rank = 1;
    if (getenv("FATHOM_DISABLE") && fm_abi.pmpi.Comm_rank(fm_abi.comm_world, &rank) == 0)
        fm_messages_settings(rank);
}

/* Switched off, system calls are forbidden, or out of memory: nothing is measured. If MPI_Init calls itself by another
 * name, it is one call. */
fm_word fm_missed_init(fm_word result)
{
    struct fm_caller_state saved = fm_caller_state_save();
    bool passed_on = atomic_load(&fm_rt.state) == FM_RT_OFF || fm_syscalls_forbidden();
    if (!fm_rt.mpi.init_missed && (int)result == 0 && passed_on && fm_abi_find()) {
        fm_rt.mpi.init_missed = true;
        fm_reduction_stand_aside();
        say_disabled();
    }
    fm_caller_state_restore(saved);
    return result;
}

/* ---- MPI_Finalize and MPI_Abort ---- */

/* A program that uses only sessions ends with them; its segments are left to the collector. */
void fm_after_session_finalize(struct fm_call *call, int result)
{
    int initialized = 0;
    if (result == 0 && fm_abi.pmpi.Initialized(&initialized) == 0 && !initialized) {
        fm_rt.segment->leave = FM_LEAVE_FINALIZE;
        fm_runtime_note_end();
    }
    fm_after_plain(call, result, 0);
}

/* Recorded first, so that it is in the profile. Its duration is that of the real MPI_Finalize and is not included. */
void fm_before_finalize(struct fm_call *call)
{
    fm_call_returned(call);
    fm_finish_plain(call, FM_PEER_NONE);
    fm_call_drop_abandoned(call->self, UINTPTR_MAX);
    struct fm_caller_state saved = fm_caller_state_save();
    if (fm_rt.segment->world_size > 0)
        fm_reduction_run();
    fm_caller_state_restore(saved);
    fm_local.guard = (uintptr_t)__builtin_frame_address(0);
    fm_runtime_off();
}

void fm_after_finalize(struct fm_call *call, int result)
{
    (void)call;
    (void)result;
    fm_local.guard = 0;
}

void fm_before_abort(struct fm_call *call, int32_t code)
{
    fm_call_returned(call);
    struct fm_event_data event = {.ns = 0};
    fm_call_record(call, FM_PEER_NONE, FM_SIZE_NONE, &event);
    call->self->seg->call_routine = 0;
    fm_rt.segment->leave_code = code;
    fm_rt.segment->leave = FM_LEAVE_ABORT;
    fm_runtime_note_end();
}

void fm_after_abort(struct fm_call *call, int result)
{
    (void)result;
    fm_call_leave(call);
}
