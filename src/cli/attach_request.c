/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_request.h"

#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define HOST_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:"

enum { DEFAULT_HZ = 10, MAX_HZ = 1000, MAX_PIDS = 1 << 16, MAX_AGENTS = 1 << 20 };

void fm_attach_help(void)
{
    puts(
        "fathom attach PID... [OPTION...]: where the time of a running job goes, by modules.\n"
        "\n"
        "PID is that of mpirun, srun or a batch script (to sample all ranks below it, on other hosts too), or those\n"
        "of the ranks. The job needs no preparation. Running threads are stopped for some tens of microseconds per\n"
        "sample, sleeping threads not at all. If the job runs under Fathom with sampling on, its own samples are read\n"
        "instead.\n"
        "\n"
        "  --for SECONDS     sample for this long (default: 30)\n"
        "  --samples N       stop after N moments; at each, every thread is sampled once\n"
        "  --until PERCENT   sample until the 95 % confidence interval of every share above 2 % is\n"
        "                    narrower than PERCENT\n"
        "  --hz N            samples per second (default: 10)\n"
        "  --outside         sample with ptrace even if the job runs under Fathom\n"
        "  --modules FILE    file that maps functions to modules; default: source files are modules\n"
        "  --view V          final report: modules (default), sequence, calls, callers or flat\n"
        "  --json            print JSON objects, one per line; the last one is final\n"
        "  --save FILE       save the profile for fathom report and fathom export\n"
        "  --hosts A,B       hosts of the job, where they cannot be detected\n"
        "  --agents JOB      run as an agent for JOB, started by mpirun or srun once per host; see the manual\n"
        "  --debug-path D    directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
        "  -h, --help        show this help; more in fathom-attach(1)\n"
        "\n"
        "Ctrl-C ends sampling and prints the report.\n"
        "\n"
        "Example:\n"
        "  fathom attach $(pgrep -n -u $(id -u) mpirun) --until 5% --modules ocean.modules");
}

enum {
    OPTION_FOR = 256,
    OPTION_SAMPLES,
    OPTION_UNTIL,
    OPTION_HZ,
    OPTION_OUTSIDE,
    OPTION_MODULES,
    OPTION_VIEW,
    OPTION_JSON,
    OPTION_SAVE,
    OPTION_DEBUG_PATH,
    OPTION_HOSTS,
    OPTION_AGENTS,
    OPTION_OF,
    OPTION_LIBRARY,
    OPTION_FED
};

static const struct option options[] = {
    {"for", required_argument, NULL, OPTION_FOR},
    {"samples", required_argument, NULL, OPTION_SAMPLES},
    {"until", required_argument, NULL, OPTION_UNTIL},
    {"hz", required_argument, NULL, OPTION_HZ},
    {"outside", no_argument, NULL, OPTION_OUTSIDE},
    {"modules", required_argument, NULL, OPTION_MODULES},
    {"view", required_argument, NULL, OPTION_VIEW},
    {"json", no_argument, NULL, OPTION_JSON},
    {"save", required_argument, NULL, OPTION_SAVE},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"hosts", required_argument, NULL, OPTION_HOSTS},
    {"agents", required_argument, NULL, OPTION_AGENTS},
    {"of", required_argument, NULL, OPTION_OF}, /* this and the next are for agents of `fathom attach` */
    {"mpi-library", required_argument, NULL, OPTION_LIBRARY},
    {"fed", no_argument, NULL, OPTION_FED}, /* for agents, and for `fathom serve` */
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* A positive number, optionally followed by `unit`. */
static bool parse_positive(const char *text, const char *unit, double max, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *number > 0 && *number <= max && (!*end || strcmp(end, unit) == 0);
}

static int set_view(struct fm_attach_request *request, const char *name)
{
    static const char *const views[] = {"modules", "sequence", "calls", "callers", "flat"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i], name) == 0) {
            request->view = views[i];
            return FM_EXIT_OK;
        }
    return fm_usage_error("attach", "unknown view '%s'; choose modules, sequence, calls, callers or flat", name);
}

static int set_option(struct fm_attach_request *request, int option, char **argv)
{
    switch (option) {
    case OPTION_FOR:
        if (parse_positive(optarg, "s", 1e9, &request->seconds))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--for needs a number of seconds, not '%s'", optarg);
    case OPTION_SAMPLES:
        if (fm_parse_number(optarg, 1, UINT32_MAX, &request->moments))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--samples needs a number, not '%s'", optarg);
    case OPTION_UNTIL:
        if (!parse_positive(optarg, "%", 100, &request->until))
            return fm_usage_error("attach", "--until needs a percentage such as 1%%, not '%s'", optarg);
        request->until /= 100;
        return FM_EXIT_OK;
    case OPTION_HZ:
        if (fm_parse_number(optarg, 1, MAX_HZ, &request->hz))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--hz needs a number from 1 to %d, not '%s'", MAX_HZ, optarg);
    case OPTION_OUTSIDE:
        request->outside = true;
        return FM_EXIT_OK;
    case OPTION_VIEW:
        return set_view(request, optarg);
    case OPTION_OF:
        if (fm_parse_number(optarg, 1, MAX_AGENTS, &request->agents))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--of needs a number, not '%s'", optarg);
    case OPTION_HOSTS:
        request->hosts = optarg;
        if (strspn(optarg, HOST_LETTERS ",") == strlen(optarg) && strspn(optarg, HOST_LETTERS) && optarg[0] != '-' &&
            !strstr(optarg, ",-"))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--hosts needs host names separated by commas, not '%.60s'", optarg);
    case OPTION_AGENTS:
        request->job = optarg;
        return FM_EXIT_OK;
    case OPTION_LIBRARY:
        request->library = optarg;
        return FM_EXIT_OK;
    case OPTION_FED:
        request->fed = true;
        return FM_EXIT_OK;
    case OPTION_MODULES:
        request->modules = optarg;
        return FM_EXIT_OK;
    case OPTION_JSON:
        request->json = true;
        return FM_EXIT_OK;
    case OPTION_SAVE:
        request->save = optarg;
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->debug_path = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("attach", option, argv);
    }
}

static int parse_pids(struct fm_attach_request *request, int n, char **words)
{
    size_t pid;
    request->pids = n > 0 && n < MAX_PIDS ? calloc((size_t)n, sizeof *request->pids) : NULL;
    if (!n)
        return fm_usage_error("attach", "no process given; give the PID of mpirun, or those of the ranks");
    if (!request->pids)
        return fm_usage_error("attach", "too many processes");
    for (int i = 0; i < n; i++) {
        if (!fm_parse_number(words[i], 1, INT_MAX, &pid))
            return fm_usage_error("attach", "'%s' is not a process ID", words[i]);
        request->pids[request->n++] = (pid_t)pid;
    }
    return FM_EXIT_OK;
}

int fm_attach_parse(struct fm_attach_request *request, int argc, char **argv)
{
    int option;
    *request = (struct fm_attach_request){
        .hz = DEFAULT_HZ, .view = "modules", .debug_path = getenv("FATHOM_DEBUG_PATH")};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (option == 'h') {
            request->help = true;
            return FM_EXIT_OK;
        }
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    if (request->job && optind < argc)
        return fm_usage_error("attach", "unexpected argument '%s': --agents names the job", argv[optind]);
    return request->job ? FM_EXIT_OK : parse_pids(request, argc - optind, argv + optind);
}
