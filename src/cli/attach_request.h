/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user wants of `fathom attach`. */
#ifndef FM_CLI_ATTACH_REQUEST_H
#define FM_CLI_ATTACH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fm_attach_request {
    pid_t *pids; /* malloc */
    size_t n;
    double seconds; /* 0: no limit */
    size_t moments; /* 0: no limit */
    double until;   /* width of intervals; 0: not asked for */
    size_t hz;
    const char *modules, *view, *save, *debug_path;
    const char *hosts; /* a list; NULL: they are to be found */
    bool outside, json, help;

    /* Of one that a launcher starts on each host: */
    const char *job;     /* its key; NULL: this is none of them */
    const char *library; /* MPI's, for a host without ranks; or NULL */
    size_t agents;       /* how many there must be; 0: any number */
    bool fed;            /* the first takes requests from standard input and writes results to standard output */
};

/* Returns the exit status; the pids are to be freed in any case. */
int fm_attach_parse(struct fm_attach_request *request, int argc, char **argv);
void fm_attach_help(void);

#endif
