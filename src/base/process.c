/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a small file of /proc and terminates the text. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    return true;
}

/* Fields 3, 4, 20 and 22 of /proc/PID/stat. */
struct stat_line {
    char state;
    pid_t parent;
    long threads;
    uint64_t start_time;
};

/* The command name before these fields may contain anything. */
static bool read_stat(pid_t pid, struct stat_line *line)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid <= 0 || !read_text(path, text, sizeof text))
        return false;
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || !at[2])
        return false;
    *line = (struct stat_line){.state = at[2]};
    for (int field = 2; field < 22 && at; field++) {
        at = strchr(at + 1, ' ');
        if (at && field + 1 == 4)
            line->parent = (pid_t)strtol(at + 1, NULL, 10);
        if (at && field + 1 == 20)
            line->threads = strtol(at + 1, NULL, 10);
    }
    line->start_time = at ? strtoull(at + 1, NULL, 10) : 0;
    return true;
}

uint64_t fm_process_start_time(pid_t pid)
{
    struct stat_line line;
    return read_stat(pid, &line) ? line.start_time : 0;
}

pid_t fm_process_parent(pid_t pid)
{
    struct stat_line line;
    return read_stat(pid, &line) ? line.parent : 0;
}

bool fm_process_alive(pid_t pid, uint64_t start_time)
{
    struct stat_line line;
    if (!read_stat(pid, &line) || line.start_time != start_time)
        return false;
    bool ended = line.state == 'Z' || line.state == 'X' || line.state == 'x';
    return line.threads > 1 || !ended; /* a main thread that has called pthread_exit is a zombie while others run */
}

bool fm_process_stopped(pid_t pid)
{
    struct stat_line line;
    return read_stat(pid, &line) && line.state == 'T';
}

uint64_t fm_pid_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

void fm_process_name(char *name, size_t size, const char *kind, pid_t pid)
{
    snprintf(name, size, "%s-%d-%llu-%llu", kind, (int)pid, (unsigned long long)fm_process_start_time(pid),
             (unsigned long long)fm_pid_namespace());
}

void fm_boot_id(char id[40])
{
    if (!read_text("/proc/sys/kernel/random/boot_id", id, 40))
        id[0] = 0;
    id[strcspn(id, "\n")] = 0;
}
