/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/history/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BEFORE = 3, LEAST_AFTER = 2 };
static const double LEVEL = 0.01;         /* probability of a change where there is none */
static const double LEAST_SPREAD = 0.002; /* of the mean: runs never agree better, even if these few do */
static const double PENALTY = 3;          /* of a part, times its variance and the logarithm of the number of values */

/* ---- Student's distribution ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-30;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m <= 200; m++) {
        double step = 1;
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            result *= step;
        }
        if (fabs(step - 1) < 1e-12)
            break;
    }
    return result;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    int sign;
    double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double fm_student_beyond(double t, double freedom)
{
    return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* ---- parts ---- */

/* The values, with sums from the first one on, so that the cost of a part takes no loop. */
struct series {
    size_t n;
    double first; /* the sums are of what values differ from it: so their squares keep their digits */
    double sums[FM_CHANGE_VALUES + 1], squares[FM_CHANGE_VALUES + 1];
};

static double mean_of(const struct series *series, size_t from, size_t to)
{
    return (series->sums[to] - series->sums[from]) / (double)(to - from);
}

/* The sum of the squared differences from the mean of the part. */
static double cost_of(const struct series *series, size_t from, size_t to)
{
    double sum = series->sums[to] - series->sums[from];
    return fmax(0, series->squares[to] - series->squares[from] - sum * sum / (double)(to - from));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The variance of a value around its mean, from the median difference of neighbours: few of them are changes. */
static double usual_variance(const double *values, size_t n)
{
    const double median_of_normal = 0.9539; /* of |a - b|, for a deviation of 1 */
    double differences[FM_CHANGE_VALUES];
    for (size_t i = 1; i < n; i++)
        differences[i - 1] = fabs(values[i] - values[i - 1]);
    qsort(differences, n - 1, sizeof *differences, by_size);
    double deviation = differences[(n - 1) / 2] / median_of_normal;
    return deviation * deviation;
}

/* The beginnings of the parts for which costs and a penalty for each part are least; returns their number. Not more than
 * that: whether a division is certain is decided afterwards. */
static size_t divide(const struct series *series, double penalty, size_t *begins)
{
    double best[FM_CHANGE_VALUES + 1];
    size_t begin[FM_CHANGE_VALUES + 1] = {0}, n = 0;
    best[0] = 0;
    for (size_t to = 1; to <= series->n; to++) {
        best[to] = INFINITY;
        for (size_t from = 0; from < to; from++) {
            if (to - from < (from && to == series->n ? LEAST_AFTER : LEAST_BEFORE) || isinf(best[from]))
                continue;
            double cost = best[from] + cost_of(series, from, to) + penalty;
            if (cost < best[to]) {
                best[to] = cost;
                begin[to] = from;
            }
        }
    }
    for (size_t to = series->n; to > 0; to = begin[to])
        n++;
    for (size_t to = series->n, i = n; to > 0; to = begin[to])
        begins[--i] = begin[to];
    return n;
}

/* The probability that the parts before and after begins[i] do not differ, given how values vary within all parts. */
static double chance_of(const struct series *series, const size_t *begins, size_t n, size_t i)
{
    size_t from = begins[i - 1], at = begins[i], to = i + 1 < n ? begins[i + 1] : series->n;
    double within = 0, freedom = (double)(series->n - n),
           floor = LEAST_SPREAD * (series->first + mean_of(series, from, at));
    for (size_t k = 0; k < n; k++)
        within += cost_of(series, begins[k], k + 1 < n ? begins[k + 1] : series->n);
    double variance = fmax(within / freedom, floor * floor) * (1 / (double)(at - from) + 1 / (double)(to - at));
    if (!(variance > 0))
        return 1;
    double t = (mean_of(series, at, to) - mean_of(series, from, at)) / sqrt(variance);
    return fmin(1, fm_student_beyond(t, freedom) * (double)series->n); /* it is the best of so many places */
}

/* ---- all of them ---- */

size_t fm_changes_find(const double *values, size_t n, double least, struct fm_change *changes, size_t max)
{
    struct series series = {0};
    size_t begins[FM_CHANGE_VALUES], parts, skipped = n > FM_CHANGE_VALUES ? n - FM_CHANGE_VALUES : 0;
    values += skipped;
    series.n = n - skipped;
    if (series.n < LEAST_BEFORE + LEAST_AFTER)
        return 0;
    series.first = values[0];
    for (size_t i = 0; i < series.n; i++) {
        double value = values[i] - series.first;
        series.sums[i + 1] = series.sums[i] + value;
        series.squares[i + 1] = series.squares[i] + value * value;
    }
    parts = divide(&series, PENALTY * usual_variance(values, series.n) * log((double)series.n), begins);
    while (parts > 1) { /* without the least certain division, until all are certain */
        size_t worst = 0;
        double highest = LEVEL;
        for (size_t i = 1; i < parts; i++) {
            size_t to = i + 1 < parts ? begins[i + 1] : series.n;
            double before = mean_of(&series, begins[i - 1], begins[i]), after = mean_of(&series, begins[i], to);
            double chance = fabs(after - before) < least * fabs(before + series.first)
                                ? 1
                                : chance_of(&series, begins, parts, i);
            if (chance >= highest) {
                highest = chance;
                worst = i;
            }
        }
        if (!worst)
            break;
        memmove(&begins[worst], &begins[worst + 1], (--parts - worst) * sizeof *begins);
    }
    size_t found = parts - 1 < max ? parts - 1 : max;
    for (size_t i = 0; i < found; i++) {
        size_t part = parts - found + i; /* the latest ones */
        changes[i] = (struct fm_change){
            .at = skipped + begins[part],
            .before = series.first + mean_of(&series, begins[part - 1], begins[part]),
            .after = series.first + mean_of(&series, begins[part], part + 1 < parts ? begins[part + 1] : series.n),
            .certainty = 1 - chance_of(&series, begins, parts, part),
        };
    }
    return found;
}
