/* What hosts see adds up, and comes through bytes as it was. */
#include "attach/result.h"

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

static struct fm_attach_result seen_of(uint64_t moments, bool cut)
{
    struct fm_attach_result result = {.whole = profile_of(10 * moments),
                                      .counts = {.moments = moments,
                                                 .least = moments,
                                                 .sampled = 1,
                                                 .living = 2,
                                                 .stopped = 5,
                                                 .held_median_ns = moments,
                                                 .held_most_ns = 100 - moments}};
    for (size_t i = 0; i < FM_RESULT_BATCHES && cut; i++)
        result.batches[i] = profile_of(moments);
    return result;
}

static struct fm_attach_result through_bytes(struct fm_attach_result *result, size_t less)
{
    struct fm_arena arena = {0};
    struct fm_attach_result copy = {0};
    const void *bytes;
    size_t size;
    if (fm_attach_result_encode(result, &arena, &bytes, &size, NULL) == FM_OK)
        fm_attach_result_decode(bytes, size - less, &copy, NULL);
    fm_arena_destroy(&arena);
    fm_attach_result_destroy(result);
    return copy;
}

static void test_bytes(void)
{
    struct fm_attach_result result = seen_of(7, true), nothing = {.counts.least = UINT64_MAX}, cut = seen_of(7, true);
    struct fm_attach_result_counts counts = result.counts;
    result = through_bytes(&result, 0);
    tap_ok(memcmp(&result.counts, &counts, sizeof counts) == 0, "counts come through bytes");
    tap_ok(result.whole && result.whole->paths.samples == 70, "the profile does");
    tap_ok(result.batches[9] && result.batches[9]->paths.samples == 7, "and those of the batches");
    nothing = through_bytes(&nothing, 0);
    tap_ok(!nothing.whole && nothing.counts.least == UINT64_MAX, "nothing is nothing");
    cut = through_bytes(&cut, 1);
    tap_ok(!cut.whole && !cut.batches[0], "what has not come whole is not believed");
    fm_attach_result_destroy(&result);
}

static void test_merge(void)
{
    struct fm_attach_result a = seen_of(7, true), b = seen_of(9, true), uncut = seen_of(3, false), none = {0};
    none.counts.least = UINT64_MAX;
    tap_ok(fm_attach_result_merge(&none, &a, NULL) == FM_OK && none.batches[0], "a host without ranks changes nothing");
    tap_ok(fm_attach_result_merge(&none, &b, NULL) == FM_OK && none.whole->paths.samples == 160, "samples add up");
    tap_ok(none.counts.moments == 9 && none.counts.least == 7 && none.counts.living == 4, "moments are most and least");
    tap_ok(none.counts.held_median_ns == 9 && none.counts.held_most_ns == 93, "held times are the worst of all hosts");
    tap_ok(none.batches[9]->paths.samples == 16, "batches add up");
    tap_ok(fm_attach_result_merge(&none, &uncut, NULL) == FM_OK && !none.batches[0],
           "without those of one host there are none");
    fm_attach_result_destroy(&none);
}

int main(void)
{
    test_bytes();
    test_merge();
    return tap_done();
}
