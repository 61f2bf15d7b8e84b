/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures the state of a thread of another process: its registers and the top of its stack.
 *
 * A sleeping thread is never stopped: a system call that is interrupted may fail with EINTR or transfer only a part of
 * its bytes (epoll_wait, semop, sigtimedwait, recv with a timeout: the kernel restarts only some system calls). /proc
 * tells where it sleeps, and while it sleeps its stack does not change: the stack is read, and the copy is used if the
 * thread is afterwards still where it was. A thread that was once seen in such a call is never stopped: it may be about
 * to return from one or to enter one, and /proc cannot tell that from running.
 *
 * A running thread is stopped for as long as it takes to read its registers and its stack: PTRACE_SEIZE,
 * PTRACE_INTERRUPT, PTRACE_DETACH. In between it is not traced at all, so that its signals are delivered as usual and a
 * debugger can attach. A signal that arrives during the stop is delivered when the thread is released. If the tool is
 * killed, the kernel releases the thread. */
#ifndef FM_ATTACH_CAPTURE_H
#define FM_ATTACH_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/registers.h"

enum { FM_CAPTURE_STACK_BYTES = 64 << 10 };

struct fm_capture {
    uint64_t registers[FM_REGISTERS];
    uint64_t pc, sp;
    bool asleep;        /* only pc and sp are known */
    uint64_t held_ns;   /* from the request to stop until the release, without the wait for a core; 0: not stopped */
    uint64_t asked_ns;  /* when the capture began */
    uint64_t queued_ns; /* how long it had waited for a core by then, if it was requested to stop */
    uint64_t stack_low; /* where the copy of the stack begins: at sp, or at the red zone below it */
    uint64_t stack_end; /* do not read beyond: a page may be backed by a stopped process, or not be memory at all */
    size_t bytes;       /* of the stack, from stack_low on */
    unsigned char stack[FM_CAPTURE_STACK_BYTES];
};

enum fm_capture_state {
    FM_CAPTURE_DONE,
    FM_CAPTURE_STOPPING,      /* it is running and was requested to stop: fm_capture_next_stopped */
    FM_CAPTURE_NOT_STOPPABLE, /* it is running, and must not be stopped */
    FM_CAPTURE_MISSED,        /* it moved during the capture */
    FM_CAPTURE_GONE,
    FM_CAPTURE_DENIED
};

/* A thread and its files in /proc, which remain its own even when its tid is reused. */
struct fm_capture_thread {
    pid_t pid, tid;
    int place, delay, state;       /* file descriptors of syscall, schedstat, stat; -1: none */
    bool fragile;                  /* must never be stopped */
    unsigned looks;                /* number of probes that showed something */
    uint64_t ran_ns;               /* CPU time at the last of them */
    uint64_t stack_low, stack_end; /* the mapping that contains its stack */
};

bool fm_capture_open(struct fm_capture_thread *thread, pid_t pid, pid_t tid); /* false: ended, or not permitted */
void fm_capture_close(struct fm_capture_thread *thread);
/* The core that it uses or used last; -1 if unknown, or if the thread leaves no time of it to others. */
int fm_capture_core(const struct fm_capture_thread *thread);
/* Only checks whether the thread is fragile and where its stack is. Returns false if it may not be read. */
bool fm_capture_probe(struct fm_capture_thread *thread);

/* Whether it is asleep with this pc and sp. */
bool fm_capture_is_asleep_at(const struct fm_capture_thread *thread, uint64_t pc, uint64_t sp);

/* Captures a sleeping thread, or requests a running one to stop if `may_ask`. At most one thread of a process may have
 * a pending request: if that process calls exec, two would wait for each other. Signals that could stop or end the
 * caller should be blocked until all requests are completed. */
enum fm_capture_state fm_capture_begin(struct fm_capture_thread *thread, bool may_ask, struct fm_capture *capture);
/* The next thread that has stopped or ended after a request to stop; 0 if none has. */
pid_t fm_capture_next_stopped(int *status);
/* Releases a thread that is no longer waited for. */
void fm_capture_release(pid_t tid, int status);
/* Captures a thread that has stopped, and releases it. */
enum fm_capture_state fm_capture_finish(struct fm_capture_thread *thread, int status, struct fm_capture *capture);

#endif
