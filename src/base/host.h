/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel tells about the host: memory, its limits, and network interfaces. Everything is read from /proc and
 * /sys when it is asked for, which takes some 10 to 100 us. Nothing is allocated.
 *
 * `root` is "", or in tests a directory that contains proc/ and sys/. */
#ifndef FM_BASE_HOST_H
#define FM_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that can be used without swapping (MemAvailable); 0: unknown. */
uint64_t fm_host_available(const char *root);

/* The lowest memory limit of the control groups that this process is in (version 1 or 2), and the largest use of the
 * group that has it, since that group exists; 0: no limit, or unknown. */
struct fm_memory_limit {
    uint64_t bytes, peak_bytes;
};
struct fm_memory_limit fm_host_memory_limit(const char *root);

/* The name of the processor; "" if unknown. */
enum { FM_CPU_CHARS = 128 };
void fm_host_cpu(const char *root, char name[FM_CPU_CHARS]);

/* Number of NUMA nodes; 0: unknown. */
uint32_t fm_host_numa_nodes(const char *root);

/* What all network interfaces have received and sent since boot. Counts interfaces that are devices, so that traffic over
 * a bridge, a bond or a VLAN counts once; if there are none, as in a container, all but the loopback; and InfiniBand
 * ports, whose counters include IP over InfiniBand. */
struct fm_network {
    uint64_t received_bytes, sent_bytes, received_packets, sent_packets;
};
/* Returns false if unknown. */
bool fm_host_network(const char *root, struct fm_network *network);

#endif
