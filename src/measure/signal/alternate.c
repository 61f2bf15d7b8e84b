#define _GNU_SOURCE
#include "measure/signal/alternate.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"

/* Linux's: a handler that begins on the stack takes it away until it returns. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1 << 31)
#endif

/* Two of the largest frames that a kernel makes, and handlers between them. */
enum { ENOUGH = 64 * 1024 };

static __thread struct {
    void *room;
    bool in_place;
    stack_t program; /* what the program would have without us, while ours is in place */
} own __attribute__((tls_model("initial-exec")));

/* *stack is what the program has, and then what the kernel shall have; false: that is the same.
 *
 * A handler of the program that interrupts a sample is not at its end when it leaves our stack for another context: so the
 * kernel does not begin at the top again. But one that is meant for a stack of the program may leave it by a jump, and
 * expects to find it there the next time. */
static bool replace(stack_t *stack)
{
    bool none = stack->ss_flags & SS_DISABLE;
    if (stack->ss_flags & SS_ONSTACK || (!none && stack->ss_size >= ENOUGH))
        return false;
    own.program = *stack;
    own.in_place = true;
    *stack = (stack_t){.ss_sp = own.room,
                       .ss_size = FM_ALTERNATE_BYTES,
                       .ss_flags = none ? SS_AUTODISARM : stack->ss_flags & SS_AUTODISARM};
    return true;
}

bool fm_alternate_begin(void *room)
{
    stack_t stack;
    own.room = room;
    if (own.in_place)
        return true;
    if (syscall(SYS_sigaltstack, NULL, &stack) != 0)
        return false;
    if (!replace(&stack))
        return true;
    own.in_place = syscall(SYS_sigaltstack, &stack, NULL) == 0;
    return own.in_place;
}

void fm_alternate_begin_at_return(void *room, stack_t *saved)
{
    own.room = room;
    if (room && !own.in_place)
        replace(saved);
}

void fm_alternate_end(void)
{
    int error = errno;
    if (own.in_place && syscall(SYS_sigaltstack, &own.program, NULL) == 0)
        own.in_place = false;
    own.room = NULL;
    errno = error;
}

void fm_alternate_follow(bool set, stack_t *before)
{
    int error = errno;
    if (own.in_place && before) {
        int on = own.program.ss_flags & SS_DISABLE ? 0 : before->ss_flags & SS_ONSTACK;
        *before = own.program;
        before->ss_flags |= on;
    }
    if (set)
        own.in_place = false;
    if (set && own.room)
        fm_alternate_begin(own.room);
    errno = error;
}
