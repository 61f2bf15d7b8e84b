/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/altstack.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"
#include "runtime/signal/state.h"

/* Linux: the stack is disabled while a handler runs on it, until the handler returns. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1 << 31)
#endif

/* Two signal frames of this kernel, and the handlers they are for. */
static size_t min_bytes(void)
{
    enum { HANDLER_BYTES = 16384, MIN_FRAME = 8192 };
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    return HANDLER_BYTES + 2 * (frame > MIN_FRAME ? frame : MIN_FRAME);
}

/* SS_AUTODISARM: a handler of the program that interrupts a sample may switch from our stack to another context before
 * it returns. The kernel must not start at the top of our stack again then. */
static stack_t own_stack(void)
{
    return (stack_t){.ss_sp = fm_sampling_local.alternate, .ss_size = FM_ALTSTACK_BYTES, .ss_flags = SS_AUTODISARM};
}

bool fm_altstack_begin(void *room)
{
    stack_t stack;
    fm_sampling_local.alternate = room;
    if (fm_sampling_local.has_alternate)
        return true;
    if (fm_kernel(SYS_sigaltstack, NULL, &stack) != 0)
        return false;
    if (!(stack.ss_flags & SS_DISABLE))
        return stack.ss_size >= min_bytes();
    stack = own_stack();
    fm_sampling_local.has_alternate = fm_kernel(SYS_sigaltstack, &stack, NULL) == 0;
    return fm_sampling_local.has_alternate;
}

void fm_altstack_begin_at_return(void *room, stack_t *saved)
{
    fm_sampling_local.alternate = room;
    if (!room || fm_sampling_local.has_alternate || !(saved->ss_flags & SS_DISABLE))
        return;
    *saved = own_stack();
    fm_sampling_local.has_alternate = true;
}

void fm_altstack_end(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    int error = errno;
    if (fm_sampling_local.has_alternate && fm_kernel(SYS_sigaltstack, &none, NULL) == 0)
        fm_sampling_local.has_alternate = false;
    fm_sampling_local.alternate = NULL;
    errno = error;
}

bool fm_altstack_follow(bool set, stack_t *before)
{
    int error = errno;
    bool can = true;
    if (fm_sampling_local.has_alternate && before)
        *before = (stack_t){.ss_flags = SS_DISABLE};
    if (set)
        fm_sampling_local.has_alternate = false;
    if (set && fm_sampling_local.alternate)
        can = fm_altstack_begin(fm_sampling_local.alternate);
    errno = error;
    return can;
}
