/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that has ranks on other hosts: which they are, and the command that starts an agent on each, in the way the job
 * itself was started: by the same launcher, with its own settings of how hosts are reached, in its environment and
 * directory. */
#ifndef FM_CLI_ATTACH_HOSTS_H
#define FM_CLI_ATTACH_HOSTS_H

#include "attach/targets.h"
#include "cli/attach_request.h"
#include "cli/hosts.h"

struct fm_elsewhere {
    const char *key;       /* of the job; NULL: not known */
    const char *names;     /* of its hosts, "a,b"; "" when the launcher knows them by itself */
    size_t hosts;          /* how many */
    struct fm_words words; /* none: it is not known how they are reached */
    char **environment;
    const char *directory;
    bool foreign; /* the launcher is another user's: it is not executed */
};

/* Whether there are ranks elsewhere. Memory is the arena's. */
bool fm_elsewhere_find(struct fm_elsewhere *elsewhere, const struct fm_attach_request *request,
                       const struct fm_targets *targets, struct fm_arena *arena);
/* "2-3,7": the ranks that are not among the targets. */
const char *fm_elsewhere_ranks(const struct fm_targets *targets, struct fm_arena *arena);

#endif
