/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts of a job by name, and the words that make its launcher start something else on them. */
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
    struct fm_run_host *items; /* malloc */
    size_t n;
};

/* Each once. "user@name:slots" is the host `name`; what cannot be a name is passed over. */
void fm_hosts_add_list(struct fm_run_hosts *hosts, const char *list, const char *separators);
/* Those that the words of a launcher or its host file name. */
void fm_hosts_add_named(struct fm_run_hosts *hosts, char **command);
/* Those that a batch system has given. */
void fm_hosts_add_allocated(struct fm_run_hosts *hosts, fm_variable *variable, const void *context);
void fm_run_hosts_free(struct fm_run_hosts *hosts);

enum { FM_WORDS = 127 };
struct fm_words {
    char *items[FM_WORDS + 1];
    size_t n;
};
void fm_words_add(struct fm_words *words, const char *word);
/* Options of a launcher's command that say how hosts are reached. */
void fm_words_keep_options(struct fm_words *words, char **command);
/* n processes on hosts, with commas between; not for srun. */
void fm_words_add_hosts(struct fm_words *words, const struct fm_launcher *launcher, const char *hosts, const char *n);

#endif
