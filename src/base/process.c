/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/process.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/small_file.h"

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
    if (pid <= 0 || !fm_small_file_read(path, text, sizeof text))
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

uint64_t fm_process_runqueue(pid_t pid)
{
    char path[48], text[128], *at = text;
    snprintf(path, sizeof path, pid ? "/proc/%d/schedstat" : "/proc/self/schedstat", (int)pid);
    if (!fm_small_file_read(path, text, sizeof text))
        return FM_RUNQUEUE_UNKNOWN;
    uint64_t ran_ns = strtoull(at, &at, 10), waited_ns = strtoull(at, &at, 10), times = strtoull(at, &at, 10);
    return ran_ns || times ? waited_ns : FM_RUNQUEUE_UNKNOWN; /* all zero: the kernel does not count it */
}

uint64_t fm_process_resident(void)
{
    char text[256], *at = text;
    if (!fm_small_file_read("/proc/self/statm", text, sizeof text))
        return 0;
    strtoull(at, &at, 10);
    return strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool fm_process_placement(struct fm_placement *placement)
{
    enum { CPUS = 8192 }; /* the kernel refuses a mask that is smaller than its own */
    _Alignas(cpu_set_t) unsigned char mask[CPUS / 8] = {0};
    unsigned cpu;
    *placement = (struct fm_placement){0, CPUS, 0};
    if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask) != 0 || getcpu(&cpu, &placement->node) != 0)
        return false;
    for (unsigned i = 0; i < CPUS; i++) {
        if (!CPU_ISSET_S(i, sizeof mask, (cpu_set_t *)(void *)mask))
            continue;
        placement->first_cpu = placement->cpus ? placement->first_cpu : i;
        placement->cpus++;
    }
    return placement->cpus;
}

void fm_process_name(char *name, size_t size, const char *kind, pid_t pid)
{
    snprintf(name, size, "%s-%d-%llu-%llu", kind, (int)pid, (unsigned long long)fm_process_start_time(pid),
             (unsigned long long)fm_pid_namespace());
}

void fm_boot_id(char id[40])
{
    if (!fm_small_file_read("/proc/sys/kernel/random/boot_id", id, 40))
        id[0] = 0;
    id[strcspn(id, "\n")] = 0;
}
