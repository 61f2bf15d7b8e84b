/* Runs made up for the tests of the analysis. */
#ifndef FM_TESTS_MADE_RUNS_H
#define FM_TESTS_MADE_RUNS_H

#include <math.h>
#include <stdint.h>

#include "site/insights/runs.h"

enum { MADE_DAY_S = 86400 };

static inline double made_real(uint64_t *state) /* 0 <= x < 1 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

static inline double made_noise(uint64_t *state, double deviation)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += made_real(state);
    return exp(deviation * sum);
}

/* A run of 100 s on each rank, 80 % of it outside MPI. */
static inline struct fm_run made_run(int number, int day, int64_t ranks, double factor)
{
    double cpu_s = 100 * (double)ranks * factor;
    return (struct fm_run){number,
                           (int64_t)day * MADE_DAY_S + number % MADE_DAY_S,
                           1,
                           cpu_s,
                           cpu_s / (double)ranks,
                           0.8 * cpu_s,
                           0.2 * cpu_s,
                           0,
                           ranks,
                           0};
}

#endif
