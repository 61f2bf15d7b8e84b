#define _GNU_SOURCE
#include "runtime/signal/alternate.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"

/* Linux's: a handler that begins on the stack takes it away until it returns. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1 << 31)
#endif

static __thread struct {
    void *room;
    bool in_place; /* the program has none */
} own __attribute__((tls_model("initial-exec")));

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
    return (stack_t){.ss_sp = own.room, .ss_size = FM_ALTERNATE_BYTES, .ss_flags = SS_AUTODISARM};
}

bool fm_alternate_begin(void *room)
{
    stack_t stack;
    own.room = room;
    if (own.in_place)
        return true;
    if (fm_kernel(SYS_sigaltstack, NULL, &stack) != 0)
        return false;
    if (!(stack.ss_flags & SS_DISABLE))
        return stack.ss_size >= enough();
    stack = ours();
    own.in_place = fm_kernel(SYS_sigaltstack, &stack, NULL) == 0;
    return own.in_place;
}

void fm_alternate_begin_at_return(void *room, stack_t *saved)
{
    own.room = room;
    if (!room || own.in_place || !(saved->ss_flags & SS_DISABLE))
        return;
    *saved = ours();
    own.in_place = true;
}

void fm_alternate_end(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    int error = errno;
    if (own.in_place && fm_kernel(SYS_sigaltstack, &none, NULL) == 0)
        own.in_place = false;
    own.room = NULL;
    errno = error;
}

bool fm_alternate_follow(bool set, stack_t *before)
{
    int error = errno;
    bool can = true;
    if (own.in_place && before)
        *before = (stack_t){.ss_flags = SS_DISABLE};
    if (set)
        own.in_place = false;
    if (set && own.room)
        can = fm_alternate_begin(own.room);
    errno = error;
    return can;
}
