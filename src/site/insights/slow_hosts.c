/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/slow_hosts.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/history/change.h"
#include "site/insights/limits.h"
#include "site/insights/statistics.h"

static const double LEAST_DEVIATION = 0.005; /* of jobs: they never agree better */

/* The chance that the mean of a host is so much above the usual one. */
static double chance_of(const struct fm_host_sums *host, double usual)
{
    double n = host->jobs, mean = host->sum / n;
    double variance = fmax((host->squares - n * mean * mean) / (n - 1), LEAST_DEVIATION * LEAST_DEVIATION);
    double t = (mean - usual) / sqrt(variance / n);
    return t > 0 ? fm_student_beyond(t, n - 1) / 2 : 1;
}

enum fm_status fm_slow_hosts_find(const struct fm_host_sums *hosts, size_t n, struct fm_slow_host *slow, size_t *n_slow,
                                  size_t *tested, struct fm_error *error)
{
    *n_slow = *tested = 0;
    double *means = calloc(n + 1, sizeof *means);
    if (!means)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the hosts of a site");
    for (size_t i = 0; i < n; i++)
        if (hosts[i].jobs >= FM_SLOW_HOST_JOBS)
            means[(*tested)++] = hosts[i].sum / hosts[i].jobs;
    double usual = fm_median(means, *tested), spread = fm_median_deviation(means, *tested);
    double least = fmax(FM_SLOW_HOST_LEAST * usual, FM_SLOW_HOST_DEVIATIONS * spread);
    for (size_t i = 0; i < n; i++) {
        if (hosts[i].jobs < FM_SLOW_HOST_JOBS || hosts[i].sum / hosts[i].jobs - usual < least)
            continue;
        slow[(*n_slow)++] = (struct fm_slow_host){i, hosts[i].sum / hosts[i].jobs / usual, chance_of(&hosts[i], usual)};
    }
    free(means);
    return FM_OK;
}
