/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/group_signallers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "mpi/launchers.h"

/* Reads a file of a process; returns its size. The text is terminated, even if the last word was truncated. */
static size_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;
    if (fd >= 0)
        close(fd);
    n = n > 0 ? n : 0;
    text[n] = 0;
    return (size_t)n;
}

/* ---- timeout ---- */

/* getopt_long accepts "--fore" for "--foreground". */
static bool abbreviates(const char *word, const char *option)
{
    size_t length = strcspn(word, "=");
    return length > 0 && strncmp(word, option, length) == 0;
}

/* Whether an option word asks for the foreground; *takes_next: the next word is its argument. */
static bool asks_for_foreground(const char *word, bool *takes_next)
{
    *takes_next = false;
    if (word[1] == '-') {
        const char *name = word + 2;
        *takes_next = !strchr(name, '=') && (abbreviates(name, "kill-after") || abbreviates(name, "signal"));
        return abbreviates(name, "foreground");
    }
    for (const char *letter = word + 1; *letter; letter++) {
        if (*letter == 'f')
            return true;
        if (*letter == 'k' || *letter == 's') {
            *takes_next = !letter[1];
            return false;
        }
    }
    return false;
}

/* With --foreground, timeout signals only its child. Its options end before the duration. */
static bool in_foreground(pid_t timeout)
{
    char words[4096];
    size_t bytes = read_of(timeout, "cmdline", words, sizeof words);
    bool is_argument = true; /* so is its name */
    for (const char *word = words; word < words + bytes; word += strlen(word) + 1) {
        if (is_argument) {
            is_argument = false;
            continue;
        }
        if (word[0] != '-' || strcmp(word, "--") == 0)
            return false;
        if (asks_for_foreground(word, &is_argument))
            return true;
    }
    return false;
}

/* ---- ancestors ---- */

/* `below`: its child that leads to us, which need not be in our process group. */
static bool signals_our_group(pid_t pid, pid_t below)
{
    char name[32];
    bool is_in_it = getpgid(pid) == getpgrp();
    read_of(pid, "comm", name, sizeof name);
    name[strcspn(name, "\n")] = 0;
    if (strcmp(name, "timeout") == 0)
        return is_in_it && !in_foreground(pid);
    return !is_in_it && getpgid(below) == getpgrp() && fm_launcher_signals_groups(name);
}

void fm_group_signallers_find(struct fm_group_signallers *signallers)
{
    enum { HEIGHT = 64 }; /* /proc may change while we walk up */
    pid_t below = getpid(), pid = getppid();
    signallers->n = 0;
    for (int i = 0; i < HEIGHT && pid > 0 && signallers->n < FM_GROUP_SIGNALLERS; i++) {
        if (signals_our_group(pid, below))
            signallers->pids[signallers->n++] = pid;
        below = pid;
        pid = fm_process_parent(pid);
    }
}

bool fm_group_signallers_have(const struct fm_group_signallers *signallers, pid_t pid)
{
    for (size_t i = 0; i < signallers->n; i++)
        if (signallers->pids[i] == pid)
            return true;
    return false;
}
