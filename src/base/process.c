#define _GNU_SOURCE
#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a small file of /proc whole; the text is terminated. */
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

/* Fields 3 (state), 20 (threads) and 22 (start time); the command name before them may hold anything. */
static bool read_stat(pid_t pid, char *state, long *threads, uint64_t *start_time)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid <= 0 || !read_text(path, text, sizeof text))
        return false;
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || !at[2])
        return false;
    *state = at[2];
    *threads = 0;
    for (int field = 2; field < 22 && at; field++) {
        at = strchr(at + 1, ' ');
        if (at && field + 1 == 20)
            *threads = strtol(at + 1, NULL, 10);
    }
    *start_time = at ? strtoull(at + 1, NULL, 10) : 0;
    return true;
}

uint64_t fm_process_start_time(pid_t pid)
{
    char state;
    long threads;
    uint64_t start_time;
    return read_stat(pid, &state, &threads, &start_time) ? start_time : 0;
}

bool fm_process_alive(pid_t pid, uint64_t start_time)
{
    char state;
    long threads;
    uint64_t found;
    if (!read_stat(pid, &state, &threads, &found) || found != start_time)
        return false;
    return threads > 1 || (state != 'Z' && state != 'X' && state != 'x'); /* one that has left by pthread_exit counts */
}

bool fm_process_stopped(pid_t pid)
{
    char state;
    long threads;
    uint64_t start_time;
    return read_stat(pid, &state, &threads, &start_time) && state == 'T';
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
