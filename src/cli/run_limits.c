/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_limits.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MIN_STACK = 512 << 10, MIN_FILES = 24, MIN_PROCESSES = 16, MIN_MEMORY = 512 << 20 };

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

/* The maximum size for execve: a quarter of the stack, within the bounds of the kernel. Launchers add variables of
 * their own, so an eighth is kept free. */
static bool is_environment_full(char **command)
{
    enum { MIN_BYTES = 128 << 10, MAX_BYTES = 6 << 20 };
    uint64_t limit = limit_of(RLIMIT_STACK) / 4;
    limit = limit > MAX_BYTES ? MAX_BYTES : limit < MIN_BYTES ? MIN_BYTES : limit;
    return size_of(environ) + size_of(command) > limit - limit / 8;
}

bool fm_run_stack_is_small(void)
{
    return limit_of(RLIMIT_STACK) < MIN_STACK;
}

const char *fm_run_limit(char **command)
{
    if (fm_run_stack_is_small())
        return "the stack limit is too low (ulimit -s)";
    if (limit_of(RLIMIT_NOFILE) < MIN_FILES)
        return "the limit on open files is too low (ulimit -n)";
    if (limit_of(RLIMIT_AS) < MIN_MEMORY || limit_of(RLIMIT_DATA) < MIN_MEMORY)
        return "the memory limit is too low (ulimit -v, ulimit -d)";
    if (limit_of(RLIMIT_NPROC) < MIN_PROCESSES && geteuid() != 0)
        return "the limit on processes is too low (ulimit -u)";
    return is_environment_full(command) ? "arguments and environment are too large" : NULL;
}
