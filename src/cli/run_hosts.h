/* SPDX-License-Identifier: BSD-3-Clause */
/* The other hosts of a job. What its processes leave there can only be collected there: one collector
 * (`fathom collect --run`) is started on each host, through the launcher that started the job.
 *
 * The collectors write into the job's profile one after the other, as the hosts' files are on a shared file system
 * in every place that runs such jobs; where they are not, each host has a profile of its own. */
#ifndef FM_CLI_RUN_HOSTS_H
#define FM_CLI_RUN_HOSTS_H

#include "cli/hosts.h"
#include "cli/run_env.h"

/* Those that the command's words, its host file or the batch system name; none when all is on this host. */
void fm_run_hosts_find(struct fm_run_hosts *hosts, char **command);

/* Tells of every profile of the run that a host knows of, and notes which hosts were reached. The first host is asked
 * alone: if it was the job's leader and all went well, that is `enough`. */
void fm_run_hosts_collect(struct fm_run_hosts *hosts, char **command, const struct fm_run_env *env,
                          void (*profile)(void *context, const char *path), bool (*enough)(void *context),
                          void *context);

/* What a collector prints: that it is there, and a line for each profile. */
#define FM_HOST_REACHED "fathom-host-reached"
#define FM_HOST_PROFILE "fathom-host-profile "

#endif
