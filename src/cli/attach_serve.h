/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several agents (cli/attach_agents.h): it samples the processes of the job on its host and sends its result on
 * request, until it is told to end. The first agent decides by itself, as a `fathom attach` without agents does, or
 * takes requests from its standard input: a byte asks for a result, which goes to its standard output. */
#ifndef FM_CLI_ATTACH_SERVE_H
#define FM_CLI_ATTACH_SERVE_H

#include "cli/attach_request.h"

/* Returns the exit status. */
int fm_attach_serve(const struct fm_attach_request *request);

#endif
