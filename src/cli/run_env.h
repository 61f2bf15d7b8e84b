/* What `fathom run` puts into the environment of its command, and what it finds out from its own. */
#ifndef FM_CLI_RUN_ENV_H
#define FM_CLI_RUN_ENV_H

#include <limits.h>

#include "base/error.h"
#include "collect/node.h"
#include "mpi/launchers.h"

struct fm_run_options {
    const char *output, *memory, *report, *sample; /* NULL: not given */
    bool quiet;
    char **command; /* ends in NULL */
};

struct fm_run_env {
    char run_id[40];
    bool outermost;                /* no other `fathom run` above this one */
    bool rank;                     /* started by an MPI launcher, once per rank */
    bool first_rank;               /* of these the one that speaks for all */
    bool launcher;                 /* the command is an MPI launcher: not itself the program to measure */
    char library[FM_PATH_BYTES];   /* "" when there is none */
    char output[FM_PATH_BYTES];    /* absolute; "" when not given */
    char directory[FM_PATH_BYTES]; /* absolute */
};

bool fm_is_launcher(const char *command);
/* Where a command lies (a path, or a name in PATH), with all links resolved. */
bool fm_find_command(const char *command, char path[PATH_MAX]);
/* Whose options a launcher takes (a path, or a name in PATH): those that are not known are taken for Hydra's. */
const struct fm_launcher *fm_launcher_of(const char *command);

/* Finds everything out; changes nothing. */
void fm_run_env_make(const struct fm_run_options *options, struct fm_run_env *env);
/* In the child, before exec: sets the variables. Returns the command to execute, which for Open MPI with -x options
 * has -x options of ours added (that MPI refuses to take variables in two ways at once). */
char **fm_run_env_apply(const struct fm_run_env *env, const struct fm_run_options *options);

#endif
