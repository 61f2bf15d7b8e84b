/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "site/mail/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/writer.h"

enum { SAID_BYTES = 200 };

extern char **environ;

enum fm_status fm_mail_command_split(const char *command, struct fm_arena *arena, char *const **words,
                                     struct fm_error *error)
{
    size_t n = 0, length = strlen(command);
    char **found = fm_arena_alloc(arena, (length / 2 + 2) * sizeof *found);
    char *copy = fm_arena_strndup(arena, command, length), *rest;
    if (!found || !copy)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for mail_command");
    for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        found[n++] = word;
    found[n] = NULL;
    if (!n || found[0][0] != '/')
        return fm_fail(error, FM_ERR_INPUT, "mail_command must begin with a path from the root, not '%.60s'",
                       n ? found[0] : "");
    *words = found;
    return FM_OK;
}

static bool write_all(int file, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(file, bytes, n);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* Returns 0, or an error number. The command has a process group of its own: a Ctrl-C for us is not one for it. */
static int start(char *const *words, int mail, int output, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, mail, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failure = posix_spawn(pid, words[0], &files, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static bool wait_until(pid_t pid, uint64_t until_ns, int *status)
{
    for (long pause_ns = 200000;; pause_ns = pause_ns < 20000000 ? pause_ns * 2 : pause_ns) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return ended == pid;
        if (fm_clock_ns(CLOCK_MONOTONIC) >= until_ns)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    }
}

/* ": " and the first line that the command has printed, as far as it can be shown. */
static const char *what_it_said(int output, struct fm_arena *arena)
{
    char line[SAID_BYTES + 1];
    ssize_t n = pread(output, line, SAID_BYTES, 0);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    struct fm_writer said = {.arena = arena};
    fm_write(&said, "%s", *line ? ": " : "");
    fm_write_text(&said, line);
    const char *text = fm_writer_text(&said);
    return text ? text : "";
}

static enum fm_status judge(const char *command, bool ended, int status, double seconds, const char *said,
                            struct fm_error *error)
{
    if (!ended)
        return fm_fail(error, FM_ERR_SYSTEM, "%s took longer than %g seconds%s", command, seconds, said);
    if (WIFSIGNALED(status))
        return fm_fail(error, FM_ERR_SYSTEM, "%s was ended by signal %d%s", command, WTERMSIG(status), said);
    if (WEXITSTATUS(status) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "%s ended with status %d%s", command, WEXITSTATUS(status), said);
    return FM_OK;
}

static enum fm_status run(char *const *words, int mail, int output, double seconds, struct fm_error *error)
{
    pid_t pid;
    int failure = start(words, mail, output, &pid), status = 0;
    if (failure)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %s", words[0], strerror(failure));
    bool ended = wait_until(pid, fm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), &status);
    if (!ended) {
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    struct fm_arena arena = {0};
    enum fm_status judged = judge(words[0], ended, status, seconds, what_it_said(output, &arena), error);
    fm_arena_destroy(&arena);
    return judged;
}

enum fm_status fm_mail_deliver(char *const *words, const char *mail, size_t length, double seconds,
                               struct fm_error *error)
{
    /* Files in memory: neither the command nor we can block on the other's pipe. */
    int input = memfd_create("mail", MFD_CLOEXEC), output = memfd_create("output", MFD_CLOEXEC);
    enum fm_status status;
    if (input < 0 || output < 0 || !write_all(input, mail, length) || lseek(input, 0, SEEK_SET) != 0)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot keep a mail in memory: %s", strerror(errno));
    else
        status = run(words, input, output, seconds, error);
    if (input >= 0)
        close(input);
    if (output >= 0)
        close(output);
    return status;
}
