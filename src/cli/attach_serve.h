/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several agents (cli/attach_agents.h): it samples the job's processes on its host, and tells what it sees when it
 * is asked to, until it is told to end. The first decides by itself, as a `fathom attach` without agents does, or is fed:
 * a byte on its standard input asks for a look, and what is seen goes to its standard output. */
#ifndef FM_CLI_ATTACH_SERVE_H
#define FM_CLI_ATTACH_SERVE_H

#include <stdint.h>

#include "cli/attach_request.h"

enum { FM_FED_LOOK = 'l', FM_FED_END = 'e' };
/* Before the bytes of what is seen: this, and how many they are. Other things may be printed around them. */
struct fm_fed_head {
    char magic[8];
    uint64_t size;
};
#define FM_FED_MAGIC "FATHOM\001\n"

/* Returns the exit status. */
int fm_attach_serve(const struct fm_attach_request *request);

#endif
