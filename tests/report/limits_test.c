#include "report/limits.h"

#include <math.h>
#include <string.h>

#include "report/sample.h"
#include "tap.h"

static struct fm_report report;
static struct fm_checked checked;

static void open_sample(struct fm_profile *profile)
{
    static const struct fm_report_options options;
    struct fm_error error;
    fm_report_open(&report, profile, NULL, &options, &error);
    checked = (struct fm_checked){.report = &report};
    fm_report_efficiency(&report, &checked.efficiency, &error);
}

static struct fm_limit_result check(const char *text)
{
    struct fm_limit limit;
    struct fm_error error = {0};
    if (fm_limit_parse(text, &limit, &error))
        return (struct fm_limit_result){false, error.text[0] ? "?" : ""};
    return fm_limit_check(&limit, &checked);
}

static bool is_refused(const char *text, const char *why)
{
    struct fm_limit limit;
    struct fm_error error = {0};
    return fm_limit_parse(text, &limit, &error) == FM_ERR_USAGE && strstr(error.text, why);
}

static double parsed(const char *text)
{
    struct fm_limit limit = {0};
    struct fm_error error;
    return fm_limit_parse(text, &limit, &error) ? -1 : limit.limit;
}

static void test_parsing(void)
{
    tap_ok(fabs(parsed("parallel=80%") - 0.8) < 1e-12 && fabs(parsed("parallel=.8") - 0.8) < 1e-12,
           "fractions, percent");
    tap_ok(parsed("wall=2min") == 120 && parsed("wall=1.5") == 1.5 && parsed("wall=250 ms") == 0.25, "times");
    tap_ok(parsed("memory=4GiB") == 4294967296. && parsed("memory=500MB") == 5e8, "sizes");
    tap_ok(is_refused("paralel=0.8", "choose from parallel, load_balance"), "an unknown name: those that are known");
    tap_ok(is_refused("parallel", "such as 0.8") && is_refused("parallel=", "such as") &&
               is_refused("parallel=x", "not 'x'") && is_refused("parallel=0.8GiB", "such as") &&
               is_refused("wall=nan", "such as") && is_refused("wall=-1", "such as") &&
               is_refused("=1", "unknown limit"),
           "what is not a value");
    tap_ok(is_refused("parallel=80", "at most 1"), "a percentage without its sign");
}

static void test_one_run(void)
{
    struct fm_limit_result low = check("parallel=0.5"), high = check("parallel=0.95");
    tap_ok(low.holds && !high.holds && strstr(high.text, "below the limit of 95.0 %"), "at least: %s", high.text);
    tap_ok(check("mpi_fraction=0.5").holds && !check("mpi_fraction=1%").holds, "at most");
    tap_ok(check("wall=13").holds &&
               strcmp(check("wall=10s").text, "wall: wall time of the job 12.30 s, above the limit of 10.00 s") == 0,
           "wall time: %s", check("wall=10s").text);
    tap_ok(check("memory=1GiB").holds && !check("memory=1MiB").holds && check("incomplete=0").holds, "memory, endings");
    struct fm_limit_result openmp = check("openmp=0.5");
    tap_ok(!openmp.holds && strstr(openmp.text, "unknown"), "what is unknown does not hold: %s", openmp.text);
    checked.efficiency.threads = (struct fm_thread_use){true, 4, 0.78, 0.03};
    tap_ok(check("openmp=0.8").holds && !check("openmp=0.82").holds, "a sampled value fails beyond its error only");
}

static struct fm_profile *slower_by(double factor)
{
    struct fm_profile *profile = sample_profile(4);
    profile->job.ended_real_ns = profile->job.started_real_ns + (uint64_t)(factor * 12300 * MS);
    return profile;
}

/* The run itself takes 12.3 s. */
static void test_against(void)
{
    struct fm_profile *runs[] = {slower_by(0.85), slower_by(1.15), slower_by(1), slower_by(0.94)};
    static const char *const files[] = {"a", "b", "c", "d"};
    const struct fm_profile *one[] = {runs[3]}, *same[] = {runs[2], runs[2], runs[2]}, *spread[] = {runs[0], runs[1]},
                            *fast[] = {runs[0]};
    checked.against_files = files;
    checked.n_against = 1;
    checked.against = one;
    tap_ok(check("slower=2%").holds, "one run is not known better than to 5 %%: %s", check("slower=2%").text);
    checked.against = fast;
    tap_ok(!check("slower=2%").holds, "beyond that it is slower: %s", check("slower=2%").text);
    checked.against = spread;
    checked.n_against = 2;
    tap_ok(check("slower=0%").holds, "runs that differ much from each other: %s", check("slower=0%").text);
    const struct fm_profile *steady[] = {runs[0], runs[0], runs[0]};
    checked.against = steady;
    checked.n_against = 3;
    tap_ok(!check("slower=10%").holds && check("slower=17%").holds, "runs that do not: %s", check("slower=10%").text);
    checked.against = same;
    tap_ok(check("slower=0%").holds && check("larger=0%").holds && check("computation=0.99").holds,
           "a run compared with itself holds");
    tap_ok(check("global=0.5").holds && !check("global=0.99").holds, "global efficiency");
    runs[2]->job.ranks = 8;
    tap_ok(!check("slower=50%").holds && strstr(check("slower=50%").text, "it ran on 4 ranks, a on 8"),
           "another number of ranks cannot be compared: %s", check("slower=50%").text);
    for (size_t i = 0; i < 4; i++)
        fm_profile_destroy(runs[i]);
}

int main(void)
{
    struct fm_profile *profile = sample_profile(4);
    open_sample(profile);
    test_parsing();
    test_one_run();
    test_against();
    fm_report_close(&report);
    fm_profile_destroy(profile);
    return tap_done();
}
