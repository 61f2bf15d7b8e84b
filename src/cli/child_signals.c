/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/child_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

enum { N_SIGNALS = _NSIG };

/* The state before we installed our handlers. */
static struct sigaction actions[N_SIGNALS];
static sigset_t mask;

/* Used by the handlers. */
static volatile pid_t command;
static struct fm_group_signallers group_signallers;
static pid_t guarded;
static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t stop_wanted; /* signal number, or 0 */
static volatile sig_atomic_t stopped_too;

static bool stops(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool ends(int number)
{
    return !stops(number) && number != SIGCONT && number != SIGWINCH && number != SIGURG;
}

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP ||
           number == SIGSYS;
}

/* Whether there is a shell above our process group in our session, which waits for us and takes the terminal back when
 * we stop. If there is none, as for the first process of a container, nobody would continue us. */
static bool has_shell(void)
{
    pid_t pid = getppid();
    while (pid > 0 && getpgid(pid) == getpgrp())
        pid = fm_process_parent(pid);
    return pid > 0 && getsid(pid) == getsid(0);
}

static bool holds_terminal(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool held = fd >= 0 && tcgetpgrp(fd) == getpgrp() && has_shell();
    if (fd >= 0)
        close(fd);
    return held;
}

/* Whether the command, if it is our child, has stopped since we last checked. */
static bool has_stopped_again(int options)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)command, &info, WSTOPPED | WNOHANG | options) == 0 && info.si_pid == command;
}

/* Stops us with the signal that requested it, which our parent then sees. All signals are blocked. A SIGCONT that
 * arrives after raise() cancels the stop; if one came before, the command is already running again. */
static void stop_like_child(int number)
{
    struct sigaction caught, action = {.sa_handler = SIG_DFL};
    sigset_t only, blocked;
    stop_wanted = 0;
    stopped_too = 1;
    has_stopped_again(0);
    if (number == SIGSTOP) { /* cannot be deferred by blocking it */
        if (fm_process_stopped(command))
            raise(SIGSTOP);
        return;
    }
    sigaction(number, &action, &caught);
    raise(number);
    action.sa_handler = SIG_IGN;
    if (!fm_process_stopped(command))
        sigaction(number, &action, NULL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigaction(number, &caught, NULL);
}

/* The terminal and launchers signal the whole process group, so the command has got the signal already. The same holds
 * if the command signals its own group. A shell that continues its job has continued the command before us, and it may
 * have stopped again. */
static bool is_for_command(int number, const siginfo_t *info)
{
    bool to_us_alone = info->si_code <= 0 && info->si_pid != command && info->si_pid != getpid() &&
                       !fm_group_signallers_have(&group_signallers, info->si_pid);
    if (number == SIGCONT && stopped_too)
        return to_us_alone && fm_process_stopped(command) && !has_stopped_again(WNOWAIT);
    return to_us_alone;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    if (is_fault(number) && info->si_code > 0) {
        signal(number, SIG_DFL); /* our own fault, which recurs when we return */
        return;
    }
    if (guarded && info->si_code <= 0 && info->si_pid == guarded) {
        if (command > 0)
            kill(command, SIGKILL);
        errno = saved;
        return;
    }
    if (command > 0 && is_for_command(number, info)) {
        if (info->si_code == SI_QUEUE)
            sigqueue(command, number, info->si_value);
        else
            kill(command, number);
    }
    if (number == SIGCONT)
        stopped_too = stop_wanted = 0;
    if (stops(number)) {
        stop_wanted = number;
        if (fm_process_stopped(command))
            stop_like_child(number);
    }
    /* A signal from ourselves is SIGPIPE: the reader of our output has gone. */
    if (ends(number) && actions[number].sa_handler != SIG_IGN && info->si_pid != getpid())
        interrupted = 1;
    errno = saved;
}

static bool is_caught(int number)
{
    return number != SIGKILL && number != SIGSTOP && number != SIGCHLD;
}

void fm_child_signals_catch(const struct fm_group_signallers *signallers)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = pass_on};
    sigset_t all;
    group_signallers = *signallers;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    sigfillset(&action.sa_mask);
    for (int number = 1; number < N_SIGNALS; number++)
        if (is_caught(number)) /* fails for those reserved by libc */
            sigaction(number, &action, &actions[number]);
    /* Our parent may have set SIGCHLD to be ignored: the kernel would then keep no exit status of the command. */
    action = (struct sigaction){.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &action, &actions[SIGCHLD]);
}

void fm_child_signals_guard(pid_t pid)
{
    guarded = pid;
}

void fm_child_signals_restore(void)
{
    for (int number = 1; number < N_SIGNALS; number++)
        sigaction(number, &actions[number], NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

void fm_child_signals_pass_to(pid_t pid)
{
    command = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

void fm_child_signals_stopped(int number)
{
    sigset_t all, now;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &now);
    if (stop_wanted)
        stop_like_child(stop_wanted);
    else if (holds_terminal())
        stop_like_child(number);
    sigprocmask(SIG_SETMASK, &now, NULL);
}

void fm_child_signals_ended(void)
{
    command = 0;
    for (int number = 1; number < N_SIGNALS; number++)
        if (is_caught(number) && !ends(number))
            sigaction(number, &actions[number], NULL);
}

void fm_child_signals_forget(void)
{
    interrupted = 0;
}

bool fm_child_signals_interrupted(void)
{
    return interrupted;
}
