/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of ranks and hosts, and the network of hosts, as shown by the view memory. */
#ifndef FM_ANALYSE_BALANCE_MEMORY_H
#define FM_ANALYSE_BALANCE_MEMORY_H

#include "model/profile.h"

/* By how much the resident memory of a process has grown from the end of MPI_Init to the end; negative if it has shrunk.
 * Returns false if unknown, as for a process that was killed. */
bool fm_memory_growth(const struct fm_process *process, int64_t *bytes);

/* The extremes and the sum of the growth over processes. */
struct fm_growth {
    int64_t min, max;
    double sum;
    uint32_t min_rank, max_rank, ranks;
};
struct fm_growth fm_memory_growths(const struct fm_profile *profile);

/* What all programs on a host have received and sent while the job ran. Returns false if unknown, or if the counters were
 * reset in between. */
struct fm_host_traffic {
    uint64_t received_bytes, sent_bytes, received_packets, sent_packets;
};
bool fm_host_traffic(const struct fm_host *host, struct fm_host_traffic *traffic);

/* The hosts, the one with the least free memory first, those for which it is unknown last; NULL if out of memory. */
const struct fm_host **fm_hosts_by_free_memory(const struct fm_profile *profile, struct fm_arena *arena);

#endif
