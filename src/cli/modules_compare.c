/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom modules compare`: modules of several runs side by side. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/modules.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "report/module_comparison.h"

struct compare_request {
    const char *output, *debug_path; /* output NULL: standard output */
    const char *program;             /* NULL: the whole jobs */
    unsigned format;
    struct fm_report_options options;
    bool weak;
};

static void print_help(void)
{
    puts("fathom modules compare PROFILE PROFILE... [OPTION...]: modules of several runs side by side.\n"
         "\n"
         "  --weak          the problem grows with the ranks (default: --strong, it stays the same)\n"
         "  --modules F     file that maps functions to the modules of a model\n"
         "  --program P     only one program of MPMD jobs: its name, path or number\n"
         "  --format F      text (default), json, csv, or a picture: svg\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  --top N         at most N rows of a table (default 8)\n"
         "  --all           every row\n"
         "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      show this help\n"
         "\n"
         "Example:\n"
         "  fathom modules compare pop.8.fathom pop.16.fathom pop.32.fathom --modules pop.modules");
}

static const struct {
    const char *name;
    fm_module_comparison_print *print;
} formats[] = {{"text", fm_module_comparison_text},
               {"json", fm_module_comparison_json},
               {"csv", fm_module_comparison_csv},
               {"svg", fm_module_comparison_svg},
               {0}};

static int parse(struct compare_request *request, int argc, char **argv)
{
    *request = (struct compare_request){.debug_path = getenv("FATHOM_DEBUG_PATH")};
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"strong", .off = &request->weak},
        {"weak", .on = &request->weak},
        {"modules", .text = &request->options.modules},
        {"format", .word = &request->format, FM_WORDS(formats)},
        {"top", .count = &request->options.top},
        {"all", .on = &request->options.all},
        {"debug-path", .text = &request->debug_path},
        {"program", .text = &request->program},
        {0},
    };
    int status = fm_parse_options("modules compare", options, print_help, argc, argv);
    if (status == FM_EXIT_NOT_YET && argc - optind < 2)
        return fm_usage_error("modules compare", "at least two profiles are needed");
    return status;
}

/* ---- runs ---- */

struct compared_run {
    struct fm_profile *profile;
    struct fm_symbols *symbols;
    struct fm_report report;
    bool opened;
};

static enum fm_status open_run(struct compared_run *run, const char *path, const struct compare_request *request,
                               struct fm_error *error)
{
    enum fm_status status = fm_open_profile("modules compare", path, request->program, &run->profile, error);
    if (status)
        return status;
    run->symbols = fm_symbols_for(run->profile, request->debug_path, fm_say, "modules compare");
    status = fm_report_open(&run->report, run->profile, run->symbols, &request->options, error);
    run->opened = !status;
    return status;
}

static void close_run(struct compared_run *run)
{
    if (run->opened)
        fm_report_close(&run->report);
    fm_symbols_destroy(run->symbols);
    if (run->profile)
        fm_profile_destroy(run->profile);
}

struct comparison_printer {
    fm_module_comparison_print *print;
    struct fm_module_comparison *runs;
};

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    const struct comparison_printer *printer = context;
    if (printer->print == fm_module_comparison_csv || printer->print == fm_module_comparison_svg)
        fm_run_notes_warn(&printer->runs->notes, "modules compare");
    return printer->print(printer->runs, out, error);
}

static enum fm_status print_runs(const struct compare_request *request, struct compared_run *runs, char *const *paths,
                                 size_t n, struct fm_arena *arena, struct fm_error *error)
{
    struct fm_report **reports = fm_arena_alloc(arena, n * sizeof *reports);
    struct fm_module_comparison made = {0};
    if (!reports)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the runs");
    for (size_t i = 0; i < n; i++) {
        enum fm_status status = open_run(&runs[i], paths[i], request, error);
        if (status)
            return status;
        reports[i] = &runs[i].report;
    }
    enum fm_status status = fm_module_comparison_make(reports, (const char *const *)paths, n,
                                                      request->weak ? FM_SCALE_WEAK : FM_SCALE_STRONG, &made, error);
    if (!status)
        status = fm_print_to(request->output, print,
                             &(struct comparison_printer){formats[request->format].print, &made}, error);
    fm_module_comparison_destroy(&made);
    return status;
}

static enum fm_status compare(const struct compare_request *request, char *const *paths, size_t n,
                              struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct compared_run *runs = fm_arena_alloc(&arena, n * sizeof *runs);
    if (!runs)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the runs");
    enum fm_status status = print_runs(request, runs, paths, n, &arena, error);
    for (size_t i = 0; i < n; i++)
        close_run(&runs[i]);
    fm_arena_destroy(&arena);
    return status;
}

int fm_cmd_modules_compare(int argc, char **argv)
{
    struct compare_request request;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    if (compare(&request, argv + optind, (size_t)(argc - optind), &error))
        return fm_command_error("modules compare", &error);
    return FM_EXIT_OK;
}
