/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of libc that are interposed (list.h), and how to call them without being counted or delayed.
 *
 *     the program --> jump --> wrapper, fm_wrapped_NAME --> next definition     while somebody asks for it
 *                      `------------------------------------^                   otherwise
 *     Fathom itself ---------------------------------------^
 *
 * What the library exports under libc's names are jumps that touch no register of a call. So a call costs a jump where
 * nobody asks for it, and a library of the program that has a function of such a name, with any parameters, is called as
 * without us. A next definition is looked for when it is first needed; those that wrappers use are there before the
 * wrappers are called.
 *
 * Who wants to see calls of a function gives its list its own bit in FM_INTERPOSED, and defines the wrapper. That is not
 * known here but by its name. A wrapper has one function only, so all who want to see its calls meet there, and each of
 * them finds out by itself whether it has to do with this one.
 *
 * Fathom's own calls are never those of the program. A wrapper calls fm_real.NAME, the next definition. All the rest of
 * the library calls libc by the usual names: the linker leads these calls past the wrappers, to the next definition
 * (own_calls.h). Where nothing may be bound, or errno changed, there are the system calls themselves: fm_kernel in
 * base/platform.h. */
#ifndef FM_RUNTIME_INTERPOSE_FUNCTIONS_H
#define FM_RUNTIME_INTERPOSE_FUNCTIONS_H

#include <aio.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>

#include "base/platform.h"
#include "runtime/interpose/list.h"

struct gaicb;
struct msghdr;
struct mmsghdr;
struct rusage;
struct sembuf;
struct termios;

/* Who asks for calls to be passed to wrappers. */
enum fm_interposer {
    FM_FOR_UNLOADING = 1, /* what we call must stay loaded: always */
    FM_FOR_FILTERS = 2,   /* a program forbids itself system calls, and so us: always */
    FM_FOR_NOTES = 4,     /* what sampling has to know: from the start, until it is known that there is none */
    FM_FOR_SAMPLES = 8,   /* while samples are taken */
    FM_FOR_FIRST = FM_FOR_UNLOADING | FM_FOR_FILTERS | FM_FOR_NOTES /* when the process begins */
};

#define FM_REAL_FIELD(type, name, parameters, ...) type(*name) parameters;
#define FM_REAL_FIELDS(list, ...) list(FM_REAL_FIELD)
#define FM_WRAPPER(type, name, parameters, ...) type fm_wrapped_##name parameters;
#define FM_WRAPPERS(list, ...) list(FM_WRAPPER)
FM_INTERPOSED(FM_WRAPPERS)

/* The next definitions. */
struct fm_real {
    FM_INTERPOSED(FM_REAL_FIELDS)
};
#undef FM_REAL_FIELD
#undef FM_REAL_FIELDS
#undef FM_WRAPPER
#undef FM_WRAPPERS

extern FM_HIDDEN struct fm_real fm_real;

enum { FM_INTERPOSED_FUNCTIONS = sizeof(struct fm_real) / sizeof(void (*)(void)) };

/* These ask for their calls from now on. All next definitions are known afterwards. */
void fm_interpose_begin(unsigned interposers);
/* They do not any longer: calls that nobody else asks for are as without us. */
void fm_interpose_end(unsigned interposers);

#endif
