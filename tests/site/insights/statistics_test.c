/* Medians, ranks, and chances. */
#include "site/insights/statistics.h"

#include <math.h>

#include "tap.h"

static bool near(double a, double b, double by)
{
    return fabs(a - b) <= by;
}

int main(void)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, scratch[64];
    tap_ok(near(fm_median(odd, 3), 2, 0) && near(fm_median(even, 4), 2.5, 0) && isnan(fm_median(odd, 0)), "medians");
    double outlier[] = {10, 11, 9, 10, 1000};
    tap_ok(near(fm_median_deviation(outlier, 5), 1.4826, 1e-9), "an outlier does not move the deviation");
    tap_ok(near(fm_normal_above(0), 0.5, 1e-12) && near(fm_normal_above(1.959964), 0.025, 1e-6) &&
               near(fm_normal_above(-10), 1, 1e-12) && fm_normal_above(6) < 1e-8,
           "tails of the normal distribution");

    double values[] = {5, 1, 1, 3}, ranks[4];
    double ties = fm_ranks_of(values, 4, ranks, scratch);
    tap_ok(near(ties, 6, 0) && near(ranks[0], 4, 0) && near(ranks[1], 1.5, 0) && near(ranks[2], 1.5, 0) &&
               near(ranks[3], 3, 0),
           "ties share their ranks");

    /* 8 lower, 8 higher: U is 64 of 64, z = 32 / sqrt(64 * 17 / 12) */
    double split[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18};
    struct fm_rank_test test = {0};
    fm_rank_test_add(&test, split, 8, 16, scratch);
    tap_ok(near(fm_rank_test_chance(&test), fm_normal_above(32 / sqrt(64 * 17 / 12.0)), 1e-12), "a perfect order");
    double turned[] = {11, 12, 13, 14, 15, 16, 17, 18, 1, 2, 3, 4, 5, 6, 7, 8};
    struct fm_rank_test faster = {0};
    fm_rank_test_add(&faster, turned, 8, 16, scratch);
    tap_ok(fm_rank_test_chance(&faster) > 0.999, "what becomes lower is not higher");
    struct fm_rank_test none = {0};
    tap_ok(near(fm_rank_test_chance(&none), 1, 0), "nothing says nothing");
    fm_rank_test_add(&none, split, 0, 16, scratch);
    fm_rank_test_add(&none, split, 16, 16, scratch);
    tap_ok(near(fm_rank_test_chance(&none), 1, 0), "as do strata with one side only");
    double equal[] = {2, 2, 2, 2};
    fm_rank_test_add(&none, equal, 2, 4, scratch);
    tap_ok(near(fm_rank_test_chance(&none), 1, 0), "and equal values");
    fm_rank_test_add(&test, turned, 8, 16, scratch);
    tap_ok(near(fm_rank_test_chance(&test), 0.5, 1e-12), "strata that contradict each other cancel");

    double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y[] = {1, 4, 9, 16, 25, 36, 49, 64, 81, 100};
    tap_ok(near(fm_rising_chance(x, y, 10, scratch), fm_normal_above(3), 1e-9), "what rises has rank correlation 1");
    double down[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    tap_ok(fm_rising_chance(x, down, 10, scratch) > 0.99 && near(fm_rising_chance(x, equal, 2, scratch), 1, 0) &&
               near(fm_rising_chance(equal, x, 4, scratch), 1, 0),
           "what falls, is short, or does not vary does not rise");
    return tap_done();
}
