/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts of a job by name, and the command line that makes its launcher start something else on them. */
#ifndef FM_CLI_HOSTS_H
#define FM_CLI_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/launchers.h"

enum { FM_HOST_BYTES = 80, FM_MAX_HOSTS = 4096 };

struct fm_run_host {
    char name[FM_HOST_BYTES];
    bool reached;
};
struct fm_run_hosts {
    struct fm_run_host *items; /* from malloc */
    size_t n;
};

/* Adds each host once. "user@name:slots" is the host `name`; what cannot be a host name is skipped. */
void fm_hosts_add_list(struct fm_run_hosts *hosts, const char *list, const char *separators);
/* Adds the hosts named in the command line of a launcher or in its host file. */
void fm_hosts_add_named(struct fm_run_hosts *hosts, char **command);
/* Adds the hosts allocated by a batch system. */
void fm_hosts_add_allocated(struct fm_run_hosts *hosts, fm_variable *variable, const void *context);
void fm_run_hosts_free(struct fm_run_hosts *hosts);

enum { FM_MAX_ARGUMENTS = 127 };
struct fm_arguments {
    char *items[FM_MAX_ARGUMENTS + 1];
    size_t n;
};
void fm_arguments_add(struct fm_arguments *words, const char *word);
/* Adds the options of a launcher command that say how hosts are reached. */
void fm_arguments_copy_options(struct fm_arguments *words, char **command);
/* Adds options for n processes on a comma-separated list of hosts; not for srun. */
void fm_arguments_add_hosts(struct fm_arguments *words, const struct fm_launcher *launcher, const char *hosts,
                            const char *n);

#endif
