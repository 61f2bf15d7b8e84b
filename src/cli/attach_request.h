/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `fathom attach`. */
#ifndef FM_CLI_ATTACH_REQUEST_H
#define FM_CLI_ATTACH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fm_attach_request {
    pid_t *pids; /* from malloc */
    size_t n;
    double seconds; /* 0: no limit */
    size_t moments; /* 0: no limit */
    double until;   /* maximum width of intervals; 0: not requested */
    size_t hz;
    const char *modules, *view, *save, *debug_path;
    const char *hosts; /* a list; NULL: to be detected */
    bool outside, json, help;

    /* For an agent, which a launcher starts on each host: */
    const char *job;     /* key of the job; NULL: not an agent */
    const char *library; /* path of the MPI library, for a host without ranks; or NULL */
    size_t agents;       /* required number of agents; 0: any */
    /* Takes requests from standard input and writes results to standard output; of several agents, the first does. */
    bool fed;
};

/* Returns the exit status; the caller must free the pids in any case. */
int fm_attach_parse(struct fm_attach_request *request, int argc, char **argv);
void fm_attach_help(void);

#endif
