/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a host work longer than all ranks of the other hosts, and about equally long; not because they lack CPUs. */
#include "analyse/findings/rules.h"
#include "base/units.h"

struct host_work {
    double least, most, sum;
    double certain, possible; /* the least and the most that a rank can have worked */
    uint32_t ranks;
};

static void add(struct host_work *work, double ns, const struct fm_balance_rank *rank)
{
    double certain = (double)rank->work_least_ns, possible = (double)rank->work_most_ns;
    work->least = !work->ranks || ns < work->least ? ns : work->least;
    work->most = ns > work->most ? ns : work->most;
    work->certain = !work->ranks || certain < work->certain ? certain : work->certain;
    work->possible = possible > work->possible ? possible : work->possible;
    work->sum += ns;
    work->ranks++;
}

static void report(struct fm_finding_search *search, const struct fm_host *host, const struct host_work *there,
                   const struct host_work *elsewhere)
{
    char slow[FM_UNIT_CHARS], other[FM_UNIT_CHARS];
    double mean = there->sum / there->ranks, others = elsewhere->sum / elsewhere->ranks;
    double cost_ns = (mean - others) * elsewhere->ranks;
    if (fm_finding_share(search, cost_ns) < fm_finding_limits.cost_least)
        return;
    struct fm_finding *finding = fm_finding_add(search, cost_ns, true);
    fm_finding_ranks(search, finding, &host->ranks);
    fm_finding_evidence(finding, "host_work_avg_s", mean / 1e9);
    fm_finding_evidence(finding, "others_work_avg_s", others / 1e9);
    fm_finding_evidence(finding, "host_work_min_s", there->least / 1e9);
    fm_finding_evidence(finding, "others_work_max_s", elsewhere->most / 1e9);
    finding->text = fm_finding_text(search,
                                    "All ranks on host %s take longer than those on other hosts: %s, %s outside MPI "
                                    "against %s",
                                    host->name, fm_finding_ranks_text(search, &host->ranks), fm_time_text(slow, mean),
                                    fm_time_text(other, others));
    for (size_t i = 0; i < search->balance->n; i++)
        if (fm_rankset_has(&host->ranks, search->balance->order[i].rank))
            search->work_ns[i] -= mean - others;
}

void fm_rule_slow_host(struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    double least = fm_uneven_least_ns(balance->mean_wall_ns);
    for (size_t h = 0; search->profile->n_hosts > 1 && h < search->profile->n_hosts; h++) {
        const struct fm_host *host = &search->profile->hosts[h];
        struct host_work there = {0}, elsewhere = {0};
        for (size_t i = 0; i < balance->n; i++)
            add(fm_rankset_has(&host->ranks, balance->order[i].rank) ? &there : &elsewhere, search->work_ns[i],
                &balance->order[i]);
        double difference = there.certain - elsewhere.possible;
        double within = there.most - there.least > elsewhere.most - elsewhere.least ? there.most - there.least
                                                                                    : elsewhere.most - elsewhere.least;
        /* one rank alone is no sign that it is the host */
        if (there.ranks > 1 && elsewhere.ranks > 1 && difference >= least &&
            within <= fm_finding_limits.host_spread * (there.sum / there.ranks - elsewhere.sum / elsewhere.ranks))
            report(search, host, &there, &elsewhere);
    }
}
