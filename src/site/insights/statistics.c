/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a normal distribution: deviation / median distance from the median. */
static const double DEVIATION = 1.4826;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double fm_median(double *values, size_t n)
{
    if (!n)
        return NAN;
    qsort(values, n, sizeof *values, by_size);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double fm_median_deviation(double *values, size_t n)
{
    double median = fm_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - median);
    return DEVIATION * fm_median(values, n);
}

double fm_normal_above(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

static size_t count_up_to(const double *sorted, size_t n, double value, int equal_too)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value || (equal_too && sorted[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double fm_ranks_of(const double *values, size_t n, double *ranks, double *scratch)
{
    memcpy(scratch, values, n * sizeof *scratch);
    qsort(scratch, n, sizeof *scratch, by_size);
    for (size_t i = 0; i < n; i++)
        ranks[i] = (double)(count_up_to(scratch, n, values[i], 0) + count_up_to(scratch, n, values[i], 1) + 1) / 2;
    double ties = 0;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && scratch[next] == scratch[i];)
            next++;
        double t = (double)(next - i);
        ties += t * t * t - t;
    }
    return ties;
}

void fm_rank_test_add(struct fm_rank_test *test, const double *values, size_t n_before, size_t n, double *scratch)
{
    double a = (double)n_before, b = (double)(n - n_before), all = (double)n;
    if (!(a > 0) || !(b > 0))
        return;
    double *ranks = scratch + n, ties = fm_ranks_of(values, n, ranks, scratch), sum = 0;
    for (size_t i = n_before; i < n; i++)
        sum += ranks[i];
    /* strata with more runs count for more, but not by the square of their number */
    double weight = 1 / (all + 1);
    test->sum += weight * (sum - b * (all + 1) / 2);
    test->variance += weight * weight * a * b / 12 * (all + 1 - ties / (all * (all - 1)));
}

double fm_rank_test_chance(const struct fm_rank_test *test)
{
    return test->variance > 0 ? fm_normal_above(test->sum / sqrt(test->variance)) : 1;
}

double fm_rising_chance(const double *x, const double *y, size_t n, double *scratch)
{
    double *x_ranks = scratch, *y_ranks = scratch + n;
    if (n < 3)
        return 1;
    fm_ranks_of(x, n, x_ranks, scratch + 2 * n);
    fm_ranks_of(y, n, y_ranks, scratch + 2 * n);
    double mean = (double)(n + 1) / 2, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        xy += (x_ranks[i] - mean) * (y_ranks[i] - mean);
        xx += (x_ranks[i] - mean) * (x_ranks[i] - mean);
        yy += (y_ranks[i] - mean) * (y_ranks[i] - mean);
    }
    return xx > 0 && yy > 0 ? fm_normal_above(xy / sqrt(xx * yy) * sqrt((double)n - 1)) : 1;
}
