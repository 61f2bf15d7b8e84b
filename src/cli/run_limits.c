/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_limits.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST_STACK = 512 << 10, LEAST_FILES = 24, LEAST_PROCESSES = 16, LEAST_MEMORY = 512 << 20 };

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

static uint64_t size_of(char **words)
{
    uint64_t bytes = 0;
    for (; *words; words++)
        bytes += strlen(*words) + 1 + sizeof *words;
    return bytes;
}

/* What execve takes at most: a quarter of the stack, within bounds of the kernel's. Launchers add variables of their own to
 * ours, so an eighth is left free. */
static bool is_environment_full(char **command)
{
    enum { LEAST = 128 << 10, MOST = 6 << 20 };
    uint64_t limit = limit_of(RLIMIT_STACK) / 4;
    limit = limit > MOST ? MOST : limit < LEAST ? LEAST : limit;
    return size_of(environ) + size_of(command) > limit - limit / 8;
}

bool fm_run_stack_is_small(void)
{
    return limit_of(RLIMIT_STACK) < LEAST_STACK;
}

const char *fm_run_limit(char **command)
{
    if (fm_run_stack_is_small())
        return "the stack limit is too low (ulimit -s)";
    if (limit_of(RLIMIT_NOFILE) < LEAST_FILES)
        return "the limit on open files is too low (ulimit -n)";
    if (limit_of(RLIMIT_AS) < LEAST_MEMORY || limit_of(RLIMIT_DATA) < LEAST_MEMORY)
        return "the memory limit is too low (ulimit -v, ulimit -d)";
    if (limit_of(RLIMIT_NPROC) < LEAST_PROCESSES && geteuid() != 0)
        return "the limit on processes is too low (ulimit -u)";
    return is_environment_full(command) ? "arguments and environment are too large" : NULL;
}
