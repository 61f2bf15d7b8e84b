/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment that `fathom run` sets for its command, and what it learns from its own. */
#ifndef FM_CLI_RUN_ENV_H
#define FM_CLI_RUN_ENV_H

#include "base/commit.h"
#include "base/error.h"
#include "base/perf_names.h"
#include "cli/commands.h"
#include "collect/node.h"

struct fm_run_options {
    const char *output, *memory, *report, *sample, *counters, *io, *commit; /* NULL: not given */
    bool quiet;
    char **command; /* NULL-terminated */
};

struct fm_run_env {
    char run_id[40];
    bool outermost;                     /* there is no other `fathom run` above this one */
    bool rank;                          /* started by an MPI launcher, once per rank */
    bool first_rank;                    /* the rank that speaks for all of them */
    bool launcher;                      /* the command is an MPI launcher, not the program to measure */
    char library[FM_FILE_PATH_BYTES];   /* "" if there is none */
    char output[FM_FILE_PATH_BYTES];    /* absolute; "" if not given */
    char directory[FM_FILE_PATH_BYTES]; /* absolute */
    char events[FM_EVENTS_TEXT];        /* FATHOM_EVENTS (base/perf_names.h); "": none */
    char commit[FM_COMMIT_BYTES];       /* FATHOM_COMMIT; "": as it is */
};

/* Determines everything; changes nothing. */
void fm_run_env_make(const struct fm_run_options *options, struct fm_run_env *env);
/* In the child, before exec: sets the variables. Returns the command to execute; for Open MPI with -x options, our own
 * -x options are added, because that MPI does not accept variables in two ways at once. */
char **fm_run_env_apply(const struct fm_run_env *env, const struct fm_run_options *options);

#endif
