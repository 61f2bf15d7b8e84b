/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "collect/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 500, PAUSE_NS = 10000000 };

/* A root process may be the collector before it changes to our uid. A process that cannot be seen does not count as
 * ours: it is hidden from us, or it has ended and a child has inherited its lock. */
static bool is_another_user(int pid)
{
    char path[32];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d", pid);
    return pid > 0 && (stat(path, &st) != 0 || (st.st_uid != 0 && st.st_uid != geteuid()));
}

/* "1: FLOCK ADVISORY WRITE 4711 00:1b:42 0 EOF"; the device is in hexadecimal. */
static bool is_foreign_lock(const char *line, const struct stat *st)
{
    int pid;
    unsigned major_number, minor_number;
    unsigned long inode;
    return sscanf(line, "%*u: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number, &minor_number, &inode) == 4 &&
           inode == st->st_ino && major_number == major(st->st_dev) && minor_number == minor(st->st_dev) &&
           is_another_user(pid);
}

static bool held_by_another_user(int fd)
{
    char text[4096];
    struct stat st;
    size_t used = 0;
    ssize_t n;
    bool found = false;
    int locks = fstat(fd, &st) == 0 ? open("/proc/locks", O_RDONLY | O_CLOEXEC) : -1;
    while (locks >= 0 && !found && (n = read(locks, text + used, sizeof text - 1 - used)) > 0) {
        text[used + (size_t)n] = 0;
        char *line = text, *end;
        for (; !found && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            found = is_foreign_lock(line, &st);
        }
        used = strlen(line);
        used = used < sizeof text / 2 ? used : 0; /* no line is that long */
        memmove(text, line, used);
    }
    if (locks >= 0)
        close(locks);
    return found;
}

enum fm_file_lock fm_file_lock(int fd)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return FM_LOCKED;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return FM_LOCK_NONE;
        if (held_by_another_user(fd)) /* it may just have been released */
            return flock(fd, LOCK_EX | LOCK_NB) == 0 ? FM_LOCKED : FM_LOCK_FOREIGN;
        nanosleep(&pause, NULL);
    }
    return FM_LOCK_LATE;
}
