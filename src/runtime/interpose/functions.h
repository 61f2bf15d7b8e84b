/* SPDX-License-Identifier: BSD-3-Clause */
/* The libc functions that are interposed (list.h), and how to call them without being counted or delayed.
 *
 *     the program --> jump stub --> wrapper, fm_wrapped_NAME --> next definition     while an interposer is enabled
 *                        `------------------------------------^                      otherwise
 *     Fathom itself ------------------------------------------^
 *
 * The library exports jump stubs under libc's names that touch no register of the call. So a function that no
 * interposer needs costs one jump, and a library of the program with a function of the same name and any parameters is
 * called as it would be without us. A next definition is resolved when it is first needed; those that wrappers use are
 * resolved before any wrapper is called.
 *
 * To observe the calls of a function, give its list your own bit in FM_INTERPOSED and define the wrapper, which is
 * known here only by its name. A function has a single wrapper, shared by all who observe its calls; each of them
 * checks whether a call concerns it.
 *
 * Fathom's own calls never count as the program's. A wrapper calls fm_real.NAME, the next definition. The rest of the
 * library calls libc by the usual names: the linker redirects these calls past the wrappers to the next definition
 * (own_calls.in). Where nothing may be bound, or errno must not change, system calls are made directly: fm_kernel in
 * base/platform.h. */
#ifndef FM_RUNTIME_INTERPOSE_FUNCTIONS_H
#define FM_RUNTIME_INTERPOSE_FUNCTIONS_H

#include <aio.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>

#include "base/platform.h"
#include "runtime/interpose/list.h"

struct __jmp_buf_tag;
struct gaicb;
struct msghdr;
struct mmsghdr;
struct rusage;
struct sembuf;
struct termios;

/* Who needs calls to go through the wrappers. */
enum fm_interposer {
    FM_FOR_UNLOADING = 1, /* the objects that we call must stay loaded: always */
    FM_FOR_FILTERS = 2,   /* a program that filters its system calls restricts us, too: always */
    FM_FOR_NOTES = 4,     /* what sampling has to know: from the start, until it is known that there is no sampling */
    FM_FOR_SAMPLES = 8,   /* while samples are taken */
    FM_FOR_FILES = 16,    /* while file I/O is measured */
    FM_FOR_COUNTERS = 32, /* while events are counted */
    FM_FOR_FIRST = FM_FOR_UNLOADING | FM_FOR_FILTERS | FM_FOR_NOTES /* at process start */
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

/* Enables the wrappers for these interposers. Afterwards all next definitions are resolved. */
void fm_interpose_begin(unsigned interposers);
/* Enables the wrappers for these, too, when fm_interpose_begin is called for others, or at the latest by the second
 * function: looking for all next definitions takes time. */
void fm_interpose_announce(unsigned interposers);
void fm_interpose_begin_announced(void);
/* Disables them: calls that no other interposer needs go directly to the next definition. */
void fm_interpose_end(unsigned interposers);

#endif
