/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches the memory of this host while a command runs: reads once a second how much is available, and writes the least
 * into the segments of the run, where every collector finds it. A thread of `fathom run`: the measured processes do
 * nothing for it. If each rank has its own `fathom run`, only one of them on this host watches at any time. */
#ifndef FM_CLI_HOST_WATCH_H
#define FM_CLI_HOST_WATCH_H

struct fm_host_watch; /* from malloc */

/* `fd` is a file that all `fathom run` of the run have opened on this host: who has locked it watches; -1: there are no
 * others. Returns NULL if no thread could be created. run_id must outlive it. */
struct fm_host_watch *fm_host_watch_start(const char *run_id, int fd);
void fm_host_watch_stop(struct fm_host_watch *watch); /* may be NULL */

#endif
