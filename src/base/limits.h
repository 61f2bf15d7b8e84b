/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource limits that turn a harmless write into a signal: checked beforehand, because a program must not get a
 * SIGXFSZ for what Fathom writes. */
#ifndef FM_BASE_LIMITS_H
#define FM_BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

static inline bool fm_file_may_reach(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

#endif
