/* SPDX-License-Identifier: BSD-3-Clause */
/* A job with ranks on other hosts: which hosts, and the command that starts an agent on each of them the way the job
 * itself was started: by the same launcher, with its options and environment for reaching hosts, in its directory. */
#ifndef FM_CLI_ATTACH_HOSTS_H
#define FM_CLI_ATTACH_HOSTS_H

#include "attach/targets.h"
#include "cli/attach_request.h"
#include "cli/hosts.h"

struct fm_remote_hosts {
    const char *key;           /* of the job; NULL: unknown */
    const char *names;         /* of its hosts, "a,b"; "" if the launcher knows them itself */
    size_t hosts;              /* number of hosts */
    struct fm_arguments words; /* empty if it is not known how to reach them */
    char **environment;
    const char *directory;
    bool foreign; /* the launcher belongs to another user: do not execute it */
};

/* Returns whether there are ranks on other hosts. Memory comes from the arena. */
bool fm_remote_hosts_find(struct fm_remote_hosts *remote_hosts, const struct fm_attach_request *request,
                          const struct fm_targets *targets, struct fm_arena *arena);
/* "2-3,7": the ranks that are not among the targets. */
const char *fm_remote_ranks(const struct fm_targets *targets, struct fm_arena *arena);

#endif
