/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a record can be that of a job of this site. The log daemon vouches for who has sent a record, not for what is in
 * it: anybody can write one. What no job can have is refused; made-up figures that a job could have are not noticed.
 *
 * Records that fm_record_make makes pass, whatever the clocks of the nodes do, unless a job ends in the future: the end of a
 * process is its start and how long it took by a clock that nobody sets. */
#ifndef FM_SITE_RECORD_PLAUSIBLE_H
#define FM_SITE_RECORD_PLAUSIBLE_H

#include "site/record/record.h"

struct fm_record_limits {
    int64_t now;        /* seconds since 1970 */
    int64_t since;      /* no job started before; 0: unknown */
    int64_t processors; /* cores of the site; 0: unknown */
};

enum {
    FM_RECORD_AHEAD_S = 2 * 86400,     /* how far in the future a job may be: clocks may have the wrong zone */
    FM_RECORD_CLOCK_S = 3600,          /* how much clocks of hosts differ */
    FM_RECORD_RANKS_PER_PROCESSOR = 8, /* hardware threads, and more ranks than cores */
    FM_RECORD_THREADS = 1024,          /* of a rank or core, whose times are added: all can be in MPI at once */
    FM_RECORD_RANKS = 100000000,       /* of any job, on a site whose cores are unknown */
};

/* NULL if it can, else the reason: a fixed word for the table `refused`. */
const char *fm_record_implausible(const struct fm_record *record, const struct fm_record_limits *limits);

#endif
