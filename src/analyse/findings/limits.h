/* SPDX-License-Identifier: BSD-3-Clause */
/* The thresholds of all rules, one line each.
 *
 *   X(name, value, rule, meaning)
 *
 * "of the time" means of the wall times of all ranks together. doc/FINDINGS.md has the same table. What counts as a
 * difference between ranks at all is in analyse/balance/balance.h (fm_uneven_least_ns), and when ranks have no core of
 * their own in analyse/balance/core_use.h. */
#ifndef FM_ANALYSE_FINDINGS_LIMITS_H
#define FM_ANALYSE_FINDINGS_LIMITS_H

#include "analyse/balance/core_use.h"
#include "analyse/balance/floor.h"

/* clang-format off */
#define FM_FINDING_LIMITS(X)                                                                                            \
    X(cost_least,         0.05,  "imbalance, serial-stage, slow-host", "fraction of the time that it must cost")         \
    X(no_cpu,             FM_NO_CPU_LEAST, "no-cpu", "fraction of the time in which ranks had no CPU, or did not run") \
    X(no_cpu_rank,        FM_NO_CPU_RANK,  "no-cpu", "fraction of the time in which one rank had no CPU")                \
    X(serial_samples,     8,     "serial-stage",    "samples of a function on a single rank: fewer are chance")         \
    X(serial_explained,   0.5,   "serial-stage",    "part of the stage by which the others spend more time in MPI")     \
    X(serial_io,          0.25,  "serial-stage",    "part of the stage that is I/O: its file is named, and the advice is about I/O")\
    X(serial_formatting,  0.5,   "serial-stage",    "part of this I/O that is formatting: the advice is about that")    \
    X(read_explained,     0.5,   "read-and-broadcast", "part of the stage that is reading, and that the others wait in broadcasts") \
    X(host_spread,        0.5,   "slow-host",       "differences within hosts, as part of the difference between them") \
    X(floor_quantile,     FM_FLOOR_QUANTILE, "waiting",         "fraction of the calls of a routine and size that are its floor")   \
    X(floor_times,        FM_FLOOR_TIMES,    "waiting",         "a call waits if it takes this many times the floor")               \
    X(floor_latency_us,   FM_FLOOR_LATENCY_US, "waiting",         "latency of a slow network: a floor that is higher is not believed") \
    X(floor_rate,         FM_FLOOR_RATE,     "waiting",         "its bytes per second")                                             \
    X(wait_calls,         0.4,   "waiting",         "fraction of the calls of a call site that wait: fewer are disturbances") \
    X(turns,              0.10,  "late-sender, late-receiver, imbalance",                                               \
      "fraction of the time in which calls wait that differences in work do not explain")                              \
    X(barrier,            0.05,  "barrier",         "the same, for barriers")                                           \
    X(small_bytes,        1024,  "small-messages",  "largest average size of a small message")                          \
    X(small_rate,         10000, "small-messages",  "small messages of a rank per second")                              \
    X(small_cost,         0.05,  "small-messages",  "fraction of the time in the calls that send them")                 \
    X(io_cost,            0.10,  "io",              "fraction of the time with a CPU that would be won without it")     \
    X(io_least_ms,        100,   "io",              "and this much of each rank: very short runs read libraries and settings") \
    X(small_io_bytes,     2048,  "small-io",        "largest average size of a small request")                          \
    X(small_io_rate,      1000,  "small-io",        "requests of a rank per second")                                    \
    X(small_io_us,        0.3,   "small-io",        "average time of a request: faster ones are served from a buffer")  \
    X(small_io_cost,      0.05,  "small-io",        "fraction of the time with a CPU that would be won without them")   \
    X(first_times,        3,     "first-event",     "the first event is this many times as long as all others")         \
    X(first_events,       5,     "first-event",     "events of the timer on each rank")                                 \
    X(first_cost,         0.05,  "first-event",     "fraction of the time")                                             \
    X(drift_times,        1.2,   "drift",           "average event of the second half of the run / of the first half")  \
    X(drift_events,       10,    "drift",           "events of the timer on each rank")                                 \
    X(drift_cost,         0.05,  "drift",           "fraction of the time")                                             \
    X(placement_moved,    0.3,   "placement",       "fraction of all bytes that would stay within hosts")               \
    X(placement_rate,     1e8,   "placement",       "bytes per second between hosts")                                   \
    X(memory,             0.9,   "memory",          "fraction of the memory of a host, or of what a control group allows, in use by its ranks")
/* clang-format on */

struct fm_finding_limits {
#define X(name, value, rule, meaning) double name;
    FM_FINDING_LIMITS(X)
#undef X
};
extern const struct fm_finding_limits fm_finding_limits;

#endif
