/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of launchers, as far as they matter: where hosts and variables are named, and what is to be passed over in
 * search of the program. One table for all launchers: a word that two of them understand differently stands for the
 * more usual meaning. */
#ifndef FM_MPI_OPTIONS_H
#define FM_MPI_OPTIONS_H

#include <stdbool.h>

enum fm_option_about {
    FM_OPTION_HOSTS,     /* a list of hosts, with commas between */
    FM_OPTION_HOST_FILE, /* a file with a host at the beginning of each line */
    FM_OPTION_REACH,     /* how hosts are reached: holds for whatever else is started on them */
    FM_OPTION_OTHER,     /* its arguments may look like a program */
    /* Several programs, other variables for some of the ranks, or another directory to look for the program in. */
    FM_OPTION_DOUBTFUL,
};

struct fm_launcher_option {
    const char *name;
    int arguments; /* words behind it; of a doubtful one they are not known */
    enum fm_option_about about;
};

/* "--host", "-host" or "--host=LIST"; of one letter "-H" alone. NULL: none that matters. */
const struct fm_launcher_option *fm_launcher_option(const char *word);
/* The number of words behind one that are its arguments. */
int fm_launcher_option_arguments(const char *word);

#endif
