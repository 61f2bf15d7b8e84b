#include "model/call_paths.h"

#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "format/layout.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "model/quantize.h"
#include "tap.h"

/* A leaf or a call of one rank; the tree must be made in its order. */
static void grow(struct fm_profile *p, uint32_t parent, enum fm_path_kind kind, uint64_t offset, uint64_t ns,
                 uint32_t rank)
{
    struct fm_call_paths *paths = &p->paths;
    paths->nodes = fm_arena_grow(&p->arena, paths->nodes, &paths->capacity, paths->n + 1, sizeof *paths->nodes);
    bool place = kind == FM_PATH_CALL || kind == FM_PATH_LEAF;
    paths->nodes[paths->n++] = (struct fm_path_node){
        .parent = parent,
        .kind = kind,
        .site = {place ? "/bin/app" : "", place ? "id" : "", offset},
        .routine = "",
        .own = fm_path_cost_of(ns, rank),
    };
}

/* root - f - (leaf 1, leaf 2, leaf 3); root - g - leaf 4. */
static struct fm_profile *tree(uint32_t rank, const uint64_t ns[4])
{
    struct fm_profile *p = fm_profile_create();
    p->job.ranks = 4;
    grow(p, 0, FM_PATH_ROOT, 0, 0, rank);
    grow(p, 0, FM_PATH_CALL, 100, 0, rank);
    for (uint64_t i = 0; i < 3; i++)
        grow(p, 1, FM_PATH_LEAF, 1 + i, ns[i], rank);
    grow(p, 0, FM_PATH_CALL, 200, 0, rank);
    grow(p, 5, FM_PATH_LEAF, 4, ns[3], rank);
    fm_call_paths_inclusive(&p->paths, rank);
    fm_call_paths_make_shares(&p->paths, &p->arena, &p->arena, rank);
    return p;
}

static struct fm_profile *two_ranks(void)
{
    struct fm_profile *a = tree(0, (const uint64_t[]){10000, 20000, 3000, 5000});
    struct fm_profile *b = tree(1, (const uint64_t[]){40000, 10000, 1000, 7000});
    fm_profile_merge(a, b, NULL);
    fm_profile_destroy(b);
    return a;
}

static bool cost_is(const struct fm_path_cost *cost, uint64_t sum, uint64_t squares, uint64_t max, uint64_t min,
                    uint32_t max_rank, uint32_t min_rank, uint32_t ranks)
{
    bool is = cost->sum_ns == sum && cost->squares[0] == squares && !cost->squares[1] && cost->max_ns == max &&
              cost->min_ns == min && cost->max_rank == max_rank && cost->min_rank == min_rank && cost->ranks == ranks;
    if (!is)
        printf("# sum %llu squares %llu max %llu min %llu of %u and %u, %u ranks\n", (unsigned long long)cost->sum_ns,
               (unsigned long long)cost->squares[0], (unsigned long long)cost->max_ns, (unsigned long long)cost->min_ns,
               cost->max_rank, cost->min_rank, cost->ranks);
    return is;
}

static void test_merge(void)
{
    struct fm_profile *p = two_ranks();
    const struct fm_path_node *nodes = p->paths.nodes;
    tap_ok(p->paths.n == 7 && cost_is(&nodes[2].own, 50000, 1700, 40000, 10000, 1, 0, 2) &&
               cost_is(&nodes[1].all, 84000, 33 * 33 + 51 * 51, 51000, 33000, 1, 0, 2) && !nodes[1].own.ranks,
           "costs of ranks are added up, with their extremes and squares");
    struct fm_profile *other = fm_profile_create();
    grow(other, 0, FM_PATH_ROOT, 0, 0, 2);
    grow(other, 0, FM_PATH_GAP, 0, 0, 2);
    grow(other, 1, FM_PATH_LEAF, 9, 500, 2);
    grow(other, 0, FM_PATH_CALL, 100, 0, 2);
    grow(other, 3, FM_PATH_CALL, 50, 0, 2);
    grow(other, 4, FM_PATH_LEAF, 2, 600, 2);
    grow(other, 3, FM_PATH_LEAF, 2, 700, 2);
    grow(other, 0, FM_PATH_CALL, 150, 0, 2);
    grow(other, 7, FM_PATH_LEAF, 4, 800, 2);
    fm_call_paths_inclusive(&other->paths, 2);
    fm_call_paths_make_shares(&other->paths, &other->arena, &other->arena, 2);
    fm_profile_merge(p, other, NULL);
    nodes = p->paths.nodes;
    static const uint32_t parents[] = {0, 0, 1, 0, 3, 4, 3, 3, 3, 0, 9, 0, 11};
    bool right = p->paths.n == 13 && !fm_profile_check(p);
    for (size_t i = 0; right && i < 13; i++)
        right = nodes[i].parent == parents[i];
    tap_ok(right && nodes[7].own.ranks == 3 && nodes[7].own.sum_ns == 30700 && nodes[5].own.ranks == 1 &&
               nodes[0].all.sum_ns == 96000 + 2600 && nodes[11].site.offset == 200,
           "new nodes are put where they belong");
    bool shares = true;
    for (size_t i = 0; i < p->paths.n_shares; i++)
        shares &= p->paths.shares[i].rank != 2 ||
                  nodes[p->paths.shares[i].node].all.min_ns == p->paths.shares[i].all_ns;
    tap_ok(shares && p->paths.n_shares == 6 + 6 + 6, "shares stay with their nodes (%zu)", p->paths.n_shares);
    fm_profile_destroy(other);
    fm_profile_destroy(p);
}

/* ---- what ranks tell ---- */

static bool vector_is(const struct fm_call_paths *paths, uint32_t node, size_t n, const uint64_t *ns)
{
    struct fm_arena arena = {0};
    const struct fm_path_share *vector;
    size_t found;
    bool is = fm_call_paths_vector(paths, node, &arena, &vector, &found) && found == n;
    for (size_t i = 0; is && i < n; i++)
        is = vector[i].rank == i && vector[i].all_ns == ns[i];
    fm_arena_destroy(&arena);
    return is;
}

static void test_vectors(void)
{
    struct fm_profile *p = two_ranks(), *single = tree(2, (const uint64_t[]){0, 0, 9000, 5000});
    struct fm_arena arena = {0};
    struct fm_call_paths less;
    size_t n;
    tap_ok(vector_is(&p->paths, 1, 2, (const uint64_t[]){33000, 51000}) && !fm_call_paths_shares_of(&p->paths, 5, &n) &&
               !n && vector_is(&p->paths, 5, 2, (const uint64_t[]){5000, 7000}),
           "a node of which a child has all has what that has");
    fm_profile_merge(p, single, NULL);
    fm_call_paths_shares_of(&p->paths, 1, &n);
    tap_ok(n == 2 && vector_is(&p->paths, 1, 3, (const uint64_t[]){33000, 51000, 9000}),
           "also where it has all on some ranks alone");
    fm_call_paths_keep_vectors(&p->paths, 2, &arena, &less);
    tap_ok(less.n_shares == 6 && less.shares[0].node == 0 && less.shares[3].node == 1 &&
               less.shares[5].all_ns == 9000 && !fm_call_paths_check(&less),
           "the vectors of the heaviest nodes are kept whole, without those that they follow from");
    fm_arena_destroy(&arena);
    fm_profile_destroy(single);
    fm_profile_destroy(p);
}

static void test_coarse(void)
{
    uint64_t state = 5;
    bool good = true;
    for (int i = 0; i < 100000; i++) {
        uint64_t value = fm_random(&state, UINT64_MAX) >> fm_random(&state, 64), least, most;
        for (unsigned bits = FM_QUANTIZED_BITS_LARGE; bits <= FM_QUANTIZED_BITS; bits++) {
            uint64_t coarse = fm_quantize(value, bits);
            fm_quantized_range(coarse, &least, &most);
            good &= fm_quantize(coarse, FM_QUANTIZED_BITS) == coarse && fm_quantize(coarse, bits) == coarse &&
                    least <= value && value <= most && most - least <= coarse / 8 + 1;
        }
    }
    tap_ok(good, "coarse values stay what they are, and tell what they may have been");
    uint64_t least, most;
    fm_quantized_range(10309278, &least, &most);
    tap_ok(least == 10309278 && most == 10309278, "what is not coarse is exact");
}

static bool same(const struct fm_path_cost *a, const struct fm_path_cost *b)
{
    return !memcmp(a, b, offsetof(struct fm_path_cost, ranks)) && a->ranks == b->ranks;
}

static void test_fold(void)
{
    struct fm_profile *p = two_ranks();
    struct fm_call_paths less;
    struct fm_arena arena = {0};
    tap_ok(fm_call_paths_fold(&p->paths, 7, &arena, &less) && less.n == 7 && less.nodes == p->paths.nodes,
           "a small tree stays as it is");
    fm_call_paths_fold(&p->paths, 6, &arena, &less);
    tap_ok(less.n == 6 && less.nodes[4].kind == FM_PATH_CALL && same(&less.nodes[1].own, &p->paths.nodes[4].own) &&
               same(&less.nodes[1].all, &p->paths.nodes[1].all) && less.folded_ns == 4000,
           "the lightest leaf is given to its parent");
    bool shares = less.n_shares == p->paths.n_shares - 2;
    for (size_t i = 0; i < less.n_shares; i++)
        shares &= less.shares[i].node != 4 || less.shares[i].all_ns > 4000;
    tap_ok(shares && !fm_call_paths_check(&less), "its shares are left out, the others stay");
    fm_call_paths_fold(&p->paths, 5, &arena, &less);
    tap_ok(less.n == 5 && same(&less.nodes[4].own, &p->paths.nodes[5].all) && less.folded_ns == 16000,
           "a node that gave all its children has all for itself");
    fm_call_paths_fold(&p->paths, 3, &arena, &less);
    const struct fm_path_cost *own = &less.nodes[1].own;
    tap_ok(less.n == 3 && own->sum_ns == 34000 && own->ranks == 2 && own->max_ns == 23000 &&
               !fm_call_paths_check(&less) && own->squares[0] > 630 && own->squares[0] < 670,
           "the spread of several leaves is estimated"); /* the squares are 23 * 23 + 11 * 11 */
    fm_call_paths_fold(&p->paths, 1, &arena, &less);
    tap_ok(less.n == 1 && same(&less.nodes[0].own, &p->paths.nodes[0].all) && less.folded_ns == 96000,
           "at last the root has all");
    fm_arena_destroy(&arena);
    fm_profile_destroy(p);
}

/* One rank: whatever is folded, the costs are exact. */
static void test_fold_random(void)
{
    uint64_t state = 3;
    int good = 0, rounds = 300;
    for (int i = 0; i < rounds; i++) {
        struct fm_profile *p = fm_random_profile(&state, 1), *again = fm_random_profile(&state, 3);
        struct fm_arena arena = {0};
        struct fm_call_paths less;
        size_t most = 1 + fm_random(&state, p->paths.n + 1);
        bool right = fm_call_paths_fold(&p->paths, most, &arena, &less) && !fm_call_paths_check(&less) &&
                     less.n == (p->paths.n < most ? p->paths.n : most);
        for (size_t k = 0; right && k < less.n; k++)
            right = same(&less.nodes[k].own, &(struct fm_path_cost){0}) ||
                    memcmp(&less.nodes[k].own.max_ns, &(uint64_t){less.nodes[k].own.sum_ns}, 8) == 0;
        fm_profile_merge(again, p, NULL);
        right &= fm_call_paths_fold(&again->paths, most, &arena, &less) && !fm_call_paths_check(&less);
        good += right;
        fm_arena_destroy(&arena);
        fm_profile_destroy(p);
        fm_profile_destroy(again);
    }
    tap_ok(good == rounds, "any tree can be made smaller (%d of %d)", good, rounds);
}

static size_t coded(const struct fm_profile *p, struct fm_profile **again)
{
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size = 0;
    struct fm_error error = {0};
    if (fm_profile_encode(p, &arena, &bytes, &size, NULL) || fm_profile_decode(bytes, size, "it", again, &error))
        printf("# %s\n", error.text);
    fm_arena_destroy(&arena);
    return size;
}

/* 60,000 leaves below 300 functions. */
static void test_limit(void)
{
    struct fm_profile *p = fm_profile_create(), *again = NULL, *once_more = NULL;
    grow(p, 0, FM_PATH_ROOT, 0, 0, 0);
    for (uint64_t i = 0; i < 300; i++) {
        uint32_t function = (uint32_t)p->paths.n;
        grow(p, 0, FM_PATH_CALL, 4096 * (i + 1), 0, 0);
        for (uint64_t k = 0; k < 200; k++)
            grow(p, function, FM_PATH_LEAF, 4096 * i + 4 * k, 10000000 * (1 + (i * 200 + k) * 7919 % 60000), 0);
    }
    fm_call_paths_inclusive(&p->paths, 0);
    size_t size = coded(p, &again);
    uint64_t own = 0;
    for (size_t i = 0; i < again->paths.n; i++)
        own += again->paths.nodes[i].own.sum_ns;
    tap_ok(again->paths.n == FM_CALL_PATHS_IN_FILE && own == p->paths.nodes[0].all.sum_ns &&
               again->paths.folded_ns == 10000000ull * 10301 * 10302 / 2,
           "a file has at most %d nodes, the heaviest", FM_CALL_PATHS_IN_FILE);
    tap_ok(coded(again, &once_more) == size && once_more->paths.folded_ns == again->paths.folded_ns,
           "writing it again loses nothing more");
    printf("# %zu bytes, %.1f a node\n", size, (double)size / again->paths.n);
    fm_profile_destroy(p);
    fm_profile_destroy(again);
    fm_profile_destroy(once_more);
}

static const char *wrong_with(void (*spoil)(struct fm_call_paths *))
{
    struct fm_profile *p = two_ranks();
    spoil(&p->paths);
    const char *wrong = fm_profile_check(p);
    fm_profile_destroy(p);
    return wrong;
}

static void swap_leaves(struct fm_call_paths *paths)
{
    paths->nodes[2].site.offset = 2;
    paths->nodes[3].site.offset = 1;
}
static void equal_leaves(struct fm_call_paths *paths)
{
    paths->nodes[3].site.offset = 1;
}
static void late_parent(struct fm_call_paths *paths)
{
    paths->nodes[2].parent = 5;
}
static void left_parent(struct fm_call_paths *paths)
{
    paths->nodes[6].parent = 1;
}
static void below_leaf(struct fm_call_paths *paths)
{
    paths->nodes[3].parent = 2;
}
static void second_root(struct fm_call_paths *paths)
{
    paths->nodes[5] = paths->nodes[0];
}
static void unknown_kind(struct fm_call_paths *paths)
{
    paths->nodes[6].kind = FM_PATH_KINDS;
}
static void no_cost(struct fm_call_paths *paths)
{
    paths->nodes[6].own = paths->nodes[6].all = (struct fm_path_cost){0};
}
static void more_than_parent(struct fm_call_paths *paths)
{
    paths->nodes[6].all.max_ns = paths->nodes[5].all.max_ns + 1;
}
static void nameless_routine(struct fm_call_paths *paths)
{
    paths->nodes[6].kind = FM_PATH_ROUTINE;
    paths->nodes[6].site = (struct fm_site){"", "", 0};
}
static void share_of_nothing(struct fm_call_paths *paths)
{
    paths->shares[paths->n_shares - 1].node = 7;
}
static void shares_twice(struct fm_call_paths *paths)
{
    paths->shares[1] = paths->shares[0];
}

static void test_check(void)
{
    void (*const spoils[])(struct fm_call_paths *) = {
        swap_leaves,  equal_leaves, late_parent,  left_parent,      below_leaf,       second_root,
        unknown_kind, no_cost,      shares_twice, more_than_parent, nameless_routine, share_of_nothing};
    bool found = true;
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++)
        if (!wrong_with(spoils[i])) {
            printf("# fault %zu was not found\n", i);
            found = false;
        }
    tap_ok(found, "trees that are none are refused");
    for (uint32_t depth = FM_CALL_PATHS_DEPTH; depth <= FM_CALL_PATHS_DEPTH + 1; depth++) {
        struct fm_profile *p = fm_profile_create(), *again = NULL;
        grow(p, 0, FM_PATH_ROOT, 0, 0, 0);
        for (uint32_t i = 0; i < depth; i++)
            grow(p, i, FM_PATH_CALL, 7 * i, i + 1 == depth, 0);
        fm_call_paths_inclusive(&p->paths, 0);
        if (depth > FM_CALL_PATHS_DEPTH)
            tap_ok(fm_profile_check(p) != NULL, "so are deeper ones");
        else
            tap_ok(!fm_profile_check(p) && coded(p, &again) && again->paths.n == depth + 1, "a path may have %u nodes",
                   depth);
        fm_profile_destroy(p);
        fm_profile_destroy(again);
    }
}

static void test_ties(void)
{
    struct fm_path_cost low = fm_path_cost_of(9, 3), high = fm_path_cost_of(9, 5), up = low, down = high;
    fm_path_cost_merge(&up, &high);
    fm_path_cost_merge(&down, &low);
    tap_ok(cost_is(&up, 18, 0, 9, 9, 3, 3, 2) && cost_is(&down, 18, 0, 9, 9, 3, 3, 2),
           "of equal extremes the lowest rank is named");
}

/* The sums of squares may need more than 64 bits. */
static void test_squares(void)
{
    struct fm_path_cost cost = {0}, one = fm_path_cost_of(UINT64_MAX, 3);
    for (int i = 0; i < 3; i++)
        fm_path_cost_merge(&cost, &one);
    unsigned __int128 square = (unsigned __int128)(UINT64_MAX / 1000) * (UINT64_MAX / 1000);
    tap_ok(fm_path_squares(&cost) == 3 * square && cost.sum_ns == UINT64_MAX && cost.ranks == 3, "squares are wide");
    fm_path_add_squares(&cost, ~(unsigned __int128)0);
    tap_ok(fm_path_squares(&cost) == ~(unsigned __int128)0, "and stop at the largest");
}

int main(void)
{
    test_merge();
    test_vectors();
    test_coarse();
    test_fold();
    test_fold_random();
    test_limit();
    test_check();
    test_squares();
    test_ties();
    return tap_done();
}
