/* SPDX-License-Identifier: BSD-3-Clause */
/* What rules work with: the profile, results that several of them need, and how they report a finding. */
#ifndef FM_ANALYSE_FINDINGS_SEARCH_H
#define FM_ANALYSE_FINDINGS_SEARCH_H

#include "analyse/balance/core_use.h"
#include "analyse/calls/calltree.h"
#include "analyse/findings/finding.h"
#include "analyse/findings/limits.h"
#include "analyse/findings/waiting.h"
#include "analyse/io/io_summary.h"

struct fm_finding_rule;

struct fm_finding_search {
    const struct fm_profile *profile;
    const struct fm_summary *summary;
    const struct fm_balance *balance;
    struct fm_symbols *symbols;
    struct fm_arena *arena;
    struct fm_core_use cores;
    struct fm_calltree calls; /* root NULL: nothing was sampled */
    struct fm_waits waits;
    double *work_ns;     /* work by rank (balance.h), in the order of balance->order, without what is explained */
    double disturbed_ns; /* what the lack of a CPU on any rank can cost all of them; 0 if unknown */
    struct fm_io_summary io;
    double *io_ns;                      /* part of work_ns: in files */
    const struct fm_finding_rule *rule; /* that is being applied */
    struct fm_findings *found;
    bool stage_found;          /* a rule has reported what one rank does alone */
    bool failed;               /* out of memory */
    struct fm_finding nowhere; /* for a finding for which there was no memory */
};

/* A new finding of the rule, to be completed by it; its ranks are empty. */
struct fm_finding *fm_finding_add(struct fm_finding_search *search, double cost_ns, bool measured);
void fm_finding_evidence(struct fm_finding *finding, const char *name, double value);
void fm_finding_ranks(struct fm_finding_search *search, struct fm_finding *finding, const struct fm_rankset *ranks);
void fm_finding_all_ranks(struct fm_finding_search *search, struct fm_finding *finding);
/* printf into the arena; "" if out of memory. */
const char *fm_finding_text(struct fm_finding_search *search, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

double fm_finding_share(const struct fm_finding_search *search, double cost_ns); /* of the time of all ranks */
/* "rank 3", "ranks 0-3" */
const char *fm_finding_ranks_text(struct fm_finding_search *search, const struct fm_rankset *ranks);
/* "pcg (pcg.f90:118)", "pcg"; "" if unknown */
const char *fm_finding_place_text(struct fm_finding_search *search, const struct fm_finding_place *place);
struct fm_finding_place fm_finding_place_of(const struct fm_context *context);
struct fm_finding_place fm_finding_site(struct fm_finding_search *search, const struct fm_site *site,
                                        const char *routine);
/* "MPI_Recv at halo (halo.f90:12)" */
const char *fm_finding_call_text(struct fm_finding_search *search, const char *routine,
                                 const struct fm_finding_place *place);

/* The sum over ranks of the longest work minus their own: what equal work would win. */
double fm_finding_uneven_ns(const struct fm_finding_search *search);

#endif
