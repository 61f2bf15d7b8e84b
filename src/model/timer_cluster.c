/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/timer_cluster.h"

#include "base/saturate.h"
#include "base/sort.h"

/* A timer with coarse shapes can have more of them than this; it is then clustered by maximum bin. */
enum { LIMIT = 192 };
_Static_assert((int)LIMIT >= (int)FM_DECIMAL_BINS, "a timer reduced by its maximum bins fits");

#define BIN (1ull << 32) /* unit of distance: all events moved by one bin */
#define NEAR (BIN / 2)

struct cluster {
    struct fm_timer_group group;
    size_t place;                     /* index among all clusters */
    bool joined;                      /* merged into another cluster */
    uint64_t shares[FM_DECIMAL_BINS]; /* cumulative share of the events up to this bin, 1 = BIN */
    uint64_t distance[LIMIT];         /* to the clusters before it */
};

struct clusters {
    struct fm_arena *arena;
    struct cluster **items;
    size_t n, left; /* left: not merged into another one */
};

unsigned fm_timer_fullest(const struct fm_timer_group *group)
{
    unsigned fullest = 0;
    uint64_t max = 0;
    for (size_t i = 0; i < group->n_bins && group->bins[i].bin < FM_DECIMAL_BINS; i++) {
        if (group->bins[i].sum > max) {
            max = group->bins[i].sum;
            fullest = group->bins[i].bin;
        }
    }
    return fullest;
}

static void compute_shares(struct cluster *cluster)
{
    const struct fm_timer_group *group = &cluster->group;
    uint64_t all = 0, sum = 0;
    size_t at = 0;
    for (size_t i = 0; i < group->n_bins; i++)
        fm_add_saturating(&all, group->bins[i].sum);
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++) {
        if (at < group->n_bins && group->bins[at].bin == bin)
            fm_add_saturating(&sum, group->bins[at++].sum);
        cluster->shares[bin] = all ? (uint64_t)((unsigned __int128)sum * BIN / all) : 0;
    }
}

static uint64_t distance(const struct cluster *a, const struct cluster *b)
{
    uint64_t sum = 0;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++)
        sum += a->shares[bin] > b->shares[bin] ? a->shares[bin] - b->shares[bin] : b->shares[bin] - a->shares[bin];
    return sum;
}

static void compute_distances(struct clusters *clusters, struct cluster *cluster)
{
    for (size_t i = 0; i < clusters->n; i++) {
        struct cluster *other = clusters->items[i];
        if (i < cluster->place)
            cluster->distance[i] = distance(cluster, other);
        else if (i > cluster->place)
            other->distance[cluster->place] = distance(cluster, other);
    }
}

/* Copies the bins because merging changes them in place. */
static bool add(struct clusters *clusters, const struct fm_timer_group *group)
{
    struct cluster *cluster = fm_arena_alloc(clusters->arena, sizeof *cluster);
    struct fm_timer_bin *bins = fm_arena_alloc(clusters->arena, group->n_bins * sizeof *bins);
    if (!cluster || !bins || !fm_rankset_union(&cluster->group.ranks, clusters->arena, &group->ranks))
        return false;
    cluster->group.bins = bins;
    while (cluster->group.n_bins < group->n_bins && group->bins[cluster->group.n_bins].bin < FM_DECIMAL_BINS) {
        bins[cluster->group.n_bins] = group->bins[cluster->group.n_bins];
        cluster->group.n_bins++;
    }
    compute_shares(cluster);
    cluster->place = clusters->n;
    clusters->items[clusters->n++] = cluster;
    clusters->left++;
    compute_distances(clusters, cluster);
    return true;
}

static bool add_all(struct clusters *clusters, const struct fm_timer_group *groups, size_t n)
{
    clusters->items = fm_arena_alloc(clusters->arena, n * sizeof *clusters->items);
    for (size_t i = 0; clusters->items && i < n; i++)
        if (groups[i].ranks.n && !add(clusters, &groups[i]))
            return false;
    return clusters->items;
}

struct pair {
    struct cluster *first, *second; /* NULL: fewer than two clusters are left */
    uint64_t distance;
};

/* Of equally near pairs, the first. */
static struct pair nearest(const struct clusters *clusters)
{
    struct pair pair = {.distance = UINT64_MAX};
    for (size_t i = 1; i < clusters->n; i++) {
        struct cluster *second = clusters->items[i];
        for (size_t k = 0; !second->joined && k < i; k++)
            if (!clusters->items[k]->joined && second->distance[k] < pair.distance)
                pair = (struct pair){clusters->items[k], second, second->distance[k]};
    }
    return pair;
}

static bool join(struct clusters *clusters, const struct pair *pair)
{
    struct fm_timer_group *into = &pair->first->group, *from = &pair->second->group;
    if (!fm_timer_bins_merge(clusters->arena, into, into->ranks.ranges[0].first, from, from->ranks.ranges[0].first) ||
        !fm_rankset_union(&into->ranks, clusters->arena, &from->ranks))
        return false;
    pair->second->joined = true;
    clusters->left--;
    compute_shares(pair->first);
    compute_distances(clusters, pair->first);
    return true;
}

static bool join_near(struct clusters *clusters, size_t max)
{
    struct pair pair = nearest(clusters);
    for (; pair.first && (pair.distance < NEAR || clusters->left > max); pair = nearest(clusters))
        if (!join(clusters, &pair))
            return false;
    return true;
}

static int longest_first(const void *a, const void *b)
{
    const struct fm_timer_group *x = a, *y = b;
    if (x->shape.max_bin[0] != y->shape.max_bin[0])
        return x->shape.max_bin[0] > y->shape.max_bin[0] ? -1 : 1;
    return x->ranks.ranges[0].first < y->ranks.ranges[0].first ? -1 : 1;
}

bool fm_timer_cluster(const struct fm_timer *timer, size_t max, struct fm_arena *arena, struct fm_timer_group **groups,
                      size_t *n)
{
    struct clusters clusters = {.arena = arena};
    struct fm_timer_group *from = timer->groups;
    size_t n_from = timer->n_groups;
    if (n_from > LIMIT && !fm_timer_reduce(timer, 0, arena, &from, &n_from))
        return false;
    if (!add_all(&clusters, from, n_from) || !join_near(&clusters, max))
        return false;
    *n = 0;
    *groups = fm_arena_alloc(arena, clusters.left * sizeof **groups);
    for (size_t i = 0; *groups && i < clusters.n; i++) {
        const struct cluster *cluster = clusters.items[i];
        if (cluster->joined)
            continue;
        (*groups)[*n] = cluster->group;
        (*groups)[(*n)++].shape.max_bin[0] = (uint8_t)fm_timer_fullest(&cluster->group);
    }
    return *groups && fm_sort(*groups, *n, sizeof **groups, longest_first, arena);
}
