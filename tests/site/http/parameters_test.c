/* Queries of addresses, routes, and tags by rule. */
#include "site/http/parameters.h"

#include <string.h>

#include "site/http/tag_rules.h"
#include "site/store/tags.h"
#include "tap.h"

static const char *wrong_of(enum fm_site_route_kind kind, const char *name, const char *value)
{
    struct fm_site_parameters parameters = {0};
    return fm_site_parameters_add(&parameters, kind, name, value);
}

static void queries(void)
{
    struct fm_site_parameters parameters = {0};
    tap_ok(!fm_site_parameters_add(&parameters, FM_SITE_JOBS, "user", "a%20b+c%C3%A4") &&
               strcmp(parameters.values[FM_SITE_PARAMETER_user], "a b c\xc3\xa4") == 0,
           "a text is unescaped");
    tap_ok(fm_site_parameters_add(&parameters, FM_SITE_JOBS, "user", "b"), "twice");
    tap_ok(wrong_of(FM_SITE_JOBS, "usr", "a") && wrong_of(FM_SITE_ME, "user", "a") &&
               wrong_of(FM_SITE_LOAD, "program", "a"),
           "unknown here");
    static const char *const bad[] = {"%", "%4", "%zz", "%00", "%0a", "%7f", "%c3", "%ff", "a\tb"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(wrong_of(FM_SITE_JOBS, "user", bad[i]), "'%s' is no text", bad[i]);
    char longest[FM_SITE_QUERY_BYTES + 1];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    tap_ok(wrong_of(FM_SITE_JOBS, "user", longest), "too long");
    longest[FM_SITE_QUERY_BYTES - 1] = 0;
    tap_ok(!wrong_of(FM_SITE_JOBS, "user", longest), "just not");
    tap_ok(!wrong_of(FM_SITE_JOBS, "user", ""), "nothing is not a condition");
    parameters = (struct fm_site_parameters){0};
    tap_ok(!fm_site_parameters_add(&parameters, FM_SITE_JOBS, "user", "") &&
               fm_site_parameters_add(&parameters, FM_SITE_JOBS, "user", "ann"),
           "but twice it is wrong, too");
}

static void filters(void)
{
    struct fm_jobs_filter filter = FM_JOBS_ALL;
    bool known;
    tap_ok(!fm_site_filter_set(&filter, "to", "1970-01-02", &known) && known && filter.to == 2 * 86400,
           "the last day belongs to it");
    tap_ok(!fm_site_filter_set(&filter, "from", "1970-01-02", &known) && filter.from == 86400, "and the first");
    tap_ok(!fm_site_filter_set(&filter, "state", "incomplete", &known) && filter.complete == 0, "a state");
    tap_ok(!fm_site_filter_set(&filter, "mpi_from", "0.25", &known) && filter.least_mpi == 0.25, "a share");
    tap_ok(!fm_site_filter_set(&filter, "colour", "red", &known) && !known, "what is no condition");
    static const char *const bad[][2] = {{"from", "1970-13-01"}, {"to", "2026-02-+1"},  {"from", " 202-02-01"},
                                         {"to", "2026-2-3"},     {"from", ""},          {"state", "x"},
                                         {"mpi_from", "2"},      {"mpi_from", "nan"},   {"mpi_from", "0.1x"},
                                         {"ranks_to", "-1"},     {"ranks_from", "1e3"}, {"ranks_to", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(fm_site_filter_set(&filter, bad[i][0], bad[i][1], &known), "%s=%s is wrong", bad[i][0], bad[i][1]);
}

static void routes(void)
{
    tap_ok(fm_site_route_of("/api/site/job/17").job == 17 &&
               fm_site_route_of("/api/site/job/17/untag").kind == FM_SITE_UNTAG,
           "a job");
    struct fm_site_route slice = fm_site_route_of("/api/site/profile/3/tree/0");
    tap_ok(slice.kind == FM_SITE_PROFILE && slice.job == 3 && strcmp(slice.slice, "tree/0") == 0, "a slice");
    static const char *const none[] = {"/api/site/job/",
                                       "/api/site/job/0",
                                       "/api/site/job/-1",
                                       "/api/site/job/1/",
                                       "/api/site/job/1x",
                                       "/api/site/job/1234567890123456789",
                                       "/api/site/profile/1",
                                       "/api/site/profile/1/",
                                       "/api/site/profile/1/../x",
                                       "/api/site/profile/1/A",
                                       "/api/site",
                                       ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        tap_ok(fm_site_route_of(none[i]).kind == FM_SITE_NOTHING, "'%s' is nothing", none[i]);
}

static void rules(void)
{
    struct fm_site_tag_rules rules;
    struct fm_error error;
    tap_ok(!fm_site_tag_rules_read(&rules, "big: ranks_from=64\nslow mpi: mpi_from=0.3 rule=imbalance", &error) &&
               rules.n == 2 && fm_site_tag_rule(&rules, "big")->least_ranks == 64 && !fm_site_tag_rule(&rules, "small"),
           "tags by rule");
    struct fm_site_job job = {.uid = 1};
    fm_record_init(&job.record);
    job.record.ranks = 63;
    tap_ok(!fm_jobs_filter_fits(fm_site_tag_rule(&rules, "big"), &job), "one that does not fit");
    job.record.ranks = 64;
    tap_ok(fm_jobs_filter_fits(fm_site_tag_rule(&rules, "big"), &job), "one that does");
    const char *of_job[] = {"io", "imbalance"};
    job.rules = of_job;
    job.n_rules = 2;
    job.mpi_fraction = 0.3;
    tap_ok(fm_jobs_filter_fits(fm_site_tag_rule(&rules, "slow mpi"), &job), "any finding counts");
    fm_site_tag_rules_close(&rules);
    static const char *const bad[] = {
        "x", "x:", ": ranks_from=1", "x: host=a", "x: tag=a", "x: ranks_from", "x: ranks_from=", "x: up=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(fm_site_tag_rules_read(&rules, bad[i], &error) == FM_ERR_INPUT, "'%s' is no rule: %s", bad[i],
               error.text);
    tap_ok(fm_tag_is_valid("f\xc3\xbcr sp\xc3\xa4ter") && !fm_tag_is_valid("") && !fm_tag_is_valid(" a") &&
               !fm_tag_is_valid("a\nb") && !fm_tag_is_valid("\xe2\x80\xaex") && !fm_tag_is_valid("\xff"),
           "names of tags");
}

int main(void)
{
    queries();
    filters();
    routes();
    rules();
    return tap_done();
}
