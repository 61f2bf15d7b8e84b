/* Slow hosts, and hosts that only vary. */
#include "site/insights/slow_hosts.h"

#include "site/insights/limits.h"
#include "site/insights/made_runs.h"
#include "tap.h"

enum { HOSTS = 100, JOBS = 50 };

static struct fm_slow_host slow[HOSTS];
static size_t n_slow, tested;

/* Hosts of jobs that vary; the first one is slower by `more`. How many are certain. */
static int named(double more, double noise, int jobs_of_first, double hosts_differ, uint64_t seed)
{
    struct fm_host_sums hosts[HOSTS];
    uint64_t state = seed;
    for (int i = 0; i < HOSTS; i++) {
        double own = made_noise(&state, hosts_differ) + (i ? 0 : more);
        hosts[i] = (struct fm_host_sums){.host = "node"};
        for (int k = 0; k < (i ? JOBS : jobs_of_first); k++) {
            double value = own * made_noise(&state, noise);
            hosts[i].jobs++;
            hosts[i].sum += value;
            hosts[i].squares += value * value;
        }
    }
    if (fm_slow_hosts_find(hosts, HOSTS, slow, &n_slow, &tested, NULL))
        return -1;
    int certain = 0;
    for (size_t i = 0; i < n_slow; i++)
        certain += slow[i].chance * (double)tested < FM_INSIGHT_CHANCE;
    return certain;
}

int main(void)
{
    tap_ok(named(0.2, 0.05, JOBS, 0, 1) == 1 && slow[0].host == 0 && fabs(slow[0].slowness - 1.2) < 0.03 &&
               tested == HOSTS,
           "a host that is 20 %% slower");
    tap_ok(named(FM_SLOW_HOST_LEAST * 1.1, 0.005, JOBS, 0, 2) == 1, "just above the least");
    tap_ok(named(FM_SLOW_HOST_LEAST * 0.9, 0.005, JOBS, 0, 2) == 0, "just below it");
    tap_ok(named(0.2, 0.05, FM_SLOW_HOST_JOBS, 0, 3) == 1, "enough jobs");
    tap_ok(named(0.2, 0.05, FM_SLOW_HOST_JOBS - 1, 0, 3) == 0 && tested == HOSTS - 1, "too few");
    tap_ok(named(0.1, 0.6, JOBS, 0, 4) == 0, "not if jobs vary more");
    tap_ok(named(0.1, 0.02, JOBS, 0.05, 5) == 0, "nor if hosts do");
    int all = 0;
    for (uint64_t seed = 10; seed < 60; seed++)
        all += named(0, seed % 2 ? 0.03 : 0.3, JOBS, 0.01, seed);
    tap_ok(all == 0, "noise alone names no host: %d", all);
    tap_ok(!fm_slow_hosts_find(NULL, 0, slow, &n_slow, &tested, NULL) && !n_slow && !tested, "no hosts");
    return tap_done();
}
