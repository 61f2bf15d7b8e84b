#define _GNU_SOURCE
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "reduce/node.h"

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { N_PASSED_ON = sizeof passed_on / sizeof *passed_on, N_CHANGED };

/* What the signal handler needs. */
static volatile pid_t child_pid;
static volatile sig_atomic_t interrupted;
static pid_t group_signaller; /* a parent that signals our whole process group, or 0 */

/* Of a guard: the process group its command belongs into, and where it tells `fathom run` about it. */
static pid_t command_group;
static int told_to = -1;

/* The terminal and launchers signal the whole process group: the command has the signal already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    bool to_us_alone = info->si_code <= 0 && (group_signaller == 0 || info->si_pid != group_signaller);
    pid_t pid = child_pid;
    if (pid > 0 && to_us_alone)
        kill(pid, number);
    interrupted = 1;
    errno = saved;
}

/* mpirun and the like, and timeout(1), send a signal to the process group of what they started. */
static pid_t find_group_signaller(void)
{
    char path[40], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, name, sizeof name - 1);
        name[n > 0 ? n : 0] = 0;
        close(fd);
    }
    return strcmp(name, "timeout\n") == 0 && getpgid(getppid()) == getpgrp() ? getppid() : 0;
}

static void catch_signals(struct sigaction *old)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = pass_on;
    sigfillset(&action.sa_mask);
    for (int i = 0; i < N_PASSED_ON; i++) {
        sigaction(passed_on[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) /* as nohup leaves SIGHUP: ignored by both of us */
            sigaction(passed_on[i], &action, NULL);
    }
    /* Whoever started us may ignore SIGCHLD: then the kernel would keep no status of the command for us. */
    action = (struct sigaction){.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &action, &old[N_PASSED_ON]);
}

static void restore_signals(const struct sigaction *old, const sigset_t *mask)
{
    for (int i = 0; i < N_PASSED_ON; i++)
        sigaction(passed_on[i], &old[i], NULL);
    sigaction(SIGCHLD, &old[N_PASSED_ON], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static _Noreturn void become(char **(*prepare)(void *), void *context, int report_fd, const struct sigaction *old,
                             const sigset_t *mask)
{
    if (command_group)
        setpgid(0, command_group);
    restore_signals(old, mask);
    char **words = prepare(context);
    execvp(words[0], words);
    int error = errno;
    ssize_t written = write(report_fd, &error, sizeof error);
    (void)written;
    _exit(127);
}

static bool read_whole(int fd, void *to, size_t size)
{
    ssize_t n;
    while ((n = read(fd, to, size)) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)size;
}

/* What the guard knows. Nobody may be left to hear it. */
static void tell(const struct fm_child *child)
{
    if (told_to >= 0)
        send(told_to, child, sizeof *child, MSG_NOSIGNAL);
}

bool fm_child_start(struct fm_child *child, char **(*prepare)(void *context), void *context)
{
    struct sigaction old[N_CHANGED];
    sigset_t all, mask;
    int report[2];
    memset(child, 0, sizeof *child);
    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    if (!command_group)
        group_signaller = find_group_signaller();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    catch_signals(old);
    child->pid = fork();
    if (child->pid == 0)
        become(prepare, context, report[1], old, &mask);
    int error = errno;
    child_pid = child->pid;
    if (child->pid > 0)
        sigprocmask(SIG_SETMASK, &mask, NULL);
    else
        restore_signals(old, &mask);
    close(report[1]);
    if (child->pid > 0) {
        if (!read_whole(report[0], &child->exec_errno, sizeof child->exec_errno))
            child->exec_errno = 0;
        child->start_time = fm_process_start_time(child->pid);
        tell(child);
    }
    close(report[0]);
    errno = error;
    return child->pid > 0;
}

static uint64_t to_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

void fm_child_wait(struct fm_child *child)
{
    siginfo_t info;
    struct rusage use = {0};
    /* The pid stays taken (a zombie) until no signal can be sent to it any more. */
    while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    child_pid = 0;
    interrupted = 0;
    while (wait4(child->pid, &child->status, 0, &use) < 0 && errno == EINTR)
        ;
    child->ended_mono_ns = fm_clock_ns(CLOCK_MONOTONIC);
    child->user_ns = to_ns(use.ru_utime);
    child->system_ns = to_ns(use.ru_stime);
    child->max_rss_bytes = (uint64_t)use.ru_maxrss * 1024u;
    tell(child);
}

bool fm_child_guard(struct fm_child *child, void (*work)(void *context, struct fm_child *child), void *context)
{
    struct sigaction old[N_CHANGED];
    sigset_t all, mask;
    int told[2], status = 0;
    memset(child, 0, sizeof *child);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, told) != 0)
        return false;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    catch_signals(old);
    group_signaller = getppid();
    pid_t group = getpgrp(), guard = fork();
    if (guard == 0) {
        close(told[0]);
        told_to = told[1];
        command_group = group;
        group_signaller = 0;
        setpgid(0, 0);
        restore_signals(old, &mask);
        work(context, child);
        _exit(0);
    }
    if (guard > 0) {
        close(told[1]);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (read_whole(told[0], child, sizeof *child)) /* it runs: signals are for it */
            child_pid = child->pid;
        bool ended = child_pid && read_whole(told[0], child, sizeof *child);
        child_pid = 0;
        while (waitpid(guard, &status, 0) < 0 && errno == EINTR)
            ;
        if (!ended)
            child->status = status ? status : 126 << 8;
    } else {
        restore_signals(old, &mask);
        close(told[1]);
    }
    close(told[0]);
    return guard > 0;
}

bool fm_child_interrupted(void)
{
    return interrupted;
}

_Noreturn void fm_child_imitate(const struct fm_child *child)
{
    if (WIFSIGNALED(child->status)) {
        struct rlimit none = {0, 0};
        int number = WTERMSIG(child->status);
        sigset_t only;
        setrlimit(RLIMIT_CORE, &none); /* the core worth having is the command's */
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
