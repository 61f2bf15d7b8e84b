/* What hosts see adds up, and comes through bytes as it was. */
#include "cli/attach_seen.h"

#include <string.h>

#include "model/strings.h"
#include "tap.h"

static struct fm_profile *profile_of(uint64_t samples)
{
    struct fm_profile *profile = fm_profile_create();
    if (profile) {
        profile->job.key = fm_profile_intern(profile, "job");
        profile->paths.samples = samples;
        profile->paths.period_ns[0] = profile->paths.period_ns[1] = 1000;
    }
    return profile;
}

static struct fm_seen seen_of(uint64_t moments, bool cut)
{
    struct fm_seen seen = {.whole = profile_of(10 * moments),
                           .counts = {.moments = moments,
                                      .least = moments,
                                      .sampled = 1,
                                      .living = 2,
                                      .stopped = 5,
                                      .held_median_ns = moments,
                                      .held_most_ns = 100 - moments}};
    for (size_t i = 0; i < FM_STRETCHES && cut; i++)
        seen.stretches[i] = profile_of(moments);
    return seen;
}

static struct fm_seen through_bytes(struct fm_seen *seen, size_t less)
{
    struct fm_arena arena = {0};
    struct fm_seen copy = {0};
    const void *bytes;
    size_t size;
    if (fm_seen_encode(seen, &arena, &bytes, &size, NULL) == FM_OK)
        fm_seen_decode(bytes, size - less, &copy, NULL);
    fm_arena_destroy(&arena);
    fm_seen_destroy(seen);
    return copy;
}

static void test_bytes(void)
{
    struct fm_seen seen = seen_of(7, true), nothing = {.counts.least = UINT64_MAX}, cut = seen_of(7, true);
    struct fm_seen_counts counts = seen.counts;
    seen = through_bytes(&seen, 0);
    tap_ok(memcmp(&seen.counts, &counts, sizeof counts) == 0, "counts come through bytes");
    tap_ok(seen.whole && seen.whole->paths.samples == 70, "the profile does");
    tap_ok(seen.stretches[9] && seen.stretches[9]->paths.samples == 7, "and those of the stretches");
    nothing = through_bytes(&nothing, 0);
    tap_ok(!nothing.whole && nothing.counts.least == UINT64_MAX, "nothing is nothing");
    cut = through_bytes(&cut, 1);
    tap_ok(!cut.whole && !cut.stretches[0], "what has not come whole is not believed");
    fm_seen_destroy(&seen);
}

static void test_merge(void)
{
    struct fm_seen a = seen_of(7, true), b = seen_of(9, true), uncut = seen_of(3, false), none = {0};
    none.counts.least = UINT64_MAX;
    tap_ok(fm_seen_merge(&none, &a, NULL) == FM_OK && none.stretches[0], "a host without ranks changes nothing");
    tap_ok(fm_seen_merge(&none, &b, NULL) == FM_OK && none.whole->paths.samples == 160, "samples add up");
    tap_ok(none.counts.moments == 9 && none.counts.least == 7 && none.counts.living == 4, "moments are most and least");
    tap_ok(none.counts.held_median_ns == 9 && none.counts.held_most_ns == 93, "held times are the worst of all hosts");
    tap_ok(none.stretches[9]->paths.samples == 16, "stretches add up");
    tap_ok(fm_seen_merge(&none, &uncut, NULL) == FM_OK && !none.stretches[0],
           "without those of one host there are none");
    fm_seen_destroy(&none);
}

int main(void)
{
    test_bytes();
    test_merge();
    return tap_done();
}
