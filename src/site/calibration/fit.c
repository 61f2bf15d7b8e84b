/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/calibration/fit.h"

#include <math.h>
#include <string.h>

enum { A = 1, B = 2, C = 4, D = 8, COEFFICIENTS = 4, REPETITIONS = 12 };

/* Deviations below this count as their square, larger ones linearly. */
static const double USUAL = 0.1;

struct system {
    double matrix[COEFFICIENTS][COEFFICIENTS], right[COEFFICIENTS];
};

static bool is_valid(const struct fm_calibration_point *point)
{
    return point->ranks >= 2 && isfinite(point->min_s) && point->min_s > 0;
}

/* Each term of the model for a point, as a share of what was measured. */
static void terms_of(const struct fm_calibration_point *point, enum fm_byte_growth growth, double terms[COEFFICIENTS])
{
    double ranks = point->ranks, bytes = (double)point->bytes, per = 1 / point->min_s;
    terms[0] = per;
    terms[1] = per * log2(ranks);
    terms[2] = per * bytes;
    terms[3] = per * bytes * (growth == FM_GROWTH_LOG2 ? log2(ranks) : ranks - 1);
}

static double deviation(const double terms[COEFFICIENTS], const double values[COEFFICIENTS])
{
    double sum = -1;
    for (int i = 0; i < COEFFICIENTS; i++)
        sum += terms[i] * values[i];
    return sum;
}

/* Solves for the coefficients of the subset by elimination, the largest pivot first; the others become zero. Columns are
 * scaled: seconds per byte are a million times smaller than seconds. Returns false if the measurements do not determine
 * them. */
static bool solve(struct system system, unsigned subset, double values[COEFFICIENTS])
{
    double scale[COEFFICIENTS];
    bool done[COEFFICIENTS] = {false};
    for (int i = 0; i < COEFFICIENTS; i++) {
        bool used = subset & 1u << i;
        if (used && !(system.matrix[i][i] > 0))
            return false;
        scale[i] = used ? 1 / sqrt(system.matrix[i][i]) : 0;
    }
    for (int i = 0; i < COEFFICIENTS; i++) {
        for (int k = 0; k < COEFFICIENTS; k++)
            system.matrix[i][k] *= scale[i] * scale[k];
        system.right[i] *= scale[i];
    }
    for (int step = 0; step < __builtin_popcount(subset); step++) {
        int pivot = -1;
        for (int i = 0; i < COEFFICIENTS; i++)
            if (subset & 1u << i && !done[i] && (pivot < 0 || system.matrix[i][i] > system.matrix[pivot][pivot]))
                pivot = i;
        if (system.matrix[pivot][pivot] < 1e-10)
            return false;
        done[pivot] = true;
        for (int i = 0; i < COEFFICIENTS; i++) {
            double factor = system.matrix[i][pivot] / system.matrix[pivot][pivot];
            if (i == pivot || factor == 0)
                continue;
            for (int k = 0; k < COEFFICIENTS; k++)
                system.matrix[i][k] -= factor * system.matrix[pivot][k];
            system.right[i] -= factor * system.right[pivot];
        }
    }
    for (int i = 0; i < COEFFICIENTS; i++)
        values[i] = subset & 1u << i ? scale[i] * system.right[i] / system.matrix[i][i] : 0;
    return true;
}

/* The weighted sums of products for the coefficients that the last repetition has found. */
static struct system system_of(const struct fm_calibration_point *points, size_t n, enum fm_byte_growth growth,
                               const double values[COEFFICIENTS], bool first)
{
    struct system system = {0};
    double terms[COEFFICIENTS];
    for (size_t p = 0; p < n; p++) {
        if (!is_valid(&points[p]))
            continue;
        terms_of(&points[p], growth, terms);
        double off = first ? 0 : fabs(deviation(terms, values)), weight = off > USUAL ? USUAL / off : 1;
        for (int i = 0; i < COEFFICIENTS; i++) {
            for (int k = 0; k < COEFFICIENTS; k++)
                system.matrix[i][k] += weight * terms[i] * terms[k];
            system.right[i] += weight * terms[i];
        }
    }
    return system;
}

struct quality {
    double cost;    /* sum of Huber's function of the deviations */
    double squares; /* of their squares */
    size_t points;
};

static struct quality quality_of(const struct fm_calibration_point *points, size_t n, enum fm_byte_growth growth,
                                 const double values[COEFFICIENTS])
{
    struct quality quality = {0};
    double terms[COEFFICIENTS];
    for (size_t p = 0; p < n; p++) {
        if (!is_valid(&points[p]))
            continue;
        terms_of(&points[p], growth, terms);
        double off = fabs(deviation(terms, values));
        quality.cost += off > USUAL ? USUAL * (2 * off - USUAL) : off * off;
        quality.squares += off * off;
        quality.points++;
    }
    return quality;
}

/* Returns false if the subset is not determined, or would need a negative coefficient. */
static bool fit_subset(const struct fm_calibration_point *points, size_t n, enum fm_byte_growth growth, unsigned subset,
                       double values[COEFFICIENTS])
{
    for (int repetition = 0; repetition < REPETITIONS; repetition++)
        if (!solve(system_of(points, n, growth, values, repetition == 0), subset, values))
            return false;
    for (int i = 0; i < COEFFICIENTS; i++)
        if (!(values[i] >= 0) || !isfinite(values[i]))
            return false;
    return true;
}

/* The coefficients that the measurements can tell apart. */
static unsigned determined(const struct fm_calibration_point *points, size_t n)
{
    const struct fm_calibration_point *first = NULL;
    bool ranks = false, sizes = false;
    for (size_t i = 0; i < n; i++) {
        if (!is_valid(&points[i]))
            continue;
        first = first ? first : &points[i];
        ranks |= points[i].ranks != first->ranks;
        sizes |= points[i].bytes != first->bytes;
    }
    return !first ? 0 : (unsigned)A | (ranks ? B : 0) | (sizes ? C : 0) | (ranks && sizes ? D : 0);
}

bool fm_fit(const struct fm_calibration_point *points, size_t n, struct fm_model *model)
{
    /* A model that is as good with one coefficient less is preferred, because it extrapolates better. */
    static const double NOISE = 1e-8;
    unsigned all = determined(points, n);
    double best = INFINITY;
    for (enum fm_byte_growth growth = 0; growth < FM_GROWTHS; growth++)
        for (unsigned subset = 1; subset <= all; subset++) {
            double values[COEFFICIENTS] = {0};
            if ((subset & all) != subset || (growth && !(subset & D)) || !fit_subset(points, n, growth, subset, values))
                continue;
            struct quality quality = quality_of(points, n, growth, values);
            double used = __builtin_popcount(subset), freedom = fmax((double)quality.points - used, 0.5);
            double score = (quality.cost + NOISE * (1 + used)) / freedom;
            if (score >= best)
                continue;
            best = score;
            *model = (struct fm_model){values[0], values[1], values[2],
                                       values[3], growth,    sqrt(quality.squares / (double)quality.points)};
        }
    return isfinite(best);
}
