/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a host work longer than all ranks of the other hosts, and about equally long; not because they lack CPUs. */
#include "analyse/findings/rules.h"
#include "base/units.h"
#include "model/process_index.h"

struct host_work {
    double least, most, sum;
    double certain, possible; /* the least and the most that a rank can have worked */
    uint32_t ranks;
};

static struct host_work joined(struct host_work a, struct host_work b)
{
    if (!a.ranks || !b.ranks)
        return a.ranks ? a : b;
    return (struct host_work){.least = a.least < b.least ? a.least : b.least,
                              .most = a.most > b.most ? a.most : b.most,
                              .sum = a.sum + b.sum,
                              .certain = a.certain < b.certain ? a.certain : b.certain,
                              .possible = a.possible > b.possible ? a.possible : b.possible,
                              .ranks = a.ranks + b.ranks};
}

/* For each host: its own ranks, and those of all other hosts. */
struct hosts {
    struct host_work *own, *others;
};

static struct hosts make_hosts(struct fm_finding_search *search)
{
    size_t bytes = search->profile->n_hosts * sizeof(struct host_work);
    struct hosts hosts = {fm_arena_alloc(search->arena, bytes), fm_arena_alloc(search->arena, bytes)};
    search->failed |= !hosts.own || !hosts.others;
    return hosts;
}

static void fill(const struct fm_finding_search *search, struct hosts *hosts)
{
    const struct fm_profile *profile = search->profile;
    struct host_work before = {0}, after = {0};
    for (size_t h = 0; h < profile->n_hosts; h++)
        hosts->own[h] = (struct host_work){0};
    for (size_t i = 0; i < search->balance->n; i++) {
        const struct fm_balance_rank *rank = &search->balance->order[i];
        size_t p = fm_process_index(profile, rank->rank);
        size_t h = p < profile->n_processes ? profile->processes[p].host : profile->n_hosts;
        double ns = search->work_ns[i];
        if (h < profile->n_hosts)
            hosts->own[h] = joined(hosts->own[h], (struct host_work){ns, ns, ns, (double)rank->work_least_ns,
                                                                     (double)rank->work_most_ns, 1});
    }
    for (size_t h = 0; h < profile->n_hosts; h++) {
        hosts->others[h] = before;
        before = joined(before, hosts->own[h]);
    }
    for (size_t h = profile->n_hosts; h-- > 0;) {
        hosts->others[h] = joined(hosts->others[h], after);
        after = joined(after, hosts->own[h]);
    }
}

/* Returns whether it is worth a finding. */
static bool report(struct fm_finding_search *search, const struct fm_host *host, const struct host_work *there,
                   const struct host_work *elsewhere)
{
    char slow[FM_UNIT_CHARS], other[FM_UNIT_CHARS];
    double mean = there->sum / there->ranks, others = elsewhere->sum / elsewhere->ranks;
    double cost_ns = (mean - others) * elsewhere->ranks;
    if (fm_finding_share(search, cost_ns) < fm_finding_limits.cost_least)
        return false;
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
    return true;
}

/* One rank alone is no sign that it is the host. */
static bool is_slow(const struct host_work *there, const struct host_work *elsewhere, double least)
{
    double difference = there->certain - elsewhere->possible;
    double within = there->most - there->least, outside = elsewhere->most - elsewhere->least;
    return there->ranks > 1 && elsewhere->ranks > 1 && difference >= least &&
           (within > outside ? within : outside) <=
               fm_finding_limits.host_spread * (there->sum / there->ranks - elsewhere->sum / elsewhere->ranks);
}

void fm_rule_slow_host(struct fm_finding_search *search)
{
    const struct fm_profile *profile = search->profile;
    double least = fm_uneven_least_ns(search->balance->mean_wall_ns);
    struct hosts hosts = profile->n_hosts > 1 ? make_hosts(search) : (struct hosts){0};
    if (!hosts.own || !hosts.others)
        return;
    fill(search, &hosts);
    for (size_t h = 0; h < profile->n_hosts; h++)
        if (is_slow(&hosts.own[h], &hosts.others[h], least) &&
            report(search, &profile->hosts[h], &hosts.own[h], &hosts.others[h]))
            fill(search, &hosts); /* without what is explained now */
}
