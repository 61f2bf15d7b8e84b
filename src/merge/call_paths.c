/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges two calling context trees in one pass over both, in their common order.
 *
 * Of the next nodes of the two trees, the one whose parent comes later in the merged tree is deeper on the current
 * path, so it comes first. If they have the same parent, they are siblings and their order decides. If the tree already
 * has all nodes of the other one, which is the usual case, it stays in place; otherwise its nodes are moved to their
 * new places from the end. */
#include "base/saturate.h"
#include "merge/join.h"
#include "merge/parts.h"
#include "model/order.h"
#include "model/strings.h"

enum { FM_TEXT_CACHE = 64 };

struct path_merge {
    struct fm_profile *into;
    struct fm_call_paths *mine;
    const struct fm_call_paths *theirs;
    uint32_t *my_places, *their_places; /* new indices in the merged tree */
    bool *is_new;                       /* of theirs: nodes that mine does not have */
    size_t n;                           /* number of nodes of the merged tree */
    struct {
        const char *theirs, *mine;
    } texts[FM_TEXT_CACHE]; /* there are few different strings, and comparing pointers is fast */
    bool failed;
};

/* The string of mine that is equal to one of theirs. */
static const char *own_text(struct path_merge *m, const char *text)
{
    size_t slot = ((uintptr_t)text >> 4) % FM_TEXT_CACHE;
    if (!*text)
        return "";
    if (m->texts[slot].theirs != text) {
        m->texts[slot].theirs = text;
        m->texts[slot].mine = fm_profile_intern(m->into, text);
        if (!m->texts[slot].mine) {
            m->failed = true;
            m->texts[slot].mine = "";
        }
    }
    return m->texts[slot].mine;
}

static int compare_texts(struct path_merge *m, const char *mine, const char *theirs)
{
    return fm_compare_text(mine, own_text(m, theirs));
}

/* Like fm_path_compare. */
static int compare(struct path_merge *m, const struct fm_path_node *mine, const struct fm_path_node *theirs)
{
    if (mine->kind != theirs->kind)
        return mine->kind < theirs->kind ? -1 : 1;
    int order = compare_texts(m, mine->site.module, theirs->site.module);
    if (!order)
        order = compare_texts(m, mine->site.build_id, theirs->site.build_id);
    if (!order)
        order = fm_compare_number(mine->site.offset, theirs->site.offset);
    return order ? order : compare_texts(m, mine->routine, theirs->routine);
}

/* < 0: my node i is next, > 0: their node j, 0: they are equal. */
static int next_of(struct path_merge *m, size_t i, size_t j)
{
    if (i == m->mine->n || j == m->theirs->n)
        return i == m->mine->n ? 1 : -1;
    if (!i || !j)
        return 0; /* the roots */
    const struct fm_path_node *mine = &m->mine->nodes[i], *theirs = &m->theirs->nodes[j];
    uint32_t my_parent = m->my_places[mine->parent], their_parent = m->their_places[theirs->parent];
    if (my_parent != their_parent)
        return my_parent > their_parent ? -1 : 1;
    return compare(m, mine, theirs);
}

/* Determines the new index of every node, and merges the nodes that are in both. */
static void walk(struct path_merge *m)
{
    size_t i = 0, j = 0;
    for (; i < m->mine->n || j < m->theirs->n; m->n++) {
        int next = next_of(m, i, j);
        if (next == 0) {
            fm_path_cost_merge(&m->mine->nodes[i].own, &m->theirs->nodes[j].own);
            fm_path_cost_merge(&m->mine->nodes[i].all, &m->theirs->nodes[j].all);
        }
        if (next >= 0) {
            m->is_new[j] = next > 0;
            m->their_places[j++] = (uint32_t)m->n;
        }
        if (next <= 0)
            m->my_places[i++] = (uint32_t)m->n;
    }
}

static bool insert_new(struct path_merge *m)
{
    struct fm_call_paths *mine = m->mine;
    if (m->n == mine->n)
        return true;
    struct fm_path_node *nodes = fm_arena_grow(&m->into->arena, mine->nodes, &mine->capacity, m->n, sizeof *nodes);
    if (!nodes || m->n > UINT32_MAX)
        return false;
    for (size_t i = mine->n; i-- > 0;) {
        struct fm_path_node node = nodes[i];
        node.parent = m->my_places[node.parent];
        nodes[m->my_places[i]] = node;
    }
    for (size_t j = 0; j < m->theirs->n; j++) {
        if (!m->is_new[j])
            continue;
        struct fm_path_node *node = &nodes[m->their_places[j]];
        *node = m->theirs->nodes[j];
        node->parent = m->their_places[node->parent];
        node->site.module = own_text(m, node->site.module);
        node->site.build_id = own_text(m, node->site.build_id);
        node->routine = own_text(m, node->routine);
    }
    mine->nodes = nodes;
    mine->n = m->n;
    return true;
}

/* ---- shares ---- */

static int compare_shares(const void *a, const void *b)
{
    const struct fm_path_share *x = a, *y = b;
    return fm_compare_number((uint64_t)x->node << 32 | x->rank, (uint64_t)y->node << 32 | y->rank);
}

static bool merge_shares(struct path_merge *m, struct fm_arena *scratch)
{
    static const struct fm_join kind = {
        .item_size = sizeof(struct fm_path_share), .compare = compare_shares, .fields = &fm_path_share_fields};
    struct fm_call_paths *mine = m->mine;
    struct fm_path_share *theirs = fm_arena_alloc(scratch, m->theirs->n_shares * sizeof *theirs);
    if (!theirs)
        return false;
    for (size_t i = 0; i < mine->n_shares; i++)
        mine->shares[i].node = m->my_places[mine->shares[i].node];
    for (size_t i = 0; i < m->theirs->n_shares; i++) {
        theirs[i] = m->theirs->shares[i];
        theirs[i].node = m->their_places[theirs[i].node];
    }
    return fm_join(&kind, m->into, &mine->shares, &mine->n_shares, &mine->shares_capacity, theirs, m->theirs->n_shares);
}

/* ---- call paths ---- */

static void merge_counts(struct fm_call_paths *mine, const struct fm_call_paths *theirs)
{
    fm_add_saturating(&mine->samples, theirs->samples);
    fm_add_saturating(&mine->partial, theirs->partial);
    fm_add_saturating(&mine->lost, theirs->lost);
    fm_add_saturating(&mine->folded_ns, theirs->folded_ns);
    if (theirs->period_ns[0] && (!mine->period_ns[0] || theirs->period_ns[0] < mine->period_ns[0]))
        mine->period_ns[0] = theirs->period_ns[0];
    if (theirs->period_ns[1] > mine->period_ns[1])
        mine->period_ns[1] = theirs->period_ns[1];
}

bool fm_merge_paths(struct fm_profile *into, const struct fm_call_paths *paths, struct fm_arena *scratch)
{
    struct path_merge m = {.into = into, .mine = &into->paths, .theirs = paths};
    merge_counts(&into->paths, paths);
    if (!paths->n)
        return true;
    m.my_places = fm_arena_alloc(scratch, into->paths.n * sizeof *m.my_places);
    m.their_places = fm_arena_alloc(scratch, paths->n * sizeof *m.their_places);
    m.is_new = fm_arena_alloc(scratch, paths->n * sizeof *m.is_new);
    if (!m.my_places || !m.their_places || !m.is_new)
        return false;
    walk(&m);
    bool grows = m.n != into->paths.n;
    return insert_new(&m) && merge_shares(&m, scratch) &&
           fm_merge_sequence(into, &paths->sequence, grows ? m.my_places : NULL, m.their_places) && !m.failed;
}
