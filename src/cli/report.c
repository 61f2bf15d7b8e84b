/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom report`: shows a profile as text, JSON, CSV or a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/report_history.h"
#include "format/encode.h"
#include "pages/html.h"
#include "render/graph.h"
#include "report/report_json.h"
#include "report/views.h"
#include "site/calibration/calibration.h"
#include "timer_report/timer_text.h"

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_SVG, FORMAT_DOT, FORMAT_HTML };
enum { MAX_SOURCES = 1000 }; /* directories of --source */

struct report_request {
    const char *profile, *output; /* output NULL: stdout */
    const char *debug_path;
    const char *timer;   /* NULL: all */
    const char *program; /* NULL: the whole job */
    const char *calibration;
    const struct fm_view *view;
    enum report_format format;
    bool terse, grouped;
    const char *tick;               /* NULL: not requested */
    bool rich;                      /* requested */
    const char *of_timers;          /* an option that only the view timers has */
    const char *of_paths;           /* an option that only call paths have */
    struct fm_option_texts sources; /* directories whose source files the page may contain */
    struct fm_report_options options;
};

static void print_help(void)
{
    puts("fathom report PROFILE [OPTION...]: show the profile of a job.\n"
         "\n"
         "  --view V        what to show (text, csv); one of:");
    for (const struct fm_view *view = fm_views; view->name; view++)
        printf("                    %-10s  %s\n", view->name, view->description);
    puts(
        "  --format F      text (default), csv or json (the whole report in one document); pictures: svg or dot\n"
        "                  of the views modules (default), calls and efficiency, svg also of sequence;\n"
        "                  html: the whole report as one page for a browser\n"
        "  --source D      the page may contain source files below directory D; may be given several times (html)\n"
        "  -o, --output F  write to file F instead of standard output\n"
        "  --by WHAT       group the view mpi by routine (default), site, region, comm or program;\n"
        "                  implies --view mpi\n"
        "  --program P     only the ranks of one program of an MPMD job: its name, path or number\n"
        "  --calibration F estimate latency, transfer and synchronisation with a file of fathom calibrate (views mpi,\n"
        "                  efficiency; json); default: FATHOM_CALIBRATION, else /etc/fathom/calibration.json if it exists\n"
        "  --histogram     add histograms of call durations (view mpi, json)\n"
        "  --top N         at most N rows of a table\n"
        "  --all           every row\n"
        "  --terse         print a summary of at most 12 lines\n"
        "  --focus F       only function F and what it calls (calls, flat), or who calls it (callers)\n"
        "  --percent P     hide call paths with less than P % of the time\n"
        "  --depth N       at most N levels of call paths\n"
        "  --sort M        sort call paths by inclusive, exclusive, max, imbalance or name\n"
        "  --lines         one row per line from which a function is called, instead of all in one (calls)\n"
        "  --inside-mpi    include internal threads of the MPI library (calls, callers, flat)\n"
        "  --from-first N  leave out what was before region or timer N was entered first (view efficiency, json)\n"
        "  --modules F     file that maps functions to the modules of a model (views modules, sequence, json)\n"
        "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
        "\n"
        "For the view timers (implied by these options):\n"
        "  --timer NAME    only this timer\n"
        "  --layout L      rich (default), or paper: the layout of White's multi-resolution timers\n"
        "  --tick T        tick of the layout paper: 1ns (default), 10us, 1ms ... 1s\n"
        "  --histograms H  group tasks by the fullest bin, max (default), or by the whole histogram, cluster\n"
        "  --groups K      at most K groups of tasks (default 8)\n"
        "  --full          show every group of tasks and full lists of tasks\n"
        "  --correct       also show totals without the overhead of timers\n"
        "  --ascii         use ASCII only (default where the locale is not UTF-8)\n"
        "\n"
        "  -h, --help      show this help\n"
        "\n"
        "Example:\n"
        "  fathom report pop.1234.fathom --view mpi --by site --top 10");
}

static int set_tick(struct report_request *request)
{
    unsigned exponent;
    if (!fm_setting_tick(request->tick, &exponent))
        return fm_usage_error("report", "--tick must be a power of ten from 1ns to 1s, such as 10us or 1ms, not '%s'",
                              request->tick);
    request->options.tick = exponent;
    request->options.paper = true;
    return FM_EXIT_NOT_YET;
}

static int parse_options(struct report_request *request, int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", "svg", "dot", "html", NULL};
    static const char *const by[] = {"routine", "site", "region", "comm", "program", NULL};
    static const char *const orders[] = {"inclusive", "exclusive", "max", "imbalance", "name", NULL};
    static const char *const layouts[] = {"rich", "paper", NULL}, *const histograms[] = {"max", "cluster", NULL};
    struct fm_report_options *report_options = &request->options;
    const char **of_paths = &request->of_paths, **of_timers = &request->of_timers;
    unsigned view = 0, layout = 0, cluster = 0;
    bool viewed = false, laid_out = false;
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"view", .word = &view, FM_WORDS(fm_views), .given = &viewed},
        {"format", .word = &request->format, FM_WORDS(formats)},
        {"all", .on = &report_options->all},
        {"histogram", .on = &report_options->histogram},
        {"by", .word = &report_options->by, FM_WORDS(by), .given = &request->grouped,
         .wrong = "--by must be routine, site, region, comm or program, not '%s'"},
        {"program", .text = &request->program},
        {"top", .count = &report_options->top},
        {"terse", .on = &request->terse},
        {"source", .texts = &request->sources},
        {"debug-path", .text = &request->debug_path},
        {"modules", .text = &report_options->modules},
        {"calibration", .text = &request->calibration},
        {"from-first", .text = &report_options->from_first},
        {"focus", .text = &report_options->focus, .last = of_paths},
        {"percent", .number = &report_options->percent, .most = 100, .given = &report_options->with_percent,
         .last = of_paths},
        {"depth", .count = &report_options->depth, .last = of_paths},
        {"sort", .word = &report_options->sort, FM_WORDS(orders), .given = &report_options->sorted, .last = of_paths,
         .wrong = "--sort must be inclusive, exclusive, max, imbalance or name, not '%s'"},
        {"lines", .on = &report_options->lines, .last = of_paths},
        {"inside-mpi", .on = &report_options->inside_mpi, .last = of_paths},
        {"layout", .word = &layout, FM_WORDS(layouts), .given = &laid_out, .last = of_timers,
         .wrong = "--layout must be rich or paper, not '%s'"},
        {"timer", .text = &request->timer, .last = of_timers},
        {"tick", .text = &request->tick, .last = of_timers},
        {"histograms", .word = &cluster, FM_WORDS(histograms), .last = of_timers,
         .wrong = "--histograms must be max or cluster, not '%s'"},
        {"groups", .count = &report_options->timers.groups, .most = 1000, .last = of_timers},
        {"full", .on = &report_options->timers.full, .last = of_timers},
        {"correct", .on = &report_options->timers.correct, .last = of_timers},
        {"ascii", .on = &report_options->timers.ascii, .last = of_timers},
        {0},
    };
    int status = fm_parse_options("report", options, print_help, argc, argv);
    request->view = viewed ? &fm_views[view] : NULL;
    request->rich = laid_out && !layout;
    report_options->paper = layout;
    report_options->timers.cluster = cluster;
    return status == FM_EXIT_NOT_YET && request->tick ? set_tick(request) : status;
}

static int settle_layout(struct report_request *request)
{
    const struct fm_timer_rich *timers = &request->options.timers;
    if (request->options.paper && request->rich)
        return fm_usage_error("report", "--tick requires --layout paper");
    if (request->options.paper && (timers->cluster || timers->groups || timers->correct))
        return fm_usage_error("report", "--histograms, --groups and --correct require --layout rich");
    request->options.timers.ascii |= !fm_utf8_locale();
    return FM_EXIT_NOT_YET;
}

static bool shows_paths(const struct fm_view *view)
{
    return strcmp(view->name, "calls") == 0 || strcmp(view->name, "callers") == 0 || strcmp(view->name, "flat") == 0 ||
           strcmp(view->name, "modules") == 0;
}

static bool is_picture(const struct report_request *request)
{
    return request->format == FORMAT_SVG || request->format == FORMAT_DOT;
}

/* The formats that are the whole report. */
static bool has_all_views(const struct report_request *request)
{
    return request->format == FORMAT_JSON || request->format == FORMAT_HTML;
}

/* Only the view mpi has groups and histograms, only timers have layouts, only call paths have a focus. */
static int settle_view(struct report_request *request)
{
    const struct fm_view *mpi = fm_view_find("mpi"), *timers = fm_view_find("timers"),
                         *modules = fm_view_find("modules"), *sequence = fm_view_find("sequence"),
                         *efficiency = fm_view_find("efficiency");
    bool of_mpi = request->grouped || request->options.histogram;
    if (request->terse && (request->format != FORMAT_TEXT || request->view || of_mpi || request->of_timers))
        return fm_usage_error("report", "--terse cannot be combined with --view or --format");
    if (request->format == FORMAT_HTML && !request->output && isatty(STDOUT_FILENO))
        return fm_usage_error("report", "--format html writes a page for a browser: give it a file with -o");
    if (request->sources.n && request->format != FORMAT_HTML)
        return fm_usage_error("report", "--source applies only to --format html");
    if (request->terse && request->of_paths)
        return fm_usage_error("report", "--%s applies only to the views calls, callers, flat and modules",
                              request->of_paths);
    if (!request->view)
        request->view = of_mpi                        ? mpi
                        : request->of_timers          ? timers
                        : request->options.modules    ? modules
                        : is_picture(request)         ? modules
                        : request->of_paths           ? fm_view_find("calls")
                        : request->options.from_first ? efficiency
                                                      : fm_views;
    if (is_picture(request) && !request->view->graph && !(request->format == FORMAT_SVG && request->view->svg))
        return fm_usage_error("report",
                              "only the views calls, modules, efficiency and sequence have pictures%s, not %s",
                              request->view->svg ? " in DOT" : "", request->view->name);
    if (of_mpi && request->view != mpi && !has_all_views(request))
        return fm_usage_error("report", "--%s applies only to the view mpi, not to %s",
                              request->grouped ? "by" : "histogram", request->view->name);
    if (request->of_timers && request->view != timers && !has_all_views(request))
        return fm_usage_error("report", "--%s applies only to the view timers, not to %s", request->of_timers,
                              request->view->name);
    if (request->options.inside_mpi && (request->view == modules || !shows_paths(request->view)) &&
        !has_all_views(request))
        return fm_usage_error("report", "--inside-mpi applies only to the views calls, callers and flat, not to %s",
                              request->view->name);
    if (request->of_paths && !shows_paths(request->view) && !has_all_views(request))
        return fm_usage_error("report", "--%s applies only to the views calls, callers, flat and modules, not to %s",
                              request->of_paths, request->view->name);
    if (request->options.lines && strcmp(request->view->name, "calls") != 0 && !has_all_views(request))
        return fm_usage_error("report", "--lines applies only to the view calls, not to %s", request->view->name);
    if (request->options.modules && request->view != modules && request->view != sequence && !has_all_views(request))
        return fm_usage_error("report", "--modules applies only to the views modules and sequence, not to %s",
                              request->view->name);
    if (request->options.from_first && request->view != efficiency && !has_all_views(request))
        return fm_usage_error("report", "--from-first applies only to the view efficiency, not to %s",
                              request->view->name);
    return settle_layout(request);
}

static int parse(struct report_request *request, const char **sources, int argc, char **argv)
{
    *request = (struct report_request){.debug_path = getenv("FATHOM_DEBUG_PATH"), .sources.items = sources};
    int status = parse_options(request, argc, argv);
    if (status == FM_EXIT_NOT_YET)
        status = fm_parse_profile("report", argc, argv, &request->profile);
    return status == FM_EXIT_NOT_YET ? settle_view(request) : status;
}

static enum fm_status draw(const struct report_request *request, struct fm_report *report, FILE *out,
                           struct fm_error *error)
{
    struct fm_graph graph;
    if (request->view->svg)
        return request->view->svg(report, out, error);
    enum fm_status status = request->view->graph(report, &graph, error);
    if (status)
        return status;
    return request->format == FORMAT_DOT ? fm_graph_dot(&graph, out) : fm_graph_svg(&graph, &report->arena, out, error);
}

/* What the output shows that cannot always be attributed to one program; JSON says so itself. */
static unsigned shown(const struct report_request *request)
{
    if (request->terse || has_all_views(request))
        return 0;
    enum fm_report_by by = request->options.by;
    bool split = request->options.histogram || (by != FM_REPORT_BY_ROUTINE && by != FM_REPORT_BY_PROGRAM);
    return strcmp(request->view->name, "mpi") == 0 && split ? FM_SHOWS_CALLS : request->view->shows;
}

static enum fm_status print_view(const struct report_request *request, struct fm_report *report, FILE *out,
                                 struct fm_error *error)
{
    if (request->terse)
        return fm_report_terse(report, out, error);
    if (request->format == FORMAT_JSON)
        return fm_report_json(report, out, error);
    if (request->format == FORMAT_HTML)
        return fm_html_write(&(struct fm_slices){.report = report, .sources = request->sources.items}, out, error);
    if (is_picture(request))
        return draw(request, report, out, error);
    return (request->format == FORMAT_CSV ? request->view->csv : request->view->text)(report, out, error);
}

/* The summary names the program itself. */
static enum fm_status print(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct report_request *request = context;
    bool text = request->format == FORMAT_TEXT && !request->terse;
    const char *headline = text && request->view != fm_views ? fm_part_headline(report) : "";
    const char *left_out = fm_part_left_out(report, shown(request));
    enum fm_status status = fm_part_check(report, shown(request), error);
    if (!status && headline[0]) {
        fm_print_line(out, "%s.\n", headline);
        fputc('\n', out);
    }
    if (!status)
        status = print_view(request, report, out, error);
    if (status || !left_out[0])
        return status;
    if (text)
        fm_print_folded(out, fm_format(&report->arena, "%s.", left_out), 2);
    else
        fm_say((void *)"report", left_out);
    return FM_OK;
}

/* Removes all other timers from the profile. */
static enum fm_status keep_timer(struct fm_profile *profile, const char *name, struct fm_error *error)
{
    char list[256] = "";
    for (size_t i = 0; i < profile->n_timers; i++) {
        struct fm_timer *timer = &profile->timers[i];
        if (strcmp(timer->name, name) == 0) {
            profile->timers = timer;
            profile->n_timers = 1;
            return FM_OK;
        }
        strncat(list, i ? ", " : ", only ", sizeof list - strlen(list) - 1);
        strncat(list, timer->name, sizeof list - strlen(list) - 1);
    }
    return fm_fail(error, FM_ERR_INPUT, "the profile has no timer '%s'%s", name, list);
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What the user names must be there and valid; of the file of the site it is only said that it is not used. */
static enum fm_status open_calibration(struct report_request *request, struct fm_calibration *calibration,
                                       struct fm_error *error)
{
    const char *named = request->calibration ? request->calibration : getenv(FM_CALIBRATION_ENV);
    const char *path = named && *named ? named : FM_CALIBRATION_PATH;
    if (path != named && access(path, F_OK) != 0)
        return FM_OK;
    enum fm_status status = fm_calibration_read(calibration, path, error);
    if (!status) {
        request->options.calibration = calibration;
        request->options.calibration_path = path;
    }
    if (status && path != named) {
        fm_say((void *)"report", error->text);
        return FM_OK;
    }
    return status;
}

int fm_cmd_report(int argc, char **argv)
{
    struct report_request request;
    struct fm_profile *profile;
    struct fm_error error = {0};
    const char *sources[MAX_SOURCES + 1] = {0};
    if (argc > MAX_SOURCES)
        return fm_usage_error("report", "too many arguments");
    int exit_status = parse(&request, sources, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    if (is_directory(request.profile)) {
        if (!has_all_views(&request))
            return fm_usage_error("report",
                                  "%s is a directory: --format html shows the history of its profiles, and "
                                  "'fathom list' lists them",
                                  request.profile);
        return fm_report_history(request.profile, request.format == FORMAT_HTML, request.output, request.debug_path);
    }
    if (fm_open_profile("report", request.profile, request.program, &profile, &error))
        return fm_command_error("report", &error);
    struct fm_calibration calibration = {0};
    enum fm_status status = request.timer ? keep_timer(profile, request.timer, &error) : FM_OK;
    if (!status)
        status = open_calibration(&request, &calibration, &error);
    const struct fm_printing printing = {
        .command = "report",
        .output = request.output,
        .debug_path = request.debug_path,
        .names_matter = has_all_views(&request) || (!request.terse && request.view != fm_views),
        .options = request.options,
        .print = print,
        .context = &request,
    };
    if (!status)
        status = fm_print_profile(&printing, profile, &error);
    fm_calibration_destroy(&calibration);
    fm_profile_destroy(profile);
    return status ? fm_command_error("report", &error) : FM_EXIT_OK;
}
