/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a host, about everything that runs on it and not only the job: measured by its processes and by
 * `fathom run`. FM_UNKNOWN if unknown. One line each:
 *
 *   X(member, merge, unit, JSON key)
 *
 * merge    MIN or MAX of what the processes of the host say
 * key      in JSON; "": not there under a name of its own
 *
 * The network has counters since boot, at the start of the job (of its first process on the host) and at the end. */
#ifndef FM_MODEL_HOST_FIGURES_H
#define FM_MODEL_HOST_FIGURES_H

/* clang-format off */
#define FM_HOST_FIGURES(X) \
    X(least_free_bytes,       MIN, BYTES, "least_free_bytes")       /* the least memory that was available */ \
    X(limit_bytes,            MIN, BYTES, "limit_bytes")            /* lowest limit of the control groups */  \
    X(limit_peak_bytes,       MAX, BYTES, "limit_high_water_bytes") /* of the control group that has it */    \
    X(numa_nodes,             MAX, COUNT, "numa_nodes")                                                       \
    X(received_start_bytes,   MIN, BYTES, "")                                                                 \
    X(received_end_bytes,     MAX, BYTES, "")                                                                 \
    X(sent_start_bytes,       MIN, BYTES, "")                                                                 \
    X(sent_end_bytes,         MAX, BYTES, "")                                                                 \
    X(received_start_packets, MIN, COUNT, "")                                                                 \
    X(received_end_packets,   MAX, COUNT, "")                                                                 \
    X(sent_start_packets,     MIN, COUNT, "")                                                                 \
    X(sent_end_packets,       MAX, COUNT, "")                                                                 \
    X(peak_flops_per_cycle,   MAX, COUNT, "peak_flops_per_cycle")   /* of a core, estimated (base/peak.h) */
/* clang-format on */

#endif
