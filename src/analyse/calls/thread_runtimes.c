/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/thread_runtimes.h"

#include "base/basename.h"
#include "base/names.h"

/* A parallel region waits at its end; the cost of starting its team is small and included. So is creating the tasks of a
 * taskloop, which ends with waiting for them. */
const struct fm_thread_runtime fm_thread_runtimes[FM_THREAD_RUNTIMES] = {
    {
        /* GCC */
        .libraries = "libgomp.so*\0libgomp-*\0",
        .functions = "GOMP_*\0gomp_*\0",
        .waits = "GOMP_parallel*\0GOMP_teams*\0GOMP_barrier*\0GOMP_loop_end\0GOMP_loop_end_cancel\0GOMP_sections_end\0"
                 "GOMP_sections_end_cancel\0GOMP_single_copy_*\0GOMP_workshare_task_reduction_unregister\0"
                 "GOMP_taskwait*\0GOMP_taskgroup_end\0GOMP_taskloop*\0GOMP_critical_*start\0GOMP_atomic_start\0"
                 "GOMP_ordered_start\0GOMP_doacross_*wait\0omp_set_lock*\0omp_set_nest_lock*\0",
        .works = "GOMP_*\0omp_*\0gomp_iter_*\0",
    },
    {
        /* LLVM, Intel; they export the functions of GCC as well */
        .libraries = "libomp.so*\0libomp-*\0libomp5.so*\0libiomp5.so*\0",
        .functions = "__kmp*\0",
        .waits = "__kmpc_fork_*\0__kmpc_barrier*\0__kmpc_cancel_barrier\0__kmpc_reduce*\0__kmpc_end_reduce*\0"
                 "__kmpc_copyprivate*\0__kmpc_omp_taskwait*\0__kmpc_omp_wait_deps\0__kmpc_end_taskgroup\0"
                 "__kmpc_taskloop*\0__kmpc_critical*\0__kmpc_atomic_start\0__kmpc_ordered\0__kmpc_doacross_wait\0"
                 "__kmpc_set_lock\0__kmpc_set_nest_lock\0__kmp_wait_*\0__kmp_acquire_*\0",
        .works = "__kmpc_*\0",
    },
};

static bool is_libc(const struct fm_context_id *id)
{
    return fm_names_fit("libc.so*\0libc-*\0libpthread*\0", fm_basename(id->module));
}

/* Code of the system that a thread run-time calls in order to sleep or to yield the core; or unknown. Other functions of
 * libc directly below a run-time are the end of a parallel body that was left by a tail call (memset). Without symbols
 * only exported functions have names, which all those that sleep are. */
static bool is_system(const struct fm_context *frame)
{
    const char *sleeping = "*pthread*\0*futex*\0*lll_*\0*sched_yield\0*syscall*\0*sleep\0*poll\0*select\0*sem_*\0";
    const struct fm_context_id *id = &frame->id;
    if (!id->module[0] && !id->defined[0])
        return true;
    if (!is_libc(id))
        return fm_names_fit("ld-*\0linux-vdso*\0\\[vdso]\0", fm_basename(id->module));
    return fm_names_fit(sleeping, id->name) || (frame->parent && is_libc(&frame->parent->id));
}

bool fm_is_thread_runtime(const char *module)
{
    bool is = false;
    for (size_t i = 0; i < FM_THREAD_RUNTIMES && !is; i++)
        is = fm_names_fit(fm_thread_runtimes[i].libraries, fm_basename(module));
    return is;
}

bool fm_context_in_thread_runtime(const struct fm_context *context)
{
    if (context->id.kind != FM_CONTEXT_FRAME)
        return false;
    bool is_in = fm_is_thread_runtime(context->id.module);
    for (size_t i = 0; i < FM_THREAD_RUNTIMES && !is_in; i++)
        is_in = fm_names_fit(fm_thread_runtimes[i].functions, context->id.name);
    return is_in;
}

enum fm_thread_state fm_thread_state_in(enum fm_thread_state above, const struct fm_context *frame)
{
    if (!fm_context_in_thread_runtime(frame))
        return is_system(frame) ? above : FM_THREAD_PROGRAM;
    for (size_t i = 0; i < FM_THREAD_RUNTIMES; i++)
        if (fm_names_fit(fm_thread_runtimes[i].waits, frame->id.name))
            return FM_THREAD_WAITS;
    for (size_t i = 0; i < FM_THREAD_RUNTIMES; i++)
        if (fm_names_fit(fm_thread_runtimes[i].works, frame->id.name))
            return FM_THREAD_WORKS;
    return above == FM_THREAD_PROGRAM ? FM_THREAD_WAITS : above;
}
