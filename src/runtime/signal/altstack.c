/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/altstack.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"
#include "runtime/signal/state.h"

/* Linux's: a handler that begins on the stack takes it away until it returns. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1 << 31)
#endif

/* Two frames of this kernel's, and the handlers that they are for. */
static size_t enough(void)
{
    enum { HANDLERS = 16384, USUAL_FRAME = 8192 };
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    return HANDLERS + 2 * (frame > USUAL_FRAME ? frame : USUAL_FRAME);
}

/* A handler of the program that interrupts a sample is not at its end when it leaves our stack for another context: so the
 * kernel does not begin at the top again. */
static stack_t ours(void)
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
        return stack.ss_size >= enough();
    stack = ours();
    fm_sampling_local.has_alternate = fm_kernel(SYS_sigaltstack, &stack, NULL) == 0;
    return fm_sampling_local.has_alternate;
}

void fm_altstack_begin_at_return(void *room, stack_t *saved)
{
    fm_sampling_local.alternate = room;
    if (!room || fm_sampling_local.has_alternate || !(saved->ss_flags & SS_DISABLE))
        return;
    *saved = ours();
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
