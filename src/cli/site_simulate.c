/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site simulate`: a made-up site with known answers, into a database or as records. */
#include <getopt.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "render/json.h"
#include "site/simulate/simulate.h"
#include "site/store/store.h"

enum { BATCH = 1000 };

struct simulate_request {
    const char *store, *output;
    bool answers;
    struct fm_simulation_options options;
};

enum { DAY_S = 86400 };

static void print_help(void)
{
    puts(
        "fathom site simulate [OPTION...]: jobs of a made-up site, for trying things out and for benchmarks.\n"
        "\n"
        "  --store ADDRESS  add the jobs to this database; otherwise they are printed, one record per line after the\n"
        "                   uid of its user\n"
        "  --answers        print what is hidden in the data, as JSON, instead of jobs: programs that became slower,\n"
        "                   programs that stop scaling, slow hosts\n"
        "  --jobs N         default 10000\n"
        "  --users N        default 40\n"
        "  --programs N     default 100, at least one for every user\n"
        "  --hosts N        default 64\n"
        "  --days N         default 91\n"
        "  --slower N, --limited N, --slow-hosts N\n"
        "                   how much is hidden: programs that became slower (3), that stop scaling (3), slow hosts (2)\n"
        "  --grown N        programs with larger problems since some day, which are no answers (2)\n"
        "  --seed N         other numbers make other jobs\n"
        "  -o, --output F   write to file F instead of standard output\n"
        "  -h, --help       show this help\n"
        "\n"
        "Example:\n"
        "  fathom site simulate --store trial.db --jobs 100000\n"
        "  fathom site report --store trial.db --from 2026-01-01 --to 2026-04-01");
}

/* The usual day, so that the same options make the same jobs; earlier if that many days would not be over yet. */
static int64_t begin(int64_t usual, int64_t days)
{
    int64_t latest = (time(NULL) / DAY_S - days) * DAY_S;
    return usual < latest ? usual : latest;
}

static int parse(struct simulate_request *request, int argc, char **argv)
{
    *request = (struct simulate_request){.options = fm_simulation_usual};
    struct fm_simulation_options *to = &request->options;
    size_t jobs = to->jobs, users = to->users, programs = to->programs, hosts = to->hosts, days = to->days,
           seed = to->seed;
    double slower = to->slower, limited = to->limited, slow_hosts = to->slow_hosts, grown = to->grown; /* may be 0 */
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"store", .text = &request->store},
        {"answers", .on = &request->answers},
        {"jobs", .count = &jobs, .most = 1e9},
        {"users", .count = &users, .most = 1e6},
        {"programs", .count = &programs, .most = 1e6},
        {"hosts", .count = &hosts, .most = 1e6},
        {"days", .count = &days, .most = 10000},
        {"slower", .number = &slower, .most = 1e6},
        {"limited", .number = &limited, .most = 1e6},
        {"slow-hosts", .number = &slow_hosts, .most = 1e6},
        {"grown", .number = &grown, .most = 1e6},
        {"seed", .count = &seed},
        {0},
    };
    int status = fm_parse_options("site simulate", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind < argc)
        return fm_usage_error("site simulate", "unexpected argument '%s'", argv[optind]);
    *to = (struct fm_simulation_options){
        .jobs = jobs,
        .users = (unsigned)users,
        .programs = (unsigned)(programs > users ? programs : users),
        .hosts = (unsigned)hosts,
        .days = (unsigned)days,
        .slower = (unsigned)slower,
        .limited = (unsigned)limited,
        .slow_hosts = hosts >= 8 ? (unsigned)slow_hosts : 0,
        .grown = (unsigned)grown,
        .seed = seed,
        .from = begin(to->from, (int64_t)days),
    };
    return FM_EXIT_NOT_YET;
}

static void print_answers(const struct fm_simulation *simulation, FILE *out)
{
    static const char *const kinds[] = {"slower", "limited", "slow_host"};
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_array(&json, "planted", FM_JSON_LINES);
    for (size_t i = 0; i < fm_simulation_n_planted(simulation); i++) {
        const struct fm_planted *planted = fm_simulation_planted(simulation, i);
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_text(&json, "kind", kinds[planted->kind]);
        fm_json_text(&json, "name", planted->name);
        if (planted->kind != FM_PLANTED_LIMITED)
            fm_json_number(&json, "factor", planted->factor);
        if (planted->kind == FM_PLANTED_SLOWER) {
            fm_json_signed(&json, "since", planted->day);
            fm_json_text(&json, "part", planted->part);
            if (planted->changed)
                fm_json_text(&json, "changed", planted->changed);
        }
        if (planted->routine)
            fm_json_text(&json, "routine", planted->routine);
        if (planted->kind == FM_PLANTED_LIMITED)
            fm_json_signed(&json, "best_ranks", planted->best_ranks);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
}

/* One job; `store` or `out` is NULL. */
static enum fm_status make_job(const struct fm_simulation *simulation, uint64_t number, struct fm_store *store,
                               FILE *out, struct fm_error *error)
{
    struct fm_record record;
    fm_record_init(&record);
    int64_t uid;
    char text[FM_RECORD_BYTES + 1];
    enum fm_status status = FM_OK;
    if (!fm_simulation_job(simulation, number, &record, &uid)) {
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for a job");
    } else {
        size_t length = fm_record_write(&record, text);
        const struct fm_store_source source = {FM_ORIGIN_SPOOL, uid, NULL, 1, text, length};
        if (store)
            status = fm_store_add(store, &record, &source, error);
        else
            fprintf(out, "%lld %s\n", (long long)uid, text);
    }
    fm_record_destroy(&record);
    return status;
}

/* On a terminal, in one line; not among records on the same one. */
static void show_progress(const struct simulate_request *request, uint64_t done)
{
    uint64_t all = request->options.jobs;
    bool hidden = !request->store && !request->output && isatty(STDOUT_FILENO);
    if (!hidden && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%llu of %llu jobs (%llu %%)%s", (unsigned long long)done, (unsigned long long)all,
                (unsigned long long)(all ? 100 * done / all : 100), done == all ? "\n" : "");
}

static enum fm_status print_jobs(const struct fm_simulation *simulation, const struct simulate_request *request,
                                 FILE *out, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (uint64_t i = 0; !status && i < request->options.jobs;) {
        status = make_job(simulation, i, NULL, out, error);
        if (++i % BATCH == 0 || i == request->options.jobs)
            show_progress(request, i);
    }
    return status;
}

static enum fm_status store_jobs(const struct fm_simulation *simulation, const struct simulate_request *request,
                                 struct fm_error *error)
{
    struct fm_store *store;
    enum fm_status status = fm_store_open(&store, request->store, FM_DB_CREATE, error);
    if (status)
        return status;
    for (uint64_t i = 0; !status && i < request->options.jobs;) {
        status = fm_store_begin(store, error);
        for (unsigned n = 0; !status && n < BATCH && i < request->options.jobs; n++, i++)
            status = make_job(simulation, i, store, NULL, error);
        if (!status)
            status = fm_store_commit(store, error);
        show_progress(request, i);
    }
    if (status)
        fm_store_rollback(store);
    fm_store_close(store);
    return status;
}

static enum fm_status simulate(void *context, FILE *out, struct fm_error *error)
{
    const struct simulate_request *request = context;
    struct fm_simulation *simulation;
    enum fm_status status = fm_simulation_create(&simulation, &request->options, error);
    if (!status && request->answers)
        print_answers(simulation, out);
    else if (!status && request->store)
        status = store_jobs(simulation, request, error);
    else if (!status)
        status = print_jobs(simulation, request, out, error);
    fm_simulation_destroy(simulation);
    return status;
}

int fm_site_cmd_simulate(int argc, char **argv)
{
    struct simulate_request request;
    int status = parse(&request, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    struct fm_error error;
    if (fm_print_to(request.output, simulate, &request, &error))
        return fm_command_error("site simulate", &error);
    return FM_EXIT_OK;
}
