/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/print.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/node.h"
#include "runtime/interpose/object.h"

enum { STACK_BYTES = 64 << 10, TIMEOUT_MS = 30000, POLL_MS = 2 };

/* Next to the library (in a build tree), in the bin directory of its prefix, or in PATH. */
static void find_command(char path[FM_FILE_PATH_BYTES])
{
    static const char places[][24] = {"fathom", "../bin/fathom", "../../bin/fathom"};
    const struct link_map *self = fm_object_at((const void *)find_command);
    if (self) {
        const char *slash = strrchr(self->l_name, '/');
        int length = slash ? (int)(slash - self->l_name) : 1;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(path, FM_FILE_PATH_BYTES, "%.*s/%s", length, slash ? self->l_name : ".", places[i]);
            if (access(path, X_OK) == 0)
                return;
        }
    }
    snprintf(path, FM_FILE_PATH_BYTES, "fathom");
}

struct report {
    const char *command;
    char *const *arguments, *const *environment;
    sigset_t signals; /* the program's signal mask */
};

static pid_t start_report(const struct report *report)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        /* the report goes to stderr: standard output belongs to the program */
        if (posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) != 0 ||
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) != 0 ||
            posix_spawnattr_setsigmask(&attributes, &report->signals) != 0 ||
            posix_spawnp(&pid, report->command, &actions, &attributes, report->arguments, report->environment) != 0)
            pid = 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* Parent process of the report. It shares the program's memory but has its own stack, and the thread that created it is
 * suspended meanwhile. The program does not notice this child: it has no exit signal, and runs no handlers because all
 * signals are blocked. A report that does not finish in time is abandoned, because the program's own signals are
 * blocked while we wait. */
static int report_parent(void *context)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
    signal(SIGCHLD, SIG_DFL); /* only in this child: its table of signal handlers is a copy */
    pid_t pid = start_report(context);
    for (int waited = 0; pid > 0 && waited < TIMEOUT_MS && waitpid(pid, NULL, WNOHANG) == 0; waited += POLL_MS)
        nanosleep(&pause, NULL);
    return 0;
}

/* CLONE_VM copies nothing, whereas fork would copy the page tables of a large program, and no atfork handlers run. */
static void run_report(struct report *report)
{
    sigset_t all;
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &report->signals);
    pid_t child = clone(report_parent, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, report);
    while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &report->signals, NULL);
    munmap(stack, STACK_BYTES);
}

void fm_print_report(const char *profile_path)
{
    const char *setting = getenv("FATHOM_REPORT");
    if (!setting || !*setting)
        return;
    char command[FM_FILE_PATH_BYTES], path[FM_FILE_PATH_BYTES], output[FM_FILE_PATH_BYTES];
    find_command(command);
    snprintf(path, sizeof path, "%s", profile_path);
    snprintf(output, sizeof output, "%s", setting);
    bool terse = strcmp(setting, "terse") == 0, full = strcmp(setting, "full") == 0;
    char *arguments[] = {
        "fathom", "report", path, terse ? "--terse" : full ? NULL : "-o", terse || full ? NULL : output, NULL};
    char *environment[] = {"FATHOM_DISABLE=1", "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
    run_report(&(struct report){.command = command, .arguments = arguments, .environment = environment});
}
