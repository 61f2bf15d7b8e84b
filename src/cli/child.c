/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/child_signals.h"
#include "cli/group_signallers.h"
#include "collect/node.h"

/* In a guard: the process group for its command, the `fathom run` that it works for, and the socket to it. */
static pid_t command_group, guarded_run;
static int report_socket = -1;

/* SIGKILL cannot be passed on, but without us it would have ended the command. A guard must survive to report that, so
 * it gets another signal; it has no command yet. */
static void set_death_signal(pid_t parent, int number)
{
    prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != parent)
        raise(SIGKILL);
}

/* The signal, if any, that a guard gets from now on when its `fathom run` dies. */
static void change_death_signal(int number)
{
    if (guarded_run)
        prctl(PR_SET_PDEATHSIG, number);
}

static _Noreturn void become(char **(*prepare)(void *), void *context, int report_fd, pid_t parent)
{
    if (command_group)
        setpgid(0, command_group);
    set_death_signal(parent, SIGKILL);
    fm_child_signals_restore();
    char **words = prepare(context);
    execvp(words[0], words);
    int error = errno;
    ssize_t written = write(report_fd, &error, sizeof error);
    (void)written;
    _exit(127);
}

static bool read_fully(int fd, void *to, size_t size)
{
    ssize_t n;
    while ((n = read(fd, to, size)) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)size;
}

/* Reports to `fathom run`, which may have ended. */
static void report_child(const struct fm_child *child)
{
    if (report_socket >= 0)
        send(report_socket, child, sizeof *child, MSG_NOSIGNAL);
}

bool fm_child_start(struct fm_child *child, char **(*prepare)(void *context), void *context)
{
    pid_t self = getpid();
    int report[2];
    struct fm_group_signallers signallers = {.n = 0};
    memset(child, 0, sizeof *child);
    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    if (!guarded_run)
        fm_group_signallers_find(&signallers);
    fm_child_signals_catch(&signallers);
    if (guarded_run) {
        fm_child_signals_guard(guarded_run);
        set_death_signal(guarded_run, SIGHUP);
    }
    child->pid = fork();
    if (child->pid == 0)
        become(prepare, context, report[1], self);
    int error = errno;
    if (child->pid > 0) {
        fm_child_signals_pass_to(child->pid);
    } else {
        change_death_signal(SIGKILL); /* this process may become the command */
        fm_child_signals_restore();
    }
    close(report[1]);
    if (child->pid > 0) {
        if (!read_fully(report[0], &child->exec_errno, sizeof child->exec_errno))
            child->exec_errno = 0;
        child->start_time = fm_process_start_time(child->pid);
        report_child(child);
    }
    close(report[0]);
    errno = error;
    return child->pid > 0;
}

/* Returns true if it has stopped. Leaves a zombie, so that its pid stays valid until no signal can be sent to it any
 * more. */
static bool wait_for_change(const struct fm_child *child, siginfo_t *info)
{
    while (waitid(P_PID, (id_t)child->pid, info, WEXITED | WSTOPPED | WNOWAIT) != 0)
        if (errno != EINTR)
            return false;
    return info->si_code == CLD_STOPPED;
}

static void await_end(struct fm_child *child)
{
    siginfo_t info;
    while (wait_for_change(child, &info)) {
        child->status = W_STOPCODE(info.si_status);
        waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WNOHANG); /* consume the stop, so that it is reported once */
        if (report_socket < 0)
            fm_child_signals_stopped(WSTOPSIG(child->status));
        report_child(child);
    }
}

void fm_child_wait(struct fm_child *child)
{
    struct rusage use = {0};
    await_end(child);
    child->runqueue_ns = fm_process_runqueue(child->pid); /* a zombie still has it */
    change_death_signal(0);
    fm_child_signals_ended();
    fm_child_signals_forget();
    while (wait4(child->pid, &child->status, 0, &use) < 0 && errno == EINTR)
        ;
    child->ended_mono_ns = fm_clock_ns(CLOCK_MONOTONIC);
    child->usage = fm_usage_of(&use);
    report_child(child);
}

/* Returns false if the guard could not report how the command ended. */
static bool read_exit_status(int fd, struct fm_child *child)
{
    bool told = read_fully(fd, child, sizeof *child);
    fm_child_signals_pass_to(told ? child->pid : 0);
    while (told && (told = read_fully(fd, child, sizeof *child)) && WIFSTOPPED(child->status))
        fm_child_signals_stopped(WSTOPSIG(child->status));
    fm_child_signals_ended();
    return told;
}

bool fm_child_guard(struct fm_child *child, void (*work)(void *context, struct fm_child *child), void *context)
{
    int told[2], status = 0;
    struct fm_group_signallers signallers;
    memset(child, 0, sizeof *child);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, told) != 0)
        return false;
    fm_group_signallers_find(&signallers);
    fm_child_signals_catch(&signallers);
    pid_t self = getpid(), group = getpgrp(), guard = fork();
    if (guard == 0) {
        close(told[0]);
        report_socket = told[1];
        command_group = group;
        guarded_run = self;
        setpgid(0, 0);
        fm_child_signals_restore();
        work(context, child);
        _exit(0);
    }
    if (guard > 0) {
        close(told[1]);
        bool ended = read_exit_status(told[0], child);
        while (waitpid(guard, &status, 0) < 0 && errno == EINTR)
            ;
        if (!ended)
            child->status = status ? status : 126 << 8;
    } else {
        fm_child_signals_restore();
        close(told[1]);
    }
    close(told[0]);
    return guard > 0;
}

bool fm_child_interrupted(void)
{
    return fm_child_signals_interrupted();
}

_Noreturn void fm_exit_like_child(const struct fm_child *child)
{
    if (WIFSIGNALED(child->status)) {
        struct rlimit none = {0, 0};
        int number = WTERMSIG(child->status);
        sigset_t only;
        setrlimit(RLIMIT_CORE, &none); /* only the core dump of the command is of interest */
        prctl(PR_SET_DUMPABLE, 0);
        signal(number, SIG_DFL);
        sigemptyset(&only);
        sigaddset(&only, number);
        sigprocmask(SIG_UNBLOCK, &only, NULL);
        raise(number);
        _exit(128 + number);
    }
    exit(WEXITSTATUS(child->status));
}
