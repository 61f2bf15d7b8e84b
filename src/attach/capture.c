/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "attach/capture.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/syscalls.h"

enum { PAGE = 4096, TRIES = 3, SYSCALL_TEXT = 256 };

static int open_of(const struct fm_capture_thread *thread, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)thread->pid, (int)thread->tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool fm_capture_open(struct fm_capture_thread *thread, pid_t pid, pid_t tid)
{
    *thread = (struct fm_capture_thread){.pid = pid, .tid = tid};
    thread->place = open_of(thread, "syscall");
    thread->delay = open_of(thread, "schedstat");
    thread->state = open_of(thread, "stat");
    if (thread->place >= 0)
        return true;
    fm_capture_close(thread);
    return false;
}

void fm_capture_close(struct fm_capture_thread *thread)
{
    if (thread->place >= 0)
        close(thread->place);
    if (thread->delay >= 0)
        close(thread->delay);
    if (thread->state >= 0)
        close(thread->state);
    thread->place = thread->delay = thread->state = -1;
}

int fm_capture_core(const struct fm_capture_thread *thread)
{
    enum { CORE = 39, AFTER_NAME = 2 }; /* field numbers, from 1; names may contain blanks */
    char text[1024];
    ssize_t n = thread->state >= 0 ? pread(thread->state, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    const char *at = strrchr(text, ')');
    for (int field = AFTER_NAME; at && field < CORE; field++)
        at = strchr(at + 1, ' ');
    const char *priority = at ? strchr(at + 1, ' ') : NULL, *policy = priority ? strchr(priority + 1, ' ') : NULL;
    int how = policy ? atoi(policy + 1) : SCHED_OTHER;
    return at && (how == SCHED_OTHER || how == SCHED_BATCH || how == SCHED_IDLE) ? atoi(at + 1) : -1;
}

/* ---- the stack ---- */

/* Stacks do not move, so this is rarely needed. sp 0: that of the main thread. */
static void find_stack(struct fm_capture_thread *thread, uint64_t sp)
{
    char line[256];
    unsigned long low, end;
    int fd = open_of(thread, "maps");
    FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
    thread->stack_low = thread->stack_end = 0;
    if (!maps && fd >= 0)
        close(fd);
    while (maps && !thread->stack_end && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx ", &low, &end) == 2 &&
            (sp ? sp >= low && sp < end : strstr(line, "[stack]") != NULL)) {
            thread->stack_low = low;
            thread->stack_end = end;
        }
    if (maps)
        fclose(maps);
}

/* A running thread may be in an epilogue, whose unwind rules refer to words below the stack pointer. */
static uint64_t low_of(const struct fm_capture_thread *thread, const struct fm_capture *capture)
{
    uint64_t zone = capture->asleep ? 0 : FM_RED_ZONE_BYTES;
    return capture->sp - thread->stack_low < zone ? thread->stack_low : capture->sp - zone;
}

/* Page by page, because a transfer ends before the first page that is not mapped. */
static void copy_stack(struct fm_capture_thread *thread, struct fm_capture *capture)
{
    struct iovec from[FM_CAPTURE_STACK_BYTES / PAGE + 1], to = {capture->stack, sizeof capture->stack};
    size_t n = 0;
    if (capture->sp < thread->stack_low || capture->sp >= thread->stack_end)
        find_stack(thread, capture->sp);
    uint64_t at = capture->stack_low = low_of(thread, capture);
    capture->stack_end = thread->stack_end;
    size_t available = capture->stack_end > at ? capture->stack_end - at : 0;
    for (size_t left = available < sizeof capture->stack ? available : sizeof capture->stack; left; n++) {
        size_t part = PAGE - at % PAGE;
        if (part > left)
            part = left;
        from[n] = (struct iovec){(void *)(uintptr_t)at, part}; // NOLINT(performance-no-int-to-ptr)
        at += part;
        left -= part;
    }
    ssize_t got = n ? process_vm_readv(thread->tid, &to, 1, from, n, 0) : 0;
    capture->bytes = got > 0 ? (size_t)got : 0;
}

/* ---- scheduling ---- */

/* In nanoseconds, since the thread began. */
struct sched_times {
    unsigned long long ran, queued; /* on a core; waiting for one */
};

static struct sched_times sched_times_of(const struct fm_capture_thread *thread)
{
    char text[80];
    struct sched_times sched_times;
    ssize_t n = thread->delay >= 0 ? pread(thread->delay, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "%llu %llu", &sched_times.ran, &sched_times.queued) == 2 ? sched_times
                                                                                 : (struct sched_times){0, 0};
}

/* ---- sleeping threads ---- */

/* "running", or number (or -1) and arguments of the system call, stack pointer, pc; "" if the thread has ended. */
static void read_place(int fd, char text[SYSCALL_TEXT])
{
    ssize_t n = pread(fd, text, SYSCALL_TEXT - 1, 0);
    text[n > 0 ? n : 0] = 0;
}

static bool is_file(pid_t thread, const char *descriptor)
{
    char path[64], target[8] = "";
    snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)thread, strtol(descriptor, NULL, 16));
    return readlink(path, target, sizeof target - 1) > 0 && target[0] == '/' && strncmp(target, "/dev/", 5) != 0;
}

/* Whether a stop could disturb a thread that sleeps in this call. */
static bool is_fragile(const struct fm_capture_thread *thread, const char *text)
{
    char *arguments;
    long number = strtol(text, &arguments, 10);
    if (text[0] < '0' || text[0] > '9')
        return false;
    return fm_syscall_is_fragile(number) ||
           (fm_syscall_is_fragile_on_streams(number) && !is_file(thread->tid, arguments));
}

/* The last two numbers; false if the thread is running. */
static bool parse_place(const char *text, uint64_t *sp, uint64_t *pc)
{
    const char *last = strrchr(text, ' '), *before = last;
    char *end;
    while (before && before > text && *--before != ' ')
        ;
    if (!before || *before != ' ')
        return false;
    *sp = strtoull(before, &end, 16);
    *pc = strtoull(last, NULL, 16);
    return end == last;
}

bool fm_capture_is_asleep_at(const struct fm_capture_thread *thread, uint64_t pc, uint64_t sp)
{
    char text[SYSCALL_TEXT];
    uint64_t pc_now, sp_now;
    read_place(thread->place, text);
    return parse_place(text, &sp_now, &pc_now) && pc_now == pc && sp_now == sp;
}

/* A thread that waits for a core all the time shows nothing of what it does. */
bool fm_capture_probe(struct fm_capture_thread *thread)
{
    char text[SYSCALL_TEXT];
    uint64_t ran = sched_times_of(thread).ran;
    read_place(thread->place, text);
    thread->fragile = thread->fragile || is_fragile(thread, text);
    uint64_t sp = 0, pc;
    bool asleep = parse_place(text, &sp, &pc) && sp;
    thread->looks += asleep || thread->delay < 0 || ran != thread->ran_ns;
    thread->ran_ns = ran;
    if (!thread->stack_end && (asleep || thread->tid == thread->pid)) /* now rather than while it is stopped */
        find_stack(thread, asleep ? sp : 0);
    return text[0];
}

/* ---- running threads ---- */

/* A thread that ended while it was traced must be reaped by us before its parent can: now, or in
 * fm_capture_next_stopped. */
static enum fm_capture_state reap(pid_t tid)
{
    int status;
    while (waitpid(tid, &status, __WALL | WNOHANG) == tid && WIFSTOPPED(status))
        ptrace(PTRACE_DETACH, tid, 0, 0);
    return FM_CAPTURE_GONE;
}

/* The signal that a stop reports, to be delivered on detach. Our own stop has none, nor has a group stop, which
 * persists. */
static long signal_of(int status)
{
    return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Whether it was in a system call that returned fewer bytes than requested: most likely because of the stop. */
static bool returned_short(const struct fm_capture_thread *thread, const struct user_regs_struct *registers)
{
    uint64_t arguments[FM_CALL_ARGUMENTS], result;
    long number = fm_registers_call(registers, arguments, &result);
    int length = number >= 0 ? fm_syscall_length(number) : -1;
    if (length < 0 || (int64_t)result < 0 || result >= arguments[length])
        return false;
    uint64_t mask = FM_CALL_INSTRUCTION > 0xffff ? 0xffffffff : 0xffff;
    return ((uint64_t)ptrace(PTRACE_PEEKTEXT, thread->tid, FM_CALL_AT(registers), 0) & mask) == FM_CALL_INSTRUCTION;
}

static void read_stopped(struct fm_capture_thread *thread, struct fm_capture *capture, bool *ok)
{
    struct user_regs_struct registers;
    struct iovec place = {&registers, sizeof registers};
    *ok = ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &place) == 0;
    if (!*ok)
        return;
    capture->pc = fm_registers_read(&registers, capture->registers);
    capture->sp = capture->registers[FM_DWARF_SP];
    thread->fragile = thread->fragile || returned_short(thread, &registers);
    copy_stack(thread, capture);
}

static enum fm_capture_state ask(const struct fm_capture_thread *thread, struct fm_capture *capture)
{
    if (ptrace(PTRACE_SEIZE, thread->tid, 0, 0) != 0)
        return errno == EPERM ? FM_CAPTURE_DENIED : FM_CAPTURE_GONE;
    if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) != 0)
        return reap(thread->tid);
    capture->queued_ns = sched_times_of(thread).queued;
    return FM_CAPTURE_STOPPING;
}

pid_t fm_capture_next_stopped(int *status)
{
    pid_t tid;
    while ((tid = waitpid(-1, status, __WALL | __WNOTHREAD | WNOHANG)) < 0 && errno == EINTR)
        ;
    return tid > 0 ? tid : 0;
}

void fm_capture_release(pid_t tid, int status)
{
    if (WIFSTOPPED(status) && ptrace(PTRACE_DETACH, tid, 0, signal_of(status)) != 0)
        reap(tid);
}

enum fm_capture_state fm_capture_finish(struct fm_capture_thread *thread, int status, struct fm_capture *capture)
{
    bool ok;
    if (!WIFSTOPPED(status))
        return FM_CAPTURE_GONE;
    uint64_t waited = fm_clock_ns(CLOCK_MONOTONIC) - capture->asked_ns,
             queued = sched_times_of(thread).queued - capture->queued_ns;
    read_stopped(thread, capture, &ok);
    /* before the release: the thread may then take over this very core, and that time does not count */
    capture->held_ns = fm_clock_ns(CLOCK_MONOTONIC) - capture->asked_ns - (queued < waited ? queued : waited);
    if (ptrace(PTRACE_DETACH, thread->tid, 0, signal_of(status)) != 0)
        return reap(thread->tid);
    return ok ? FM_CAPTURE_DONE : FM_CAPTURE_MISSED;
}

/* ---- both ---- */

enum fm_capture_state fm_capture_begin(struct fm_capture_thread *thread, bool may_ask, struct fm_capture *capture)
{
    char before[SYSCALL_TEXT], after[SYSCALL_TEXT];
    capture->held_ns = 0;
    capture->asked_ns = fm_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < TRIES; i++) {
        read_place(thread->place, before);
        if (!before[0])
            return FM_CAPTURE_GONE;
        capture->asleep = parse_place(before, &capture->sp, &capture->pc);
        if (capture->asleep && !capture->pc) /* has called pthread_exit; only its tid is left */
            return FM_CAPTURE_GONE;
        if (!capture->asleep)
            return thread->fragile ? FM_CAPTURE_NOT_STOPPABLE : may_ask ? ask(thread, capture) : FM_CAPTURE_MISSED;
        thread->fragile = thread->fragile || is_fragile(thread, before);
        copy_stack(thread, capture);
        read_place(thread->place, after);
        if (strcmp(before, after) == 0)
            return FM_CAPTURE_DONE;
    }
    return FM_CAPTURE_MISSED;
}
