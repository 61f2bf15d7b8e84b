/* SPDX-License-Identifier: BSD-3-Clause */
/* What `fathom run` puts into the environment of its command, and what it finds out from its own. */
#ifndef FM_CLI_RUN_ENV_H
#define FM_CLI_RUN_ENV_H

#include "base/error.h"
#include "cli/commands.h"
#include "collect/node.h"

struct fm_run_options {
    const char *output, *memory, *report, *sample; /* NULL: not given */
    bool quiet;
    char **command; /* ends in NULL */
};

struct fm_run_env {
    char run_id[40];
    bool outermost;                     /* no other `fathom run` above this one */
    bool rank;                          /* started by an MPI launcher, once per rank */
    bool first_rank;                    /* of these the one that speaks for all */
    bool launcher;                      /* the command is an MPI launcher: not itself the program to measure */
    char library[FM_FILE_PATH_BYTES];   /* "" when there is none */
    char output[FM_FILE_PATH_BYTES];    /* absolute; "" when not given */
    char directory[FM_FILE_PATH_BYTES]; /* absolute */
};

/* Finds everything out; changes nothing. */
void fm_run_env_make(const struct fm_run_options *options, struct fm_run_env *env);
/* In the child, before exec: sets the variables. Returns the command to execute, which for Open MPI with -x options
 * has -x options of ours added (that MPI refuses to take variables in two ways at once). */
char **fm_run_env_apply(const struct fm_run_env *env, const struct fm_run_options *options);

#endif
