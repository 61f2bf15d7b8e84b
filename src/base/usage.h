/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource usage of a process as the kernel reports it. The runtime asks for its own, `fathom run` for that of a
 * command that has ended. Each figure is a member of the segment header and a line of model/figures.h. */
#ifndef FM_BASE_USAGE_H
#define FM_BASE_USAGE_H

#include <stdint.h>
#include <sys/resource.h>

/* X(member, value from struct rusage *use) */
#define FM_USAGE(X)                                   \
    X(user_ns, fm_timeval_ns(use->ru_utime))          \
    X(system_ns, fm_timeval_ns(use->ru_stime))        \
    X(max_rss_bytes, (uint64_t)use->ru_maxrss * 1024) \
    X(voluntary_switches, (uint64_t)use->ru_nvcsw)    \
    X(involuntary_switches, (uint64_t)use->ru_nivcsw) \
    X(minor_faults, (uint64_t)use->ru_minflt)         \
    X(major_faults, (uint64_t)use->ru_majflt)

static inline uint64_t fm_timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* A constant for each member, so that the compiler finds a figure that has no line here (model/figures.c). */
enum {
#define X(member, value) FM_USAGE_HAS_##member,
    FM_USAGE(X)
#undef X
};

struct fm_usage {
#define X(member, value) uint64_t member;
    FM_USAGE(X)
#undef X
};

static inline struct fm_usage fm_usage_of(const struct rusage *use)
{
#define X(member, value) .member = value,
    return (struct fm_usage){FM_USAGE(X)};
#undef X
}

#endif
