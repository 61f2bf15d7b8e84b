#include "analyse/balance/mergeable.h"

#include <string.h>

#include "tap.h"

enum { RANKS = 4, TIMES = 1000, WHOLE_NS = 1000000000 };

static const struct fm_site a = {"pop", "", 1}, b = {"pop", "", 2}, c = {"pop", "", 3}, other = {"lib", "", 1};

static struct fm_range all = {0, RANKS - 1};

/* Calls at a site that take this part of the whole together. */
static struct fm_event calls(const struct fm_site *site, double part, uint64_t bytes)
{
    return (struct fm_event){
        .key = {"MPI_Allreduce", "", 0, RANKS, *site},
        .stats = {.count = RANKS * TIMES, .total_ns = (uint64_t)(part * WHOLE_NS), .bytes = RANKS * TIMES * bytes}};
}

static struct fm_succession pair(const struct fm_site *first, const struct fm_site *second, double is_short)
{
    return (struct fm_succession){.routine = "MPI_Allreduce",
                                  .first = *first,
                                  .second = *second,
                                  .count = RANKS * TIMES,
                                  .short_gaps = (uint64_t)(is_short * RANKS * TIMES),
                                  .ranks = {&all, 1, 1}};
}

static struct fm_mergeables find(struct fm_arena *arena, struct fm_event *events, size_t n_events,
                                 struct fm_succession *pairs, size_t n)
{
    struct fm_profile profile = {.events = events, .n_events = n_events, .successions = pairs, .n_successions = n};
    struct fm_mergeables found = {0};
    struct fm_error error = {0};
    fm_mergeables_find(&profile, WHOLE_NS, arena, &found, &error);
    return found;
}

static void test_pair(struct fm_arena *arena)
{
    struct fm_event events[] = {calls(&a, 0.3, 8), calls(&b, 0.1, 8), calls(&other, 0.2, 8)};
    struct fm_succession two[] = {pair(&a, &b, 0.3)};
    struct fm_mergeables found = find(arena, events, 3, two, 1);
    tap_ok(found.n == 1 && found.items[0].n_sites == 2 && found.items[0].sites[1]->offset == 2 &&
               found.items[0].times == TIMES && found.items[0].cost_ns == WHOLE_NS / 10,
           "two calls in a row may be one, which saves the second");
    two[0].count = RANKS * TIMES / 2;
    found = find(arena, events, 3, two, 1);
    tap_ok(found.n == 1 && found.items[0].cost_ns == WHOLE_NS / 20, "where only half of them follow, half of it");
    struct fm_succession loop[] = {pair(&a, &b, 1), pair(&b, &a, 1)};
    loop[1].count -= RANKS;
    found = find(arena, events, 3, loop, 2);
    tap_ok(found.n == 1 && found.items[0].sites[0]->offset == 1 && found.items[0].sites[1]->offset == 2,
           "in a loop, not the last with the first of the next iteration");
    struct fm_succession itself[] = {pair(&a, &a, 0.6)};
    found = find(arena, events, 3, itself, 1);
    tap_ok(found.n == 1 && found.items[0].n_sites == 1, "a call in a loop follows itself");
    tap_ok(find(arena, events, 3, NULL, 0).n == 0, "where it was not measured, there is no question");
    for (int i = 0; i < 3; i++) {
        events[i].key.size_bin = (uint32_t)fm_size_bin(8);
        events[i].stats.count = RANKS;
    }
    tap_ok(find(arena, events, 3, two, 1).n == 0, "few calls that take long wait, which one call would do as well");
}

static void test_not(struct fm_arena *arena)
{
    struct fm_event events[] = {calls(&a, 0.3, 8), calls(&b, 0.1, 8)};
    struct fm_succession two[] = {pair(&a, &b, 0.1)};
    tap_ok(find(arena, events, 2, two, 1).n == 0, "not if there nearly always is time for work between them");
    two[0] = pair(&a, &b, 1);
    two[0].dependent = 1;
    tap_ok(find(arena, events, 2, two, 1).n == 0, "not if the second sends what the first received");
    two[0] = pair(&a, &other, 1);
    tap_ok(find(arena, events, 2, two, 1).n == 0, "not if the time of the second is unknown");
    two[0] = pair(&a, &b, 1);
    events[1] = calls(&b, 0.1, 1 << 20);
    tap_ok(find(arena, events, 2, two, 1).n == 0, "not if they move much data");
    events[1] = calls(&b, 0.009, 8);
    tap_ok(find(arena, events, 2, two, 1).n == 0, "not if it would save next to nothing");
}

static void test_series(struct fm_arena *arena)
{
    struct fm_event events[] = {calls(&a, 0.1, 8), calls(&b, 0.2, 8), calls(&c, 0.3, 8)};
    struct fm_succession three[] = {pair(&a, &b, 1), pair(&b, &c, 1), pair(&c, &a, 0)};
    struct fm_mergeables found = find(arena, events, 3, three, 3);
    tap_ok(found.n == 1 && found.items[0].n_sites == 3 && found.items[0].sites[0]->offset == 1 &&
               found.items[0].sites[2]->offset == 3 && found.items[0].cost_ns == WHOLE_NS / 2,
           "three in a row are one series");
    three[2] = pair(&c, &a, 1);
    found = find(arena, events, 3, three, 3);
    tap_ok(found.n >= 1 && found.items[0].n_sites == 3, "a cycle ends");
    three[0].count = 40;
    three[0].short_gaps = 40;
    three[2] = pair(&c, &a, 0);
    found = find(arena, events, 3, three, 3);
    tap_ok(found.n == 1 && found.items[0].n_sites == 2, "one that seldom follows is not part of it");
}

int main(void)
{
    struct fm_arena arena = {0};
    test_pair(&arena);
    test_not(&arena);
    test_series(&arena);
    fm_arena_destroy(&arena);
    return tap_done();
}
