#define _GNU_SOURCE
#include "measure/signal/deliver.h"

#include <unistd.h>

#include "base/platform.h"
#include "measure/signal/sample.h"
#include "measure/signal/thread_status.h"

struct fm_handlers fm_handlers;

/* The kernel lets one thread describe a signal to another as it likes, but for those codes that are its own (from 0 on):
 * a code that was handed on is less by this. */
enum { HANDED_ON = 1 << 30 };

static bool was_handed_on(const siginfo_t *info)
{
    return info->si_code < -(HANDED_ON / 2);
}

/* One that is not sampled has no number there. */
static bool is_first_thread(int32_t first)
{
    int32_t tid = fm_sampled_self ? fm_sampled_self->tid : 0;
    return (tid ? tid : (int32_t)fm_kernel(SYS_gettid)) == first;
}

/* Whether the kernel, left to itself, would have chosen the first thread. What counts the time of threads is for the one
 * that runs; and of sigqueue, timers and files nobody can tell whom they are for. */
static bool is_for_first(int signal, const siginfo_t *info)
{
    if (info->si_code == SI_USER) /* by kill */
        return true;
    return info->si_code == SI_KERNEL && signal != SIGPROF && signal != SIGVTALRM && signal != SIGXCPU &&
           signal != SIGIO && signal != SIGURG;
}

static bool hand_on(int32_t first, int signal, const siginfo_t *info)
{
    siginfo_t copy = *info;
    copy.si_code -= HANDED_ON;
    return fm_kernel(SYS_rt_tgsigqueueinfo, first, first, signal, &copy) == 0;
}

static __attribute__((noinline)) bool hand_on_to_first(int32_t first, int signal, const siginfo_t *info)
{
    uint64_t blocked;
    return is_for_first(signal, info) && getpid() == first && fm_thread_blocks(first, &blocked) &&
           !(blocked >> (signal - 1) & 1) && hand_on(first, signal, info);
}

void fm_deliver(int signal, siginfo_t *info, void *context)
{
    fm_handler *call = atomic_load_explicit(&fm_handlers.call[signal], memory_order_relaxed);
    if (was_handed_on(info))
        info->si_code += HANDED_ON;
    else if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed)) {
        int32_t first = fm_sampling.contexts.header->pid;
        if (!is_first_thread(first) && hand_on_to_first(first, signal, info))
            return;
    }
    call(signal, info, context);
}
