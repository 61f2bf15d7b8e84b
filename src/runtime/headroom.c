/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/headroom.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/signal/sample.h"
#include "runtime/stack_bounds.h"

/* Starting and finalising were seen to need 36 KiB on top of what MPI does, and a segment with all tables 47 MiB of
 * addresses; the rest is left to the program. */
static const uint64_t stack_bytes = 128 << 10, memory_bytes = 512 << 20;

/* How much the process may still take; UINT64_MAX: no limit. Fields of /proc/self/statm are in pages. */
static uint64_t left(int limit, unsigned field)
{
    struct rlimit most;
    char text[256] = "", *at = text;
    if (getrlimit(limit, &most) != 0 || most.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    uint64_t pages = 0;
    for (unsigned i = 0; i <= field; i++)
        pages = strtoull(at, &at, 10);
    uint64_t taken = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return taken < most.rlim_cur ? most.rlim_cur - taken : 0;
}

bool fm_memory_has_headroom(void)
{
    enum { SIZE = 0, DATA = 5 };
    return left(RLIMIT_AS, SIZE) >= memory_bytes && left(RLIMIT_DATA, DATA) >= memory_bytes;
}

/* Of a thread that was started past us nothing is known. */
bool fm_stack_has_headroom(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (fm_sampling_local.stack_low)
        return here < fm_sampling_local.stack_low || here - fm_sampling_local.stack_low >= stack_bytes;
    if (getpid() != (pid_t)fm_kernel(SYS_gettid))
        return true;
    struct fm_stack_bounds first = fm_first_stack_limit();
    return here < first.low || here > first.end || here - first.low >= stack_bytes;
}
