/* SPDX-License-Identifier: BSD-3-Clause */
/* The agents of one `fathom attach`: one per host, started by the launcher of the site. Their results are merged over
 * MPI, with the same tree as in the runtime, and the first agent has the total. MPI is loaded at run time: the library
 * that the job itself uses. */
#ifndef FM_CLI_ATTACH_AGENTS_H
#define FM_CLI_ATTACH_AGENTS_H

#include "attach/result.h"
#include "attach/targets.h"
#include "cli/attach_request.h"
#include "mpi/rank_tree.h"

enum fm_agents_word { FM_WORD_LOOK = 1, FM_WORD_END };

struct fm_agents {
    void *library;
    struct fm_abi abi;
    struct fm_rank_tree tree;
    bool first_here; /* of several agents on this host */
};

/* Collective over all agents. */
enum fm_status fm_agents_join(struct fm_agents *agents, const struct fm_attach_request *request,
                              const struct fm_targets *targets, struct fm_error *error);
/* Collective, once every result has been delivered. Ends the process, successfully, if MPI_Finalize does not return. */
void fm_agents_leave(struct fm_agents *agents);

/* Passes a word on to the agents below. Returns false if one did not get it. */
bool fm_agents_tell(const struct fm_agents *agents, enum fm_agents_word word);
/* Adds the results of the agents below, and passes the sum up unless this is the first agent. */
enum fm_status fm_agents_collect(const struct fm_agents *agents, struct fm_attach_result *result,
                                 struct fm_error *error);

#endif
