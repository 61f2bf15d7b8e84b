/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture of a thread of another process: its registers and the near part of its stack.
 *
 * A thread that sleeps is never stopped: what a stop would interrupt may end with EINTR or with half of its bytes
 * (epoll_wait, semop, sigtimedwait, recv with a time limit: the kernel begins only some system calls anew). Where it
 * sleeps /proc says, and as long as it does its stack stays as it is: it is read, and believed if the thread is then
 * found as it was before. A thread that was found in such a call once is never stopped: it may be about to wake up in
 * one, or to enter one, and /proc does not tell that from running.
 *
 * One that runs is held for as long as it takes to read its registers and its stack: PTRACE_SEIZE, PTRACE_INTERRUPT,
 * PTRACE_DETACH. In between it is not traced at all, so that its signals go their ordinary way and a debugger may come.
 * A signal that arrives in just that moment is delivered when it is let go. When the tool is killed the kernel lets it
 * go, too. */
#ifndef FM_ATTACH_SHOT_H
#define FM_ATTACH_SHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/registers.h"

enum { FM_SHOT_BYTES = 64 << 10 };

struct fm_shot {
    uint64_t registers[FM_REGISTERS];
    uint64_t pc, sp;
    bool asleep;        /* of the registers pc and sp alone are known */
    uint64_t held_ns;   /* stopped, from asking for it until it was let go, without waiting for a core; 0: not at all */
    uint64_t asked_ns;  /* when the thread was looked at */
    uint64_t queued_ns; /* how long it had waited for a core until then, if it was asked to stop */
    uint64_t stack_low; /* where the copy of the stack begins: at sp, or at the red zone below it */
    uint64_t stack_end; /* nothing beyond is to be read: it may not be memory, and whoever fills it may be stopped */
    size_t bytes;       /* of the stack, from stack_low on */
    unsigned char stack[FM_SHOT_BYTES];
};

enum fm_shot_state {
    FM_SHOT_TAKEN,
    FM_SHOT_ASKED,  /* the thread runs and was asked to stop: it will be waited for */
    FM_SHOT_UNSEEN, /* it runs, and must not be stopped */
    FM_SHOT_MISSED, /* it moved while it was looked at */
    FM_SHOT_GONE,
    FM_SHOT_DENIED
};

/* A thread, and what /proc has of it: files that stay its own even when its number is used again. */
struct fm_shot_thread {
    pid_t pid, tid;
    int place, delay, state;       /* syscall, schedstat, stat; -1: none */
    bool fragile;                  /* never to be stopped */
    unsigned looks;                /* that have shown something */
    uint64_t ran_ns;               /* on a core, until the last of them */
    uint64_t stack_low, stack_end; /* of the mapping that its stack was in */
};

bool fm_shot_open(struct fm_shot_thread *thread, pid_t pid, pid_t tid); /* false: gone, or not to be looked at */
void fm_shot_close(struct fm_shot_thread *thread);
/* The core that it has or had last; -1: not known, or it leaves nothing of it to others. */
int fm_shot_core(const struct fm_shot_thread *thread);
/* Only looks whether the thread is fragile, and where its stack is; false: that may not be looked at. */
bool fm_shot_learn(struct fm_shot_thread *thread);

/* Whether it sleeps at just that place. */
bool fm_shot_rests(const struct fm_shot_thread *thread, uint64_t pc, uint64_t sp);

/* Takes it, or asks the thread to stop if that may be. A thread of a process of which another is asked must not be: should
 * that process exec, each would wait for the other. Signals that could stop or end the caller should be blocked from here on, until
 * all that were asked have been waited for. */
enum fm_shot_state fm_shot_begin(struct fm_shot_thread *thread, bool may_ask, struct fm_shot *shot);
/* The next thread that the caller has asked and that has stopped or ended; 0: none has. */
pid_t fm_shot_next(int *status);
/* Of one that is not waited for any more. */
void fm_shot_release(pid_t tid, int status);
/* Takes it of the thread that has, and lets it go. */
enum fm_shot_state fm_shot_end(struct fm_shot_thread *thread, int status, struct fm_shot *shot);

#endif
