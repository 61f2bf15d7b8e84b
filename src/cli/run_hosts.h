/* SPDX-License-Identifier: BSD-3-Clause */
/* The other hosts of a job. Data that its processes leave there can only be collected there: one collector
 * (`fathom collect --run`) is started on each host, through the launcher that started the job.
 *
 * The collectors write to the profile of the job one after the other, as sites that run such jobs have a shared file
 * system; without one, each host has a profile of its own. */
#ifndef FM_CLI_RUN_HOSTS_H
#define FM_CLI_RUN_HOSTS_H

#include "cli/hosts.h"
#include "cli/run_env.h"

/* The hosts named in the command line, its host file or by the batch system; none if all ranks are on this host. */
void fm_run_hosts_find(struct fm_run_hosts *hosts, char **command);

/* Reports every profile of the run that a host knows of, and marks the hosts that were reached. The first host is asked
 * alone: if it was the leader of the job and all went well, that is `enough`. */
void fm_run_hosts_collect(struct fm_run_hosts *hosts, char **command, const struct fm_run_env *env,
                          void (*profile)(void *context, const char *path), bool (*enough)(void *context),
                          void *context);

/* Output of a collector: that it runs, and a line for each profile. */
#define FM_HOST_REACHED "fathom-host-reached"
#define FM_HOST_PROFILE "fathom-host-profile "

#endif
