#include "base/rankset.h"

#include <string.h>

#include "tap.h"

static uint64_t state = 88172645463325252ull;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % n;
}

static bool text_is(const struct fm_rankset *set, struct fm_arena *arena, size_t most, const char *wanted)
{
    const char *text = fm_rankset_text(set, arena, most);
    if (strcmp(text, wanted))
        printf("# got \"%s\", wanted \"%s\"\n", text, wanted);
    return !strcmp(text, wanted);
}

static void test_text(struct fm_arena *arena)
{
    struct fm_rankset set = {0};
    tap_ok(text_is(&set, arena, 0, ""), "the empty set is an empty text");
    fm_rankset_add(&set, arena, 7, 7);
    fm_rankset_add(&set, arena, 0, 2);
    fm_rankset_add(&set, arena, 3, 3);
    tap_ok(text_is(&set, arena, 0, "0-3,7"), "ranges that touch become one");
    tap_ok(fm_rankset_count(&set) == 5 && fm_rankset_has(&set, 3) && !fm_rankset_has(&set, 4), "count and has");
    fm_rankset_add(&set, arena, 4, UINT32_MAX);
    tap_ok(text_is(&set, arena, 0, "0-4294967295") && fm_rankset_count(&set) == 1ull << 32, "the largest range");
    struct fm_rankset even = {0};
    for (uint32_t i = 0; i < 100; i += 2)
        fm_rankset_add(&even, arena, i, i);
    tap_ok(text_is(&even, arena, 30, "0,2,4,6,8,10,12,... (50 ranks)"), "a long text is cut at a range");
    tap_ok(strlen(fm_rankset_text(&even, arena, 60)) <= 60, "and is not longer than asked for");
}

enum { RANKS = 300 };

static bool same(const struct fm_rankset *set, const bool *model)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < RANKS; i++) {
        count += model[i];
        if (fm_rankset_has(set, i) != model[i])
            return false;
    }
    for (size_t i = 1; i < set->n; i++)
        if (set->ranges[i].first <= set->ranges[i - 1].last + 1)
            return false;
    return count == fm_rankset_count(set);
}

static void random_set(struct fm_rankset *set, struct fm_arena *arena, bool *model)
{
    for (uint32_t n = random_below(40); n; n--) {
        uint32_t first = random_below(RANKS), last = first + random_below(n % 2 ? 2 : 12);
        last = last < RANKS ? last : RANKS - 1;
        fm_rankset_add(set, arena, first, last);
        for (uint32_t i = first; i <= last; i++)
            model[i] = true;
    }
}

static void test_model(struct fm_arena *arena)
{
    bool added = true, united = true, commutes = true, common = true;
    for (int round = 0; round < 500; round++) {
        bool of_a[RANKS] = {0}, of_b[RANKS] = {0}, of_both[RANKS];
        struct fm_rankset a = {0}, b = {0}, ab = {0}, ba = {0}, both;
        random_set(&a, arena, of_a);
        random_set(&b, arena, of_b);
        added &= same(&a, of_a) && same(&b, of_b);
        for (uint32_t i = 0; i < RANKS; i++)
            of_both[i] = of_a[i] || of_b[i];
        united &= fm_rankset_union(&ab, arena, &a) && fm_rankset_union(&ab, arena, &b) && same(&ab, of_both);
        fm_rankset_union(&ba, arena, &b);
        fm_rankset_union(&ba, arena, &a);
        for (uint32_t i = 0; i < RANKS; i++)
            of_both[i] = of_a[i] && of_b[i];
        common &= fm_rankset_common(&a, &b, arena, &both) && same(&both, of_both) &&
                  fm_rankset_count_common(&a, &b) == fm_rankset_count(&both);
        commutes &= ab.n == ba.n && (!ab.n || !memcmp(ab.ranges, ba.ranges, ab.n * sizeof *ab.ranges));
    }
    tap_ok(added, "adding agrees with an array of flags");
    tap_ok(united, "union agrees with an array of flags");
    tap_ok(common, "what is common agrees with an array of flags");
    tap_ok(commutes, "union does not depend on the order");
}

int main(void)
{
    struct fm_arena arena = {0};
    test_text(&arena);
    test_model(&arena);
    fm_arena_destroy(&arena);
    return tap_done();
}
