/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of one program. A stack begins in the program (_start), or in a library that starts a thread and calls
 * the program later: from there on the path belongs to the program. Ancestors are kept, with the cost of what is kept
 * below them. Time in paths that never reach a program, such as those of threads of MPI, belongs to the program only if
 * no other ranks have it. */
#include "analyse/programs/part_paths.h"

#include "analyse/calls/context_cost.h"
#include "analyse/programs/part_side.h"
#include "analyse/programs/program.h"
#include "base/basename.h"
#include "base/names.h"
#include "base/saturate.h"
#include "mpi/libraries.h"

struct part_paths_builder {
    const struct fm_profile *profile;
    const struct fm_call_paths *from;
    struct fm_call_paths *to;
    struct fm_part *part;
    struct fm_arena *arena;
    uint32_t *before; /* by range: number of ranks of the program before it */
    uint8_t *sides;   /* by node: enum fm_part_side */
    bool *of_mpi;     /* by node: in a thread of MPI, below no program */
    bool *kept;
    uint32_t *places;
    uint32_t ranks;
};

/* ---- attribution ---- */

static enum fm_part_side side_of_rank(const struct part_paths_builder *m, uint32_t rank)
{
    return fm_rankset_has(&m->part->ranks, rank) ? FM_PART_OURS : FM_PART_THEIRS;
}

/* By the ranks that have it, if all of them are known. */
static enum fm_part_side side_by_ranks(const struct part_paths_builder *m, uint32_t node)
{
    const struct fm_path_cost *all = &m->from->nodes[node].all;
    size_t n;
    const struct fm_path_share *shares = fm_call_paths_shares_of(m->from, node, &n);
    enum fm_part_side side = side_of_rank(m, all->max_rank);
    bool known = n >= all->ranks || all->ranks <= 1 || (all->ranks == 2 && all->min_rank != all->max_rank);
    if (!known || side_of_rank(m, all->min_rank) != side)
        return FM_PART_SHARED;
    for (size_t i = 0; i < n; i++)
        if (side_of_rank(m, shares[i].rank) != side)
            return FM_PART_SHARED;
    return side;
}

static enum fm_part_side side_of(const struct part_paths_builder *m, uint32_t node)
{
    const struct fm_path_node *path = &m->from->nodes[node];
    enum fm_part_side above = node ? (enum fm_part_side)m->sides[path->parent] : FM_PART_SHARED;
    if (above != FM_PART_SHARED || !node)
        return above;
    size_t program = fm_program_of_site(m->profile, &path->site);
    if (program != FM_NO_PROGRAM)
        above = fm_part_side(m->part, &m->profile->programs[program].ranks);
    return above == FM_PART_SHARED ? side_by_ranks(m, node) : above;
}

/* ---- ranks numbered from 0 ---- */

static uint32_t number_of(const struct part_paths_builder *m, uint32_t rank)
{
    const struct fm_rankset *ranks = &m->part->ranks;
    size_t at = fm_rankset_range(ranks, rank);
    return at < ranks->n ? m->before[at] + rank - ranks->ranges[at].first : FM_NO_RANK;
}

static void number_cost(const struct part_paths_builder *m, struct fm_path_cost *cost)
{
    if (!cost->ranks)
        return;
    cost->max_rank = number_of(m, cost->max_rank);
    cost->min_rank = number_of(m, cost->min_rank);
}

/* ---- tree ---- */

static bool is_of_mpi(const struct part_paths_builder *m, uint32_t node)
{
    const struct fm_path_node *path = &m->from->nodes[node];
    return (node && m->of_mpi[path->parent]) || fm_names_fit(fm_mpi_stack, fm_basename(path->site.module));
}

/* Parents come before their children: going backwards, a shared node is kept if a child is. */
static void mark(struct part_paths_builder *m)
{
    for (uint32_t i = 0; i < m->from->n; i++) {
        m->sides[i] = (uint8_t)side_of(m, i);
        m->of_mpi[i] = m->sides[i] == FM_PART_SHARED && is_of_mpi(m, i);
    }
    for (uint32_t i = (uint32_t)m->from->n; i-- > 0;) {
        m->kept[i] |= m->sides[i] == FM_PART_OURS;
        m->kept[m->from->nodes[i].parent] |= m->kept[i];
        if (m->sides[i] == FM_PART_SHARED)
            fm_add_saturating(m->of_mpi[i] ? &m->part->threads_ns : &m->part->sampled_ns, m->from->nodes[i].own.sum_ns);
    }
}

static void copy_nodes(struct part_paths_builder *m)
{
    for (uint32_t i = 0; i < m->from->n; i++) {
        m->places[i] = UINT32_MAX;
        if (!m->kept[i])
            continue;
        struct fm_path_node node = m->from->nodes[i];
        node.parent = i ? m->places[node.parent] : 0;
        if (m->sides[i] == FM_PART_SHARED)
            node.own = node.all = (struct fm_path_cost){0};
        number_cost(m, &node.own);
        number_cost(m, &node.all);
        m->places[i] = (uint32_t)m->to->n;
        m->to->nodes[m->to->n++] = node;
    }
}

/* The cost of a shared node is the sum of what is kept below it. */
static void sum_shared(struct part_paths_builder *m)
{
    for (uint32_t i = (uint32_t)m->from->n; i-- > 1;) {
        uint32_t parent = m->from->nodes[i].parent;
        if (!m->kept[i] || m->sides[parent] != FM_PART_SHARED)
            continue;
        struct fm_path_cost *into = &m->to->nodes[m->places[parent]].all;
        struct fm_context_cost sum = {.of = *into}, part = {.of = m->to->nodes[m->places[i]].all};
        fm_context_cost_add(&sum, &part, m->ranks, m->arena);
        *into = sum.of;
    }
}

static void copy_shares(struct part_paths_builder *m)
{
    for (size_t i = 0; i < m->from->n_shares; i++) {
        struct fm_path_share share = m->from->shares[i];
        if (m->sides[share.node] != FM_PART_OURS)
            continue;
        share.node = m->places[share.node];
        share.rank = number_of(m, share.rank);
        m->to->shares[m->to->n_shares++] = share;
    }
}

/* Removed nodes become unknown: UINT32_MAX + 1 = 0. */
static bool copy_sequence(struct part_paths_builder *m)
{
    struct fm_sequence *sequence = &m->to->sequence;
    if (!fm_sequence_renumber(&m->from->sequence, m->places, m->arena, sequence))
        return false;
    sequence->n = 0;
    for (size_t i = 0; i < m->from->sequence.n; i++)
        if (fm_rankset_has(&m->part->ranks, sequence->rows[i].rank))
            sequence->rows[sequence->n++] = sequence->rows[i];
    return true;
}

/* Each sample represents one period. */
static uint64_t samples_of(const struct part_paths_builder *m, uint64_t ns)
{
    uint64_t whole = m->from->nodes[0].all.sum_ns;
    return whole ? (uint64_t)((double)m->from->samples * ((double)ns / (double)whole) + 0.5) : 0;
}

static void count_samples(struct part_paths_builder *m)
{
    m->to->samples = samples_of(m, m->to->nodes[0].all.sum_ns);
    m->to->partial = 0;
    for (size_t i = 1; i < m->to->n; i++)
        if (m->to->nodes[i].kind == FM_PATH_GAP)
            fm_add_saturating(&m->to->partial, samples_of(m, m->to->nodes[i].all.sum_ns));
    if (m->to->lost)
        m->to->lost = FM_UNKNOWN;
    if (m->to->folded_ns)
        m->to->folded_ns = FM_UNKNOWN;
}

bool fm_part_paths(const struct fm_profile *profile, struct fm_profile *part, struct fm_part *of,
                   struct fm_arena *arena)
{
    const struct fm_call_paths *from = &profile->paths;
    struct part_paths_builder m = {
        .profile = profile,
        .from = from,
        .to = &part->paths,
        .part = of,
        .arena = arena,
        .before = fm_arena_alloc(arena, of->ranks.n * sizeof *m.before),
        .sides = fm_arena_alloc(arena, from->n),
        .of_mpi = fm_arena_alloc(arena, from->n * sizeof *m.of_mpi),
        .kept = fm_arena_alloc(arena, from->n * sizeof *m.kept),
        .places = fm_arena_alloc(arena, from->n * sizeof *m.places),
        .ranks = part->job.ranks,
    };
    *m.to = *from;
    m.to->nodes = fm_arena_alloc(arena, from->n * sizeof *from->nodes);
    m.to->shares = fm_arena_alloc(arena, from->n_shares * sizeof *from->shares);
    if (!m.before || !m.sides || !m.of_mpi || !m.kept || !m.places || !m.to->nodes || !m.to->shares)
        return false;
    m.to->n = m.to->n_shares = 0;
    for (size_t i = 1; i < of->ranks.n; i++)
        m.before[i] = m.before[i - 1] + of->ranks.ranges[i - 1].last - of->ranks.ranges[i - 1].first + 1;
    mark(&m);
    copy_nodes(&m);
    sum_shared(&m);
    copy_shares(&m);
    if (!copy_sequence(&m))
        return false;
    if (m.to->n)
        count_samples(&m);
    else
        m.to->samples = m.to->partial = 0;
    return true;
}
