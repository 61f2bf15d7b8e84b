#include "merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "format/segment.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "merge/reduction_tree.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "tap.h"

/* Profiles are made anew from their seeds, because merging changes them. */
static struct fm_profile *made(uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 1;
    return fm_random_profile(&state, 6);
}

static struct fm_profile *merged(struct fm_profile *a, struct fm_profile *b)
{
    if (fm_profile_merge(a, b, NULL))
        printf("# merge failed\n");
    fm_profile_destroy(b);
    return a;
}

/* Both are used up. */
static bool same(struct fm_profile *a, struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *of_a = NULL, *of_b = NULL;
    size_t n_a = 0, n_b = 1;
    fm_profile_encode_exact(a, &arena, &of_a, &n_a, NULL);
    fm_profile_encode_exact(b, &arena, &of_b, &n_b, NULL);
    bool equal = n_a == n_b && !memcmp(of_a, of_b, n_a) && !fm_profile_check(a);
    fm_arena_destroy(&arena);
    fm_profile_destroy(a);
    fm_profile_destroy(b);
    return equal;
}

static void test_laws(void)
{
    int rounds = 400, commutes = 0, associates = 0, left = 0, right = 0;
    for (uint64_t i = 1; i <= (uint64_t)rounds; i++) {
        uint64_t a = 3 * i, b = 3 * i + 1, c = 3 * i + 2;
        commutes += same(merged(made(a), made(b)), merged(made(b), made(a)));
        associates += same(merged(merged(made(a), made(b)), made(c)), merged(made(a), merged(made(b), made(c))));
        left += same(merged(fm_profile_create(), made(a)), made(a));
        right += same(merged(made(a), fm_profile_create()), made(a));
    }
    tap_ok(commutes == rounds, "merging is commutative (%d of %d)", commutes, rounds);
    tap_ok(associates == rounds, "merging is associative (%d of %d)", associates, rounds);
    tap_ok(left == rounds && right == rounds, "the empty profile is its identity");
}

/* Many profiles in a random order, by a tree as those of a host are, and one after the other. */
static void test_orders(void)
{
    enum { MANY = 60 };
    int good = 0, rounds = 20;
    for (int round = 0; round < rounds; round++) {
        struct fm_reduction_tree tree = {0};
        struct fm_profile *all = NULL, *one = fm_profile_create();
        uint64_t state = (uint64_t)round + 1, order[MANY];
        for (size_t i = 0; i < MANY; i++)
            order[i] = i;
        for (size_t i = MANY - 1; i > 0; i--) {
            size_t k = fm_random(&state, i + 1);
            uint64_t swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (size_t i = 0; i < MANY; i++) {
            fm_reduction_tree_add(&tree, made(1000 + (uint64_t)round * MANY + order[i]), NULL);
            one = merged(one, made(1000 + (uint64_t)round * MANY + i));
        }
        fm_reduction_tree_finish(&tree, &all, NULL);
        good += same(all, one);
    }
    tap_ok(good == rounds, "%d profiles give the same in any order", MANY);
}

static void test_second(void)
{
    struct fm_stats sum = {0};
    uint64_t longest[] = {0, 0}, state = 8;
    bool right = true;
    for (int i = 0; i < 2000; i++) {
        uint64_t ns = fm_random(&state, 1000000);
        struct fm_stats one = {.count = 1, .min = {ns, 1, 0}, .max = {ns, 1, 0}};
        fm_stats_merge(&sum, &one);
        if (ns > longest[0]) {
            longest[1] = longest[0];
            longest[0] = ns;
        } else if (ns > longest[1]) {
            longest[1] = ns;
        }
        right &= sum.max.ns == longest[0] && (i == 0 ? !sum.second.event : sum.second.ns == longest[1]);
    }
    tap_ok(right, "the second longest event is right after every merge");
    struct fm_stats a = {.max = {9, 4, 7}, .min = {9, 4, 7}}, b = {.max = {9, 2, 3}, .min = {9, 2, 3}};
    fm_stats_merge(&a, &b);
    tap_ok(a.max.rank == 3 && a.second.rank == 7 && a.second.event == 4 && a.min.rank == 3,
           "of equal extremes the lowest rank is named");
}

static void test_keys(void)
{
    struct fm_profile *a = fm_profile_create(), *b = fm_profile_create();
    struct fm_error error;
    a->job.key = "one";
    b->job.key = "two";
    tap_ok(fm_profile_merge(a, b, &error) == FM_ERR_INPUT, "two jobs do not merge: %s", error.text);
    fm_profile_destroy(a);
    fm_profile_destroy(b);
}

static void test_strings(void)
{
    struct fm_profile *all = fm_profile_create();
    struct fm_event event = {.key = {"MPI_Send", "region", 3, 0, {"/bin/app", "id", 0}}};
    for (uint64_t i = 0; i < 50; i++) {
        event.key.site.offset = (i * 37) % 50;
        fm_merge_events(all, &event, 1);
    }
    bool shared = all->n_events == 50;
    for (size_t i = 1; i < all->n_events; i++)
        shared &= all->events[i].key.site.module == all->events[0].key.site.module &&
                  all->events[i].key.routine == all->events[0].key.routine;
    tap_ok(shared, "equal strings are kept once");
    fm_profile_destroy(all);
}

static void test_snapshot_limit(void)
{
    struct fm_profile *up = fm_profile_create(), *down = fm_profile_create();
    for (uint32_t i = 0; i < 1200; i++) {
        struct fm_snapshot first = {.label = "s", .rank = i, .ranks = 1},
                           second = {.label = "s", .rank = 1199 - i, .ranks = 1};
        struct fm_profile *one = fm_profile_create(), *other = fm_profile_create();
        fm_merge_snapshots(one, &first, 1);
        fm_merge_snapshots(other, &second, 1);
        up = merged(up, one);
        down = merged(down, other);
    }
    tap_ok(up->n_snapshots == FM_MAX_SNAPSHOTS && up->snapshots[999].rank == 999, "the first 1000 subtotals stay");
    tap_ok(up->n_notes == 1 && up->notes[0].code == FM_NOTE_SUBTOTALS_LEFT_OUT && up->notes[0].amount == 200 &&
               up->notes[0].ranks.ranges[0].first == 1000,
           "the others are noted");
    tap_ok(same(up, down), "in whatever order they came");
}

/* A task with one wrong use of timer "t", at a place of its own. */
static struct fm_profile *misused(uint32_t rank)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_range range = {rank, rank};
    struct fm_misuse misuse = {FM_MISUSE_STARTED_TWICE, {"/bin/app", "id", rank}, 2, {&range, 1, 1}};
    struct fm_timer timer = {.name = "t", .parent = "", .misuses = &misuse, .n_misuses = 1};
    fm_merge_timers(p, &timer, 1);
    return p;
}

static void test_misuse_limit(void)
{
    struct fm_profile *up = fm_profile_create(), *down = fm_profile_create();
    for (uint32_t i = 0; i < 100; i++) {
        up = merged(up, misused(i));
        down = merged(down, misused(99 - i));
    }
    const struct fm_timer *timer = up->timers;
    tap_ok(timer->n_misuses == FM_MISUSE_SITES + 1 && timer->misuses[16].site.offset == 15 &&
               timer->misuses[16].count == 2,
           "the first places of a wrong use stay");
    tap_ok(!*timer->misuses[0].site.module && timer->misuses[0].count == 168 &&
               fm_rankset_count(&timer->misuses[0].ranks) == 84,
           "the others become one without a place");
    tap_ok(!timer->ranks.n && !timer->n_groups, "a timer without events has no tasks");
    tap_ok(same(up, down), "in whatever order they came");
}

int main(void)
{
    test_laws();
    test_orders();
    test_second();
    test_keys();
    test_strings();
    test_snapshot_limit();
    test_misuse_limit();
    return tap_done();
}
