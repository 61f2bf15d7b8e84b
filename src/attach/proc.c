/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/denied.h"
#include "base/basename.h"

enum { FILE_BYTES = 8 << 20, BUILD_ID_BYTES = 64 };

static int open_of(pid_t thread, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%.40s", (int)thread, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool has_ended(char state)
{
    return state == 'Z' || state == 'X' || state == 'x';
}

/* Of a process, or of a thread; `ended` is that of the process in both cases. */
static bool read_stat(pid_t thread, struct fm_proc *proc, char *state)
{
    char text[512];
    int fd = open_of(thread, "stat"), parent, threads;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    char *open = strchr(text, '('), *close = strrchr(text, ')'); /* the name may contain any characters */
    *proc = (struct fm_proc){.pid = thread};
    if (!open || !close ||
        sscanf(close + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", state, &parent,
               &threads) != 3)
        return false;
    *close = 0;
    proc->parent = parent;
    proc->ended = has_ended(*state) && threads <= 1;
    snprintf(proc->name, sizeof proc->name, "%s", open + 1);
    return true;
}

bool fm_proc_read(pid_t pid, struct fm_proc *proc)
{
    char state;
    return read_stat(pid, proc, &state);
}

pid_t fm_proc_thread(pid_t pid)
{
    char path[40], state;
    struct fm_proc proc;
    const struct dirent *entry;
    if (!read_stat(pid, &proc, &state) || !has_ended(state) || proc.ended)
        return pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *stream = opendir(path);
    pid_t live = 0;
    while (stream && !live && (entry = readdir(stream))) {
        pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (tid && read_stat(tid, &proc, &state) && !has_ended(state))
            live = tid;
    }
    if (stream)
        closedir(stream);
    return live ? live : pid;
}

static int by_pid(const void *a, const void *b)
{
    pid_t x = ((const struct fm_proc *)a)->pid, y = ((const struct fm_proc *)b)->pid;
    return (x > y) - (x < y);
}

struct fm_proc *fm_proc_list(struct fm_arena *arena, size_t *n)
{
    size_t capacity = 0;
    struct fm_proc *list = fm_arena_grow(arena, NULL, &capacity, 64, sizeof *list);
    const struct dirent *entry;
    DIR *stream = opendir("/proc");
    *n = 0;
    while (list && stream && (entry = readdir(stream))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (*n == capacity)
            list = fm_arena_grow(arena, list, &capacity, *n + 1, sizeof *list);
        if (list && fm_proc_read(atoi(entry->d_name), &list[*n]))
            ++*n;
    }
    if (stream)
        closedir(stream);
    if (list)
        qsort(list, *n, sizeof *list, by_pid);
    return list;
}

char *fm_proc_file(pid_t pid, const char *name, struct fm_arena *arena, size_t *bytes)
{
    size_t capacity = 0;
    ssize_t n = 1;
    int fd = open_of(fm_proc_thread(pid), name);
    char *text = fd >= 0 ? fm_arena_grow(arena, NULL, &capacity, 16384, 1) : NULL;
    *bytes = 0;
    while (text && *bytes < FILE_BYTES && (n = read(fd, text + *bytes, capacity - *bytes - 1)) > 0) {
        *bytes += (size_t)n;
        if (*bytes + 1 == capacity)
            text = fm_arena_grow(arena, text, &capacity, capacity + 1, 1);
    }
    if (fd >= 0)
        close(fd);
    return n < 0 ? NULL : text;
}

const char *fm_proc_link(pid_t pid, const char *name, struct fm_arena *arena)
{
    char path[64], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/%.40s", (int)fm_proc_thread(pid), name);
    ssize_t n = readlink(path, target, sizeof target);
    const char *text = n > 0 ? fm_arena_strndup(arena, target, (size_t)n) : NULL;
    return text ? text : "";
}

const char *fm_proc_build_id(pid_t pid, struct fm_arena *arena)
{
    const void *bits;
    char *text = NULL;
    int fd = open_of(pid, "exe");
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &bits) : 0;
    if (n > 0 && n <= BUILD_ID_BYTES)
        text = fm_arena_alloc(arena, 2 * (size_t)n + 1);
    if (text)
        for (ssize_t i = 0; i < n; i++)
            snprintf(text + 2 * i, 3, "%02x", ((const uint8_t *)bits)[i]);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return text ? text : "";
}

const char *fm_proc_variable(const char *environment, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = environment; at && at < environment + bytes; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

const char *fm_proc_mapped(const char *maps, const char *beginning, struct fm_arena *arena)
{
    for (const char *line = maps; line && *line;) {
        const char *end = strchrnul(line, '\n'), *slash = memchr(line, '/', (size_t)(end - line));
        char *path = slash ? fm_arena_strndup(arena, slash, (size_t)(end - slash)) : NULL;
        if (path && strncmp(fm_basename(path), beginning, strlen(beginning)) == 0)
            return path;
        line = *end ? end + 1 : end;
    }
    return NULL;
}

bool fm_proc_is_ours(pid_t pid)
{
    return fm_owner_of(pid) == (long)geteuid();
}
