/* SPDX-License-Identifier: BSD-3-Clause */
/* Agents that were started by a launcher, as seen by the `fathom attach` that a user has typed: it asks for looks through
 * the launcher's standard input and reads what is seen from its output (cli/attach_serve.h). So the terminal, the files
 * and the symbols are the user's, wherever the agents are.
 *
 * When this process dies the launcher is ended by the kernel, and the agents by the end of their input. */
#ifndef FM_CLI_ATTACH_REMOTE_H
#define FM_CLI_ATTACH_REMOTE_H

#include <sys/types.h>

#include "cli/attach_result.h"

struct fm_remote {
    pid_t pid; /* the launcher; 0: none */
    int in, out, err;
    bool dead;
    uint64_t limit_s; /* for the next answer; short for the first: Hydra waits for ever for a host that is not there */
    char said[1024];  /* the launcher's own words */
    size_t said_bytes;
    char line[512]; /* on its way */
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
/* What all agents see now; `last` ends them. FM_ERR_SYSTEM: they are gone, or do not answer. */
enum fm_status fm_remote_look(struct fm_remote *remote, bool last, struct fm_attach_result *result,
                              struct fm_error *error);
void fm_remote_close(struct fm_remote *remote);

#endif
