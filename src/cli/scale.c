/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom scale`: how much of larger runs is excess time, and where it arises. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "cli/cli.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "pages/html_scale.h"
#include "render/text.h"
#include "report/scaling.h"

enum scale_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

struct scale_request {
    char **profiles;
    size_t n_profiles;
    const char *output, *debug_path; /* output NULL: stdout */
    const char *program;             /* NULL: the whole jobs */
    enum scale_format format;
    bool strong, weak, same;
    const char *of_paths; /* an option that only call paths have */
    struct fm_scaling_options options;
};

static void print_help(void)
{
    puts("fathom scale --strong|--weak|--same PROFILE PROFILE... [OPTION...]: what stops a program from scaling.\n"
         "\n"
         "  --strong        same problem on more ranks: the total work should stay the same\n"
         "  --weak          problem grows with the ranks: the time of each rank should stay the same\n"
         "  --same          two versions of a program, A and B: how much more or less time B takes than A\n"
         "  --view V        calls, callers, flat (sampled call paths), mpi (routines by region and call site),\n"
         "                  timers, costs (shares of computation and of each routine, for each rank count),\n"
         "                  efficiency (its factors, for each run), or\n"
         "                  split (shares of program, MPI, file I/O and no CPU, for each rank count and machine;\n"
         "                  needs no --strong, --weak or --same)\n"
         "  --format F      text (default), json, csv, or html: one file with curves, trees and flame graphs\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  --threshold E   lowest acceptable efficiency (default 0.8)\n"
         "  --project N     project the efficiency to N ranks, from three or more runs\n"
         "  --program P     only one program of an MPMD job: its name, path or number\n"
         "  --percent P     hide contexts with less than P % of excess time\n"
         "  --depth N       at most N levels\n"
         "  --top N         about N rows\n"
         "  --all           every row\n"
         "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
         "\n"
         "For call paths:\n"
         "  --focus F       only function F and what it calls (calls, flat), or who calls it (callers)\n"
         "  --inside-mpi    include internal threads of MPI, and its functions outside MPI routines\n"
         "  --fold-recursion  fold recursive calls\n"
         "\n"
         "  -h, --help      show this help\n"
         "\n"
         "Example:\n"
         "  fathom scale --strong pop.4.fathom pop.16.fathom pop.64.fathom --view callers");
}

static int parse_options(struct scale_request *request, int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", "html", NULL};
    struct fm_scaling_options *scaling_options = &request->options;
    size_t project = 0;
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"strong", .on = &request->strong},
        {"weak", .on = &request->weak},
        {"same", .on = &request->same},
        {"view", .word = &scaling_options->view, FM_WORDS(fm_scaling_views)},
        {"format", .word = &request->format, FM_WORDS(formats)},
        {"threshold", .number = &scaling_options->threshold, .most = 1},
        {"project", .count = &project},
        {"percent", .number = &scaling_options->percent, .most = 100, .given = &scaling_options->with_percent},
        {"depth", .count = &scaling_options->depth},
        {"top", .count = &scaling_options->top},
        {"all", .on = &scaling_options->all},
        {"debug-path", .text = &request->debug_path},
        {"program", .text = &request->program},
        {"focus", .text = &scaling_options->focus, .last = &request->of_paths},
        {"inside-mpi", .on = &scaling_options->inside_mpi, .last = &request->of_paths},
        {"fold-recursion", .on = &scaling_options->fold_recursion, .last = &request->of_paths},
        {0},
    };
    int status = fm_parse_options("scale", options, print_help, argc, argv);
    scaling_options->project = (uint32_t)project;
    scaling_options->mode = request->strong ? FM_SCALE_STRONG : request->weak ? FM_SCALE_WEAK : FM_SCALE_SAME;
    return status;
}

static int settle(struct scale_request *request)
{
    if (request->strong + request->weak + request->same > 1)
        return fm_usage_error("scale", "--strong, --weak and --same exclude each other");
    bool split = request->options.view == FM_SCALING_SPLIT; /* no comparison */
    if (split && !request->same)
        request->options.mode = FM_SCALE_STRONG;
    if (!split && !request->strong && !request->weak && !request->same)
        return fm_usage_error("scale", "choose --strong, --weak or --same");
    if (request->n_profiles < 2)
        return fm_usage_error("scale", "at least two profiles are needed");
    if (request->options.mode == FM_SCALE_SAME && request->n_profiles > 2)
        return fm_usage_error("scale", "--same compares two profiles, not %zu", request->n_profiles);
    if (request->n_profiles > FM_SCALE_RUNS)
        return fm_usage_error("scale", "at most %d profiles, not %zu", FM_SCALE_RUNS, request->n_profiles);
    if (split && request->format == FORMAT_HTML)
        return fm_usage_error("scale", "--view split has no page; use --format text, json or csv");
    if (request->options.mode == FM_SCALE_SAME && request->options.project)
        return fm_usage_error("scale", "--project requires --strong or --weak");
    enum fm_scaling_view view = request->options.view;
    if (request->of_paths && view >= FM_SCALING_MPI)
        return fm_usage_error("scale", "--%s applies only to the views calls, callers and flat, not to %s",
                              request->of_paths, fm_scaling_views[view]);
    if (request->of_paths && view == FM_SCALING_USUAL)
        request->options.view = FM_SCALING_CALLS;
    return FM_EXIT_NOT_YET;
}

static int parse(struct scale_request *request, int argc, char **argv)
{
    *request = (struct scale_request){.debug_path = getenv("FATHOM_DEBUG_PATH"),
                                      .options = {.threshold = FM_EFFICIENCY_LEAST}};
    int status = parse_options(request, argc, argv);
    request->profiles = argv + optind;
    request->n_profiles = (size_t)(argc - optind);
    return status == FM_EXIT_NOT_YET ? settle(request) : status;
}

/* ---- symbols ---- */

/* Messages about symbols that cannot be found, which are usually the same for all runs: each is printed once. */
struct talk {
    struct fm_arena arena;
    struct fm_intern said;
};

static void say(void *context, const char *sentence)
{
    struct talk *talk = context;
    if (fm_intern_find(&talk->said, sentence))
        return;
    fm_intern_put(&talk->said, &talk->arena, sentence, true);
    fm_print_line(stderr, "fathom scale: %s.\n", sentence);
}

/* ---- runs ---- */

struct scale_printer {
    const struct scale_request *request;
    struct fm_scaling *scaling;
};

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    const struct scale_printer *printer = context;
    switch (printer->request->format) {
    case FORMAT_JSON:
        return fm_scaling_json(printer->scaling, out, error);
    case FORMAT_CSV:
        fm_run_notes_warn(&printer->scaling->notes, "scale");
        return fm_scaling_csv(printer->scaling, out, error);
    default:
        return fm_scaling_text(printer->scaling, out, error);
    }
}

struct page_printer {
    const struct scale_request *request;
    struct fm_scaling_run *runs;
};

static enum fm_status print_page(void *context, FILE *out, struct fm_error *error)
{
    const struct page_printer *printer = context;
    const struct scale_request *request = printer->request;
    return fm_html_scale(printer->runs, request->n_profiles, &request->options, out, error);
}

static enum fm_status compare(const struct scale_request *request, struct fm_scaling_run *runs, struct fm_error *error)
{
    if (request->format == FORMAT_HTML)
        return fm_print_to(request->output, print_page, &(struct page_printer){request, runs}, error);
    struct fm_scaling scaling;
    enum fm_status status = fm_scaling_open(&scaling, runs, request->n_profiles, &request->options, error);
    if (!status)
        status = fm_print_to(request->output, print, &(struct scale_printer){request, &scaling}, error);
    fm_scaling_close(&scaling);
    return status;
}

int fm_cmd_scale(int argc, char **argv)
{
    struct scale_request request;
    struct fm_scaling_run runs[FM_SCALE_RUNS] = {0};
    struct talk talk = {0};
    struct fm_error error = {0};
    enum fm_status status = FM_OK;
    size_t n = 0;
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    for (; n < request.n_profiles && !status; n += !status) {
        struct fm_profile *profile;
        runs[n].file = request.profiles[n];
        status = fm_open_profile("scale", runs[n].file, request.program, &profile, &error);
        if (!status) {
            runs[n].profile = profile;
            runs[n].symbols = fm_symbols_for(profile, request.debug_path, say, &talk);
        }
    }
    if (!status)
        status = compare(&request, runs, &error);
    for (size_t i = 0; i < n; i++) {
        fm_symbols_destroy(runs[i].symbols);
        fm_profile_destroy((struct fm_profile *)runs[i].profile);
    }
    fm_arena_destroy(&talk.arena);
    return status ? fm_command_error("scale", &error) : FM_EXIT_OK;
}
