/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics that outliers do not disturb: medians and ranks instead of means. */
#ifndef FM_SITE_INSIGHTS_STATISTICS_H
#define FM_SITE_INSIGHTS_STATISTICS_H

#include <stddef.h>

/* Both sort the values; NAN if there are none. */
double fm_median(double *values, size_t n);
/* The median distance from the median, scaled to be the standard deviation of normal noise. */
double fm_median_deviation(double *values, size_t n);

/* The probability that a normal variable is above z deviations. */
double fm_normal_above(double z);

/* Whether values after something are higher than before it (Wilcoxon and Mann-Whitney), in any number of strata, each with
 * values that can be compared among themselves only (van Elteren). No assumption about the noise. */
struct fm_rank_test {
    double sum, variance;
};
/* Adds a stratum: the first n_before values are those before. Needs memory for 2 * n numbers in `scratch`. */
void fm_rank_test_add(struct fm_rank_test *test, const double *values, size_t n_before, size_t n, double *scratch);
/* The chance of such an order, or a more extreme one, if nothing has changed. */
double fm_rank_test_chance(const struct fm_rank_test *test);

/* Ranks of values, ties share theirs. `ranks` and `scratch` have n numbers each. Returns the sum over groups of ties of
 * t^3 - t. */
double fm_ranks_of(const double *values, size_t n, double *ranks, double *scratch);

/* The chance that y rises with x by accident (Spearman). `scratch` has 3 * n numbers. */
double fm_rising_chance(const double *x, const double *y, size_t n, double *scratch);

#endif
