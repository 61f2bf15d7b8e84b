/* fathom modules compare: modules of several runs side by side. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/modules.h"
#include "cli/printing.h"
#include "present/modules_compare.h"
#include "profile/encode.h"

struct request {
    const char *output, *debug_path; /* output NULL: standard output */
    fm_modules_runs_print *print;
    struct fm_report_options options;
    enum fm_scale_mode mode;
    bool helped;
};

static void print_help(void)
{
    puts("fathom modules compare PROFILE PROFILE... [OPTION...]: modules of several runs side by side.\n"
         "\n"
         "  --weak          the problem grows with the ranks (default: it stays, --strong)\n"
         "  --modules F     file that maps functions to the modules of a model\n"
         "  --format F      text (default), json, csv, or a picture: svg\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  --top N         at most N rows of a table (default 8)\n"
         "  --all           every row\n"
         "  --debug-path D  directories, D or D:D, with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      this text\n"
         "\n"
         "Example:\n"
         "  fathom modules compare pop.8.fathom pop.16.fathom pop.32.fathom --modules pop.modules");
}

enum { OPTION_MODULES = 256, OPTION_FORMAT, OPTION_TOP, OPTION_ALL, OPTION_DEBUG_PATH, OPTION_STRONG, OPTION_WEAK };

static const struct option options[] = {
    {"strong", no_argument, NULL, OPTION_STRONG},
    {"weak", no_argument, NULL, OPTION_WEAK},
    {"modules", required_argument, NULL, OPTION_MODULES},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"top", required_argument, NULL, OPTION_TOP},
    {"all", no_argument, NULL, OPTION_ALL},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int set_format(struct request *request, const char *name)
{
    static const struct {
        const char *name;
        fm_modules_runs_print *print;
    } formats[] = {{"text", fm_modules_runs_text},
                   {"json", fm_modules_runs_json},
                   {"csv", fm_modules_runs_csv},
                   {"svg", fm_modules_runs_svg}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            request->print = formats[i].print;
            return FM_EXIT_OK;
        }
    }
    return fm_usage_error("modules compare", "there is no format '%s', only text, json, csv, svg", name);
}

static int set_option(struct request *request, int option, char **argv)
{
    switch (option) {
    case OPTION_STRONG:
    case OPTION_WEAK:
        request->mode = option == OPTION_WEAK ? FM_SCALE_WEAK : FM_SCALE_STRONG;
        return FM_EXIT_OK;
    case OPTION_MODULES:
        request->options.modules = optarg;
        return FM_EXIT_OK;
    case OPTION_FORMAT:
        return set_format(request, optarg);
    case OPTION_TOP:
        if (!fm_parse_number(optarg, 1, 1000000000, &request->options.top))
            return fm_usage_error("modules compare", "--top needs a number from 1 on, not '%s'", optarg);
        return FM_EXIT_OK;
    case OPTION_ALL:
        request->options.all = true;
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->debug_path = optarg;
        return FM_EXIT_OK;
    case 'o':
        request->output = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("modules compare", option, argv);
    }
}

static int parse(struct request *request, int argc, char **argv)
{
    int option;
    *request = (struct request){.debug_path = getenv("FATHOM_DEBUG_PATH"), .print = fm_modules_runs_text};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            request->helped = true;
            return FM_EXIT_OK;
        }
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    if (argc - optind < 2)
        return fm_usage_error("modules compare", "two profiles or more are to be compared");
    return FM_EXIT_OK;
}

/* ---- runs ---- */

struct run {
    struct fm_profile *profile;
    struct fm_symbols *symbols;
    struct fm_report report;
    bool opened;
};

static void say(void *context, const char *sentence)
{
    (void)context;
    fprintf(stderr, "fathom modules compare: %s.\n", sentence);
}

static enum fm_status open_run(struct run *run, const char *path, const struct request *request, struct fm_error *error)
{
    char cache[PATH_MAX];
    enum fm_status status = fm_profile_read(path, &run->profile, error);
    if (status)
        return status;
    const struct fm_symbols_options wishes = {.debug_path = request->debug_path,
                                              .directory = run->profile->job.cwd,
                                              .cache = fm_symbols_cache_directory(cache, sizeof cache),
                                              .say = say};
    run->symbols = fm_symbols_create(&wishes);
    status = fm_report_open(&run->report, run->profile, run->symbols, &request->options, error);
    run->opened = !status;
    return status;
}

static void close_run(struct run *run)
{
    if (run->opened)
        fm_report_close(&run->report);
    fm_symbols_destroy(run->symbols);
    if (run->profile)
        fm_profile_destroy(run->profile);
}

struct printer {
    fm_modules_runs_print *print;
    struct fm_modules_runs *runs;
};

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    const struct printer *printer = context;
    return printer->print(printer->runs, out, error);
}

static enum fm_status print_runs(const struct request *request, struct run *runs, char *const *paths, size_t n,
                                 struct fm_arena *arena, struct fm_error *error)
{
    struct fm_report **reports = fm_arena_alloc(arena, n * sizeof *reports);
    struct fm_modules_runs made = {0};
    if (!reports)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for the runs");
    for (size_t i = 0; i < n; i++) {
        enum fm_status status = open_run(&runs[i], paths[i], request, error);
        if (status)
            return status;
        reports[i] = &runs[i].report;
    }
    enum fm_status status = fm_modules_runs_make(reports, (const char *const *)paths, n, request->mode, &made, error);
    if (!status)
        status = fm_print_to(request->output, print, &(struct printer){request->print, &made}, error);
    fm_modules_runs_destroy(&made);
    return status;
}

static enum fm_status compare(const struct request *request, char *const *paths, size_t n, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct run *runs = fm_arena_alloc(&arena, n * sizeof *runs);
    if (!runs)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for the runs");
    enum fm_status status = print_runs(request, runs, paths, n, &arena, error);
    for (size_t i = 0; i < n; i++)
        close_run(&runs[i]);
    fm_arena_destroy(&arena);
    return status;
}

int fm_modules_compare(int argc, char **argv)
{
    struct request request;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status || request.helped)
        return exit_status;
    if (compare(&request, argv + optind, (size_t)(argc - optind), &error))
        return fm_command_error("modules compare", &error);
    return FM_EXIT_OK;
}
