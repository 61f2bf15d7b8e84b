/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts on which programs are slower than on others.
 *
 * Every record has the slowness of its hosts: the time outside MPI of the ranks there, divided by the mean over all ranks of
 * the job. So programs are compared with themselves. A host is slow if the mean over its jobs is higher than is usual for
 * hosts by FM_SLOW_HOST_LEAST, by more than hosts differ otherwise, and by more than jobs vary. */
#ifndef FM_SITE_INSIGHTS_SLOW_HOSTS_H
#define FM_SITE_INSIGHTS_SLOW_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fm_host_sums {
    const char *host;
    double jobs;         /* with a slowness */
    double sum, squares; /* of the slowness */
};

struct fm_slow_host {
    size_t host;     /* number in the list */
    double slowness; /* relative to what is usual for a host: 1.2 is 20 % slower */
    double chance;   /* of one host */
};

/* Those that are slow, however certain; `slow` has room for n. Returns their number. *tested: how many had enough jobs. */
enum fm_status fm_slow_hosts_find(const struct fm_host_sums *hosts, size_t n, struct fm_slow_host *slow, size_t *n_slow,
                                  size_t *tested, struct fm_error *error);

#endif
