/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/headroom.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/small_file.h"
#include "runtime/signal/sample.h"
#include "runtime/stack_bounds.h"

/* Measured: start and finalisation need 36 KiB of stack in addition to what MPI uses, and a segment with all tables 47
 * MiB of address space. The rest is left for the program. */
static const uint64_t stack_bytes = 128 << 10, memory_bytes = 512 << 20;

/* Number of bytes until the process reaches a resource limit, or UINT64_MAX if there is no limit. Fields of
 * /proc/self/statm are in pages. */
static uint64_t remaining_bytes(int resource, unsigned field)
{
    struct rlimit limit;
    char text[256], *at = text;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    if (!fm_small_file_read("/proc/self/statm", text, sizeof text))
        return 0;
    uint64_t pages = 0;
    for (unsigned i = 0; i <= field; i++)
        pages = strtoull(at, &at, 10);
    uint64_t taken = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return taken < limit.rlim_cur ? limit.rlim_cur - taken : 0;
}

bool fm_memory_has_headroom(void)
{
    enum { SIZE = 0, DATA = 5 };
    return remaining_bytes(RLIMIT_AS, SIZE) >= memory_bytes && remaining_bytes(RLIMIT_DATA, DATA) >= memory_bytes;
}

/* Nothing is known about the stack of a thread whose creation we did not see: it is assumed to be large enough. */
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
