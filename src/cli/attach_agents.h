/* SPDX-License-Identifier: BSD-3-Clause */
/* The agents of one attachment, one a host, and started by the site's own launcher: what each sees is merged over MPI, by
 * the tree that the runtime uses, and the first of them has it all. MPI is opened at run time, the very library that the
 * job uses. */
#ifndef FM_CLI_ATTACH_AGENTS_H
#define FM_CLI_ATTACH_AGENTS_H

#include "attach/targets.h"
#include "cli/attach_request.h"
#include "cli/attach_result.h"
#include "mpi/rank_tree.h"

enum fm_agents_word { FM_WORD_LOOK = 1, FM_WORD_END };

struct fm_agents {
    void *library;
    struct fm_abi abi;
    struct fm_rank_tree tree;
    bool first_here; /* of those on this host, should there be several */
};

/* Collective over all agents. */
enum fm_status fm_agents_join(struct fm_agents *agents, const struct fm_attach_request *request,
                              const struct fm_targets *targets, struct fm_error *error);
void fm_agents_leave(struct fm_agents *agents);

/* Passes a word on to the agents below. false: one did not get it. */
bool fm_agents_tell(const struct fm_agents *agents, enum fm_agents_word word);
/* What the agents below see is added; and it is passed up, if this is not the first. */
enum fm_status fm_agents_collect(const struct fm_agents *agents, struct fm_attach_result *result,
                                 struct fm_error *error);

#endif
