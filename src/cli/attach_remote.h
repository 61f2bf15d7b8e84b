/* SPDX-License-Identifier: BSD-3-Clause */
/* The side of the user's `fathom attach` that talks to agents started by a launcher: it sends requests to the standard
 * input of the launcher and reads the results from its output (attach/feed.h). So terminal, files and symbols are
 * those of the user, wherever the agents run.
 *
 * If this process dies, the kernel terminates the launcher, and the agents end at the end of their input. */
#ifndef FM_CLI_ATTACH_REMOTE_H
#define FM_CLI_ATTACH_REMOTE_H

#include <sys/types.h>

#include "attach/result.h"

struct fm_remote {
    pid_t pid; /* the launcher; 0: none */
    int in, out, err;
    bool dead;
    uint64_t limit_s; /* for the next answer; short for the first: Hydra waits forever for a host that is down */
    char said[1024];  /* output of the launcher itself */
    size_t said_bytes;
    char line[512]; /* incomplete line */
    size_t line_bytes;
};

struct fm_remote_command {
    char *const *words;
    char *const *environment;
    const char *directory; /* "": ours */
    size_t hosts;
};

enum fm_status fm_remote_start(struct fm_remote *remote, const struct fm_remote_command *command,
                               struct fm_error *error);
/* Gets the state of the job from all agents; `last` ends them. Returns FM_ERR_SYSTEM if they have ended or do not
 * answer. */
enum fm_status fm_remote_look(struct fm_remote *remote, bool last, struct fm_attach_result *result,
                              struct fm_error *error);
void fm_remote_close(struct fm_remote *remote);

#endif
