/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that exchange much data are on different hosts, although the same hosts could hold them together: another
 * placement with as many ranks on each host is tried, and its traffic between hosts compared. */
#include "analyse/findings/rules.h"

#include "analyse/balance/topology.h"
#include "base/units.h"

enum { MOST_RANKS = 4096, NO_HOST = UINT32_MAX };

struct placement {
    const struct fm_topology *topology;
    uint32_t ranks, hosts;
    uint32_t *now, *other; /* host of each rank */
    uint32_t *slots;       /* number of ranks of each host */
    double *attraction;    /* bytes that a rank exchanges with the host that is being filled */
};

static double between_hosts(const struct placement *placement, const uint32_t *host, double *time_ns)
{
    double bytes = 0;
    *time_ns = 0;
    for (size_t i = 0; i < placement->topology->n; i++) {
        const struct fm_pair *pair = &placement->topology->pairs[i];
        if (pair->from >= placement->ranks || pair->to >= placement->ranks || host[pair->from] == host[pair->to])
            continue;
        bytes += (double)pair->bytes;
        *time_ns += (double)pair->send_ns + (double)pair->receive_ns;
    }
    return bytes;
}

static bool prepare(struct placement *placement, const struct fm_profile *profile, struct fm_arena *arena)
{
    uint32_t ranks = placement->ranks;
    placement->now = fm_arena_alloc(arena, ranks * sizeof *placement->now);
    placement->other = fm_arena_alloc(arena, ranks * sizeof *placement->other);
    placement->slots = fm_arena_alloc(arena, placement->hosts * sizeof *placement->slots);
    placement->attraction = fm_arena_alloc(arena, ranks * sizeof *placement->attraction);
    if (!placement->now || !placement->other || !placement->slots || !placement->attraction)
        return false;
    for (uint32_t rank = 0; rank < ranks; rank++)
        placement->now[rank] = placement->other[rank] = NO_HOST;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end == FM_END_MISSING || process->rank >= ranks || process->host >= placement->hosts)
            continue;
        placement->slots[process->host] += placement->now[process->rank] == NO_HOST;
        placement->now[process->rank] = process->host;
    }
    return true;
}

/* The rank without a host that exchanges most with those on the host already; of equal ones the first. */
static uint32_t next_rank(const struct placement *placement)
{
    uint32_t best = placement->ranks;
    for (uint32_t rank = 0; rank < placement->ranks; rank++)
        if (placement->now[rank] != NO_HOST && placement->other[rank] == NO_HOST &&
            (best == placement->ranks || placement->attraction[rank] > placement->attraction[best]))
            best = rank;
    return best;
}

static void place(struct placement *placement, uint32_t rank, uint32_t host)
{
    placement->other[rank] = host;
    for (size_t i = 0; i < placement->topology->n; i++) {
        const struct fm_pair *pair = &placement->topology->pairs[i];
        if (pair->from == rank && pair->to < placement->ranks)
            placement->attraction[pair->to] += (double)pair->bytes;
        if (pair->to == rank && pair->from < placement->ranks)
            placement->attraction[pair->from] += (double)pair->bytes;
    }
}

/* Fills one host after the other with ranks that exchange much. */
static void gather(struct placement *placement)
{
    for (uint32_t host = 0; host < placement->hosts; host++) {
        for (uint32_t rank = 0; rank < placement->ranks; rank++)
            placement->attraction[rank] = 0;
        for (uint32_t n = 0; n < placement->slots[host]; n++) {
            uint32_t rank = next_rank(placement);
            if (rank < placement->ranks)
                place(placement, rank, host);
        }
    }
}

void fm_rule_placement(struct fm_finding_search *search)
{
    const struct fm_profile *profile = search->profile;
    struct fm_topology topology;
    struct fm_error error;
    struct placement placement = {&topology, profile->job.ranks, (uint32_t)profile->n_hosts, NULL, NULL, NULL, NULL};
    double now_ns, other_ns;
    char share[FM_UNIT_CHARS], then[FM_UNIT_CHARS];
    if (profile->n_hosts < 2 || profile->n_hosts > MOST_RANKS || placement.ranks > MOST_RANKS || profile->part)
        return;
    if (fm_topology_find(profile, search->arena, &topology, &error) || !prepare(&placement, profile, search->arena)) {
        search->failed = true;
        return;
    }
    double now = between_hosts(&placement, placement.now, &now_ns);
    double wall_s = (double)search->summary->wall_ns / 1e9;
    if (!topology.bytes || fm_ratio(now, wall_s) < fm_finding_limits.placement_rate)
        return;
    gather(&placement);
    double other = between_hosts(&placement, placement.other, &other_ns), all = (double)topology.bytes;
    if (now - other < fm_finding_limits.placement_moved * all)
        return;
    struct fm_finding *finding = fm_finding_add(search, now_ns * (now - other) / now, false);
    fm_finding_all_ranks(search, finding);
    fm_finding_evidence(finding, "between_hosts_bytes", now);
    fm_finding_evidence(finding, "between_hosts_then_bytes", other);
    fm_finding_evidence(finding, "all_bytes", all);
    fm_finding_evidence(finding, "calls_between_hosts_s", now_ns / 1e9);
    finding->text = fm_finding_text(search,
                                    "%s of the bytes of messages go to another host; with neighbours on the same host "
                                    "it would be %s",
                                    fm_percent_whole(share, now / all), fm_percent_whole(then, other / all));
}
