/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "attach/shot.h"

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

static int open_of(const struct fm_shot_thread *thread, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)thread->pid, (int)thread->tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool fm_shot_open(struct fm_shot_thread *thread, pid_t pid, pid_t tid)
{
    *thread = (struct fm_shot_thread){.pid = pid, .tid = tid};
    thread->place = open_of(thread, "syscall");
    thread->delay = open_of(thread, "schedstat");
    thread->state = open_of(thread, "stat");
    if (thread->place >= 0)
        return true;
    fm_shot_close(thread);
    return false;
}

void fm_shot_close(struct fm_shot_thread *thread)
{
    if (thread->place >= 0)
        close(thread->place);
    if (thread->delay >= 0)
        close(thread->delay);
    if (thread->state >= 0)
        close(thread->state);
    thread->place = thread->delay = thread->state = -1;
}

int fm_shot_core(const struct fm_shot_thread *thread)
{
    enum { CORE = 39, AFTER_NAME = 2 }; /* fields, from 1; names may have blanks in them */
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

/* Stacks stay where they are, so that this is seldom needed. sp 0: that of the first thread. */
static void find_stack(struct fm_shot_thread *thread, uint64_t sp)
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

/* What runs may be in an epilogue, whose tables name words below the stack pointer. */
static uint64_t low_of(const struct fm_shot_thread *thread, const struct fm_shot *shot)
{
    uint64_t zone = shot->asleep ? 0 : FM_RED_ZONE_BYTES;
    return shot->sp - thread->stack_low < zone ? thread->stack_low : shot->sp - zone;
}

/* Page by page, because a transfer ends before the first part that is not there. */
static void copy_stack(struct fm_shot_thread *thread, struct fm_shot *shot)
{
    struct iovec from[FM_SHOT_BYTES / PAGE + 1], to = {shot->stack, sizeof shot->stack};
    size_t n = 0;
    if (shot->sp < thread->stack_low || shot->sp >= thread->stack_end)
        find_stack(thread, shot->sp);
    uint64_t at = shot->stack_low = low_of(thread, shot);
    shot->stack_end = thread->stack_end;
    size_t there = shot->stack_end > at ? shot->stack_end - at : 0;
    for (size_t left = there < sizeof shot->stack ? there : sizeof shot->stack; left; n++) {
        size_t part = PAGE - at % PAGE;
        if (part > left)
            part = left;
        from[n] = (struct iovec){(void *)(uintptr_t)at, part}; // NOLINT(performance-no-int-to-ptr)
        at += part;
        left -= part;
    }
    ssize_t got = n ? process_vm_readv(thread->tid, &to, 1, from, n, 0) : 0;
    shot->bytes = got > 0 ? (size_t)got : 0;
}

/* ---- how it fares ---- */

/* In nanoseconds, in its life. */
struct fare {
    unsigned long long ran, queued; /* on a core, and waiting for one */
};

static struct fare fare_of(const struct fm_shot_thread *thread)
{
    char text[80];
    struct fare fare;
    ssize_t n = thread->delay >= 0 ? pread(thread->delay, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "%llu %llu", &fare.ran, &fare.queued) == 2 ? fare : (struct fare){0, 0};
}

/* ---- asleep ---- */

/* "running", or number and arguments of the system call (or -1), stack pointer, instruction; "": gone. */
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

/* Whether a stop could harm a thread that sleeps there. */
static bool is_fragile(const struct fm_shot_thread *thread, const char *text)
{
    char *arguments;
    long number = strtol(text, &arguments, 10);
    if (text[0] < '0' || text[0] > '9')
        return false;
    return fm_syscall_is_fragile(number) ||
           (fm_syscall_is_fragile_on_streams(number) && !is_file(thread->tid, arguments));
}

/* The last two numbers; false: it runs. */
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

bool fm_shot_rests(const struct fm_shot_thread *thread, uint64_t pc, uint64_t sp)
{
    char text[SYSCALL_TEXT];
    uint64_t pc_now, sp_now;
    read_place(thread->place, text);
    return parse_place(text, &sp_now, &pc_now) && pc_now == pc && sp_now == sp;
}

/* A thread that waits for a core all the time shows nothing of what it does. */
bool fm_shot_learn(struct fm_shot_thread *thread)
{
    char text[SYSCALL_TEXT];
    uint64_t ran = fare_of(thread).ran;
    read_place(thread->place, text);
    thread->fragile = thread->fragile || is_fragile(thread, text);
    uint64_t sp = 0, pc;
    bool asleep = parse_place(text, &sp, &pc) && sp;
    thread->looks += asleep || thread->delay < 0 || ran != thread->ran_ns;
    thread->ran_ns = ran;
    if (!thread->stack_end && (asleep || thread->tid == thread->pid)) /* now, and not while it is stopped */
        find_stack(thread, asleep ? sp : 0);
    return text[0];
}

/* ---- running ---- */

/* What has ended while we held it is ours to be waited for, before its parent can: now, or by fm_shot_next. */
static enum fm_shot_state see_off(pid_t tid)
{
    int status;
    while (waitpid(tid, &status, __WALL | WNOHANG) == tid && WIFSTOPPED(status))
        ptrace(PTRACE_DETACH, tid, 0, 0);
    return FM_SHOT_GONE;
}

/* The signal that a stop is about: to be delivered on letting go. Ours has none, nor has a stop of the whole process,
 * which lasts. */
static long signal_of(int status)
{
    return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Whether it was in a system call that has given less than it was asked for: then because of us, most likely. */
static bool came_back_short(const struct fm_shot_thread *thread, const struct user_regs_struct *registers)
{
    uint64_t arguments[FM_CALL_ARGUMENTS], result;
    long number = fm_registers_call(registers, arguments, &result);
    int length = number >= 0 ? fm_syscall_length(number) : -1;
    if (length < 0 || (int64_t)result < 0 || result >= arguments[length])
        return false;
    uint64_t mask = FM_CALL_INSTRUCTION > 0xffff ? 0xffffffff : 0xffff;
    return ((uint64_t)ptrace(PTRACE_PEEKTEXT, thread->tid, FM_CALL_AT(registers), 0) & mask) == FM_CALL_INSTRUCTION;
}

static void read_stopped(struct fm_shot_thread *thread, struct fm_shot *shot, bool *good)
{
    struct user_regs_struct registers;
    struct iovec place = {&registers, sizeof registers};
    *good = ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &place) == 0;
    if (!*good)
        return;
    shot->pc = fm_registers_read(&registers, shot->registers);
    shot->sp = shot->registers[FM_DWARF_SP];
    thread->fragile = thread->fragile || came_back_short(thread, &registers);
    copy_stack(thread, shot);
}

static enum fm_shot_state ask(const struct fm_shot_thread *thread, struct fm_shot *shot)
{
    if (ptrace(PTRACE_SEIZE, thread->tid, 0, 0) != 0)
        return errno == EPERM ? FM_SHOT_DENIED : FM_SHOT_GONE;
    if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) != 0)
        return see_off(thread->tid);
    shot->queued_ns = fare_of(thread).queued;
    return FM_SHOT_ASKED;
}

pid_t fm_shot_next(int *status)
{
    pid_t tid;
    while ((tid = waitpid(-1, status, __WALL | __WNOTHREAD | WNOHANG)) < 0 && errno == EINTR)
        ;
    return tid > 0 ? tid : 0;
}

void fm_shot_release(pid_t tid, int status)
{
    if (WIFSTOPPED(status) && ptrace(PTRACE_DETACH, tid, 0, signal_of(status)) != 0)
        see_off(tid);
}

enum fm_shot_state fm_shot_end(struct fm_shot_thread *thread, int status, struct fm_shot *shot)
{
    bool good;
    if (!WIFSTOPPED(status))
        return FM_SHOT_GONE;
    uint64_t waited = fm_clock_ns(CLOCK_MONOTONIC) - shot->asked_ns, queued = fare_of(thread).queued - shot->queued_ns;
    read_stopped(thread, shot, &good);
    /* as it is let go the thread may take this very core: the time after that is not its */
    shot->held_ns = fm_clock_ns(CLOCK_MONOTONIC) - shot->asked_ns - (queued < waited ? queued : waited);
    if (ptrace(PTRACE_DETACH, thread->tid, 0, signal_of(status)) != 0)
        return see_off(thread->tid);
    return good ? FM_SHOT_TAKEN : FM_SHOT_MISSED;
}

/* ---- either ---- */

enum fm_shot_state fm_shot_begin(struct fm_shot_thread *thread, bool may_ask, struct fm_shot *shot)
{
    char before[SYSCALL_TEXT], after[SYSCALL_TEXT];
    shot->held_ns = 0;
    shot->asked_ns = fm_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < TRIES; i++) {
        read_place(thread->place, before);
        if (!before[0])
            return FM_SHOT_GONE;
        shot->asleep = parse_place(before, &shot->sp, &shot->pc);
        if (shot->asleep && !shot->pc) /* left by pthread_exit, and only the number is left */
            return FM_SHOT_GONE;
        if (!shot->asleep)
            return thread->fragile ? FM_SHOT_UNSEEN : may_ask ? ask(thread, shot) : FM_SHOT_MISSED;
        thread->fragile = thread->fragile || is_fragile(thread, before);
        copy_stack(thread, shot);
        read_place(thread->place, after);
        if (strcmp(before, after) == 0)
            return FM_SHOT_TAKEN;
    }
    return FM_SHOT_MISSED;
}
