/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher options that matter: those that name hosts and variables, and those to skip when looking for the
 * program. One table for all launchers: an option that two of them interpret differently has its more common
 * meaning. */
#ifndef FM_MPI_OPTIONS_H
#define FM_MPI_OPTIONS_H

#include <stdbool.h>

enum fm_option_about {
    FM_OPTION_HOSTS,     /* a comma-separated list of hosts */
    FM_OPTION_HOST_FILE, /* a file with a host at the start of each line */
    FM_OPTION_REACH,     /* how hosts are reached: needed for anything else started on them */
    FM_OPTION_OTHER,     /* its arguments could be taken for a program */
    /* Several programs, different variables for some of the ranks, or another directory to find the program in. */
    FM_OPTION_DOUBTFUL,
};

struct fm_launcher_option {
    const char *name;
    int arguments; /* number of arguments; unknown for FM_OPTION_DOUBTFUL */
    enum fm_option_about about;
};

/* "--host", "-host" or "--host=LIST"; single letters only as "-H". Returns NULL if it does not matter. */
const struct fm_launcher_option *fm_launcher_option(const char *word);
/* Number of words after an option that are its arguments. */
int fm_launcher_option_arguments(const char *word);

#endif
