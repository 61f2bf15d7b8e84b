/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several agents (cli/attach_agents.h): it samples the processes of the job on its host and sends its result on
 * request, until it is told to end. The first agent decides by itself, as a `fathom attach` without agents does, or
 * takes requests from its standard input: a byte asks for a result, which goes to its standard output. */
#ifndef FM_CLI_ATTACH_SERVE_H
#define FM_CLI_ATTACH_SERVE_H

#include <stdint.h>

#include "cli/attach_request.h"

enum { FM_SERVE_LOOK = 'l', FM_SERVE_END = 'e' };
/* Header of a result. The launcher may print other text between results. */
struct fm_serve_header {
    char magic[8];
    uint64_t size;
};
#define FM_SERVE_MAGIC "FATHOM\001\n"

/* Returns the exit status. */
int fm_attach_serve(const struct fm_attach_request *request);

#endif
