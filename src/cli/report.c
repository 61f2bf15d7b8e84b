/* fathom report: a profile as text, JSON, CSV or a picture. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/printing.h"
#include "present/graph.h"
#include "present/report_json.h"
#include "present/views.h"
#include "profile/encode.h"
#include "profile/timer_text.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_SVG, FORMAT_DOT };

struct request {
    const char *profile, *output; /* output NULL: stdout */
    const char *debug_path;
    const char *timer; /* NULL: all of them */
    const struct fm_view *view;
    enum format format;
    bool terse, grouped;
    const char *of_timers; /* an option that only the view timers has */
    bool rich;             /* asked for */
    const char *of_paths;  /* an option that only call paths have */
    struct fm_report_options options;
};

static void print_help(void)
{
    puts("fathom report PROFILE [OPTION...]: show the profile of a job.\n"
         "\n"
         "  --view V        what to show (text, CSV); one of:");
    for (const struct fm_view *view = fm_views; view->name; view++)
        printf("                    %-9s  %s\n", view->name, view->description);
    puts("  --format F      text (default), csv, or json: the whole report in one document\n"
         "                  or a picture, svg or dot: of modules (default), or of calls; svg: of the sequence\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  --by WHAT       group view mpi, then the default, by routine (default), site, region or comm\n"
         "  --histogram     add how long calls took (view mpi, json)\n"
         "  --top N         at most N rows of a table\n"
         "  --all           every row\n"
         "  --terse         a banner of at most 12 lines\n"
         "  --focus F       only function F and what it calls (calls, flat), or who calls it (callers)\n"
         "  --percent P     leave out call paths with less than P % of the time\n"
         "  --depth N       at most N levels of call paths\n"
         "  --sort M        call paths by inclusive, exclusive, max, imbalance or name\n"
         "  --modules F     file that maps functions to the modules of a model (views modules, sequence, json)\n"
         "  --debug-path D  directories, D or D:D, with separate debug files (FATHOM_DEBUG_PATH)\n"
         "\n"
         "Of the view timers, then the default:\n"
         "  --timer NAME    this one alone\n"
         "  --layout L      rich (default), or paper: that of White's multi-resolution timers\n"
         "  --tick T        ticks of the paper's layout: 1ns (default), 10us, 1ms ... 1s\n"
         "  --histograms H  groups of tasks: max (default) by the fullest bin, or cluster by whole histograms\n"
         "  --groups K      at most K groups of tasks (default 8)\n"
         "  --full          every group of tasks, and every list of tasks in full\n"
         "  --correct       every total without the overhead of timers too\n"
         "  --ascii         no other characters; so it is anyway where the locale is not UTF-8\n"
         "\n"
         "  -h, --help      this text\n"
         "\n"
         "Example:\n"
         "  fathom report pop.1234.fathom --view mpi --by site --top 10");
}

static bool find_word(const char *const *words, const char *word, int *index)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static int set_view(struct request *request, const char *name)
{
    char list[256] = "";
    request->view = fm_view_find(name);
    if (request->view)
        return FM_EXIT_OK;
    for (const struct fm_view *view = fm_views; view->name; view++) {
        strncat(list, view == fm_views ? "" : ", ", sizeof list - strlen(list) - 1);
        strncat(list, view->name, sizeof list - strlen(list) - 1);
    }
    return fm_usage_error("report", "there is no view '%s', only %s", name, list);
}

static int set_format(struct request *request, const char *name)
{
    static const char *const words[] = {"text", "json", "csv", "svg", "dot", NULL};
    int index;
    if (!find_word(words, name, &index))
        return fm_usage_error("report", "there is no format '%s', only text, json, csv, svg, dot", name);
    request->format = (enum format)index;
    return FM_EXIT_OK;
}

static int set_by(struct request *request, const char *name)
{
    static const char *const words[] = {"routine", "site", "region", "comm", NULL};
    int index;
    if (!find_word(words, name, &index))
        return fm_usage_error("report", "--by knows routine, site, region and comm, not '%s'", name);
    request->options.by = (enum fm_report_by)index;
    request->grouped = true;
    return FM_EXIT_OK;
}

static int set_layout(struct request *request, const char *name)
{
    static const char *const words[] = {"rich", "paper", NULL};
    int index;
    if (!find_word(words, name, &index))
        return fm_usage_error("report", "there is no layout '%s', only rich and paper", name);
    request->rich = index == 0;
    request->options.paper = index == 1;
    return FM_EXIT_OK;
}

static int set_histograms(struct request *request, const char *name)
{
    static const char *const words[] = {"max", "cluster", NULL};
    int index;
    if (!find_word(words, name, &index))
        return fm_usage_error("report", "--histograms knows max and cluster, not '%s'", name);
    request->options.timers.cluster = index == 1;
    return FM_EXIT_OK;
}

static int set_tick(struct request *request, const char *tick)
{
    int exponent = fm_timer_exponent(tick);
    if (exponent < 0)
        return fm_usage_error("report", "--tick is a power of ten from 1ns to 1s, such as 10us or 1ms, not '%s'", tick);
    request->options.tick = (unsigned)exponent;
    request->options.paper = true;
    return FM_EXIT_OK;
}

static int set_percent(struct request *request, const char *text)
{
    char *end;
    errno = 0;
    request->options.percent = strtod(text, &end);
    request->options.with_percent = true;
    if (end == text || *end || errno || !(request->options.percent >= 0) || request->options.percent > 100)
        return fm_usage_error("report", "--percent needs a number from 0 to 100, not '%s'", text);
    return FM_EXIT_OK;
}

static int set_sort(struct request *request, const char *name)
{
    static const char *const words[] = {"inclusive", "exclusive", "max", "imbalance", "name", NULL};
    int index;
    if (!find_word(words, name, &index))
        return fm_usage_error("report", "--sort knows inclusive, exclusive, max, imbalance and name, not '%s'", name);
    request->options.sort = (enum fm_context_metric)index;
    request->options.sorted = true;
    return FM_EXIT_OK;
}

enum {
    OPTION_VIEW = 256,
    OPTION_FORMAT,
    OPTION_ALL,
    OPTION_HISTOGRAM,
    OPTION_BY,
    OPTION_TOP,
    OPTION_TERSE,
    OPTION_DEBUG_PATH,
    OPTION_MODULES,
    /* of call paths */
    OPTION_FOCUS,
    OPTION_PERCENT,
    OPTION_DEPTH,
    OPTION_SORT,
    /* of the view timers */
    OPTION_LAYOUT,
    OPTION_TIMER,
    OPTION_TICK,
    OPTION_HISTOGRAMS,
    OPTION_GROUPS,
    OPTION_FULL,
    OPTION_CORRECT,
    OPTION_ASCII,
};

static const struct option options[] = {
    {"view", required_argument, NULL, OPTION_VIEW},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"all", no_argument, NULL, OPTION_ALL},
    {"histogram", no_argument, NULL, OPTION_HISTOGRAM},
    {"by", required_argument, NULL, OPTION_BY},
    {"top", required_argument, NULL, OPTION_TOP},
    {"terse", no_argument, NULL, OPTION_TERSE},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"layout", required_argument, NULL, OPTION_LAYOUT},
    {"timer", required_argument, NULL, OPTION_TIMER},
    {"tick", required_argument, NULL, OPTION_TICK},
    {"histograms", required_argument, NULL, OPTION_HISTOGRAMS},
    {"groups", required_argument, NULL, OPTION_GROUPS},
    {"full", no_argument, NULL, OPTION_FULL},
    {"correct", no_argument, NULL, OPTION_CORRECT},
    {"ascii", no_argument, NULL, OPTION_ASCII},
    {"focus", required_argument, NULL, OPTION_FOCUS},
    {"percent", required_argument, NULL, OPTION_PERCENT},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"modules", required_argument, NULL, OPTION_MODULES},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int set_option_of_timers(struct request *request, int option)
{
    struct fm_timer_rich *timers = &request->options.timers;
    switch (option) {
    case OPTION_LAYOUT:
        return set_layout(request, optarg);
    case OPTION_TIMER:
        request->timer = optarg;
        break;
    case OPTION_TICK:
        return set_tick(request, optarg);
    case OPTION_HISTOGRAMS:
        return set_histograms(request, optarg);
    case OPTION_GROUPS:
        if (!fm_parse_number(optarg, 1, 1000, &timers->groups))
            return fm_usage_error("report", "--groups needs a number from 1 to 1000, not '%s'", optarg);
        break;
    case OPTION_FULL:
        timers->full = true;
        break;
    case OPTION_CORRECT:
        timers->correct = true;
        break;
    default:
        timers->ascii = true;
        break;
    }
    return FM_EXIT_OK;
}

static int set_option(struct request *request, int option, char **argv)
{
    switch (option) {
    case OPTION_VIEW:
        return set_view(request, optarg);
    case OPTION_FORMAT:
        return set_format(request, optarg);
    case OPTION_BY:
        return set_by(request, optarg);
    case OPTION_ALL:
        request->options.all = true;
        return FM_EXIT_OK;
    case OPTION_HISTOGRAM:
        request->options.histogram = true;
        return FM_EXIT_OK;
    case OPTION_TERSE:
        request->terse = true;
        return FM_EXIT_OK;
    case OPTION_LAYOUT ... OPTION_ASCII:
        return set_option_of_timers(request, option);
    case OPTION_TOP:
        if (!fm_parse_number(optarg, 1, 1000000000, &request->options.top))
            return fm_usage_error("report", "--top needs a number from 1 on, not '%s'", optarg);
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->debug_path = optarg;
        return FM_EXIT_OK;
    case OPTION_FOCUS:
        request->options.focus = optarg;
        return FM_EXIT_OK;
    case OPTION_PERCENT:
        return set_percent(request, optarg);
    case OPTION_SORT:
        return set_sort(request, optarg);
    case OPTION_MODULES:
        request->options.modules = optarg;
        return FM_EXIT_OK;
    case OPTION_DEPTH:
        if (!fm_parse_number(optarg, 1, 1000000000, &request->options.depth))
            return fm_usage_error("report", "--depth needs a number from 1 on, not '%s'", optarg);
        return FM_EXIT_OK;
    case 'o':
        request->output = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("report", option, argv);
    }
}

static int settle_layout(struct request *request)
{
    const struct fm_timer_rich *timers = &request->options.timers;
    if (request->options.paper && request->rich)
        return fm_usage_error("report", "--tick belongs to --layout paper");
    if (request->options.paper && (timers->cluster || timers->groups || timers->correct))
        return fm_usage_error("report", "--histograms, --groups and --correct belong to --layout rich");
    request->options.timers.ascii |= !fm_utf8_locale();
    return FM_EXIT_OK;
}

static bool shows_paths(const struct fm_view *view)
{
    static const char *const words[] = {"calls", "callers", "flat", "modules", NULL};
    int index;
    return find_word(words, view->name, &index);
}

static bool is_picture(const struct request *request)
{
    return request->format == FORMAT_SVG || request->format == FORMAT_DOT;
}

/* Only the view mpi groups and has histograms, only timers have layouts, only call paths a focus. JSON has all views at once. */
static int settle_view(struct request *request)
{
    const struct fm_view *mpi = fm_view_find("mpi"), *timers = fm_view_find("timers"),
                         *modules = fm_view_find("modules"), *sequence = fm_view_find("sequence");
    bool of_mpi = request->grouped || request->options.histogram;
    if (request->terse && (request->format != FORMAT_TEXT || request->view || of_mpi || request->of_timers))
        return fm_usage_error("report", "--terse is text alone, and no view");
    if (request->terse && request->of_paths)
        return fm_usage_error("report", "--%s belongs to the views calls, callers, flat and modules",
                              request->of_paths);
    if (!request->view)
        request->view = of_mpi                     ? mpi
                        : request->of_timers       ? timers
                        : request->options.modules ? modules
                        : is_picture(request)      ? modules
                        : request->of_paths        ? fm_view_find("calls")
                                                   : fm_views;
    if (is_picture(request) && !request->view->graph && !(request->format == FORMAT_SVG && request->view->svg))
        return fm_usage_error("report", "there are pictures of the views calls, modules and sequence, not %s %s",
                              request->view->svg ? "in DOT of" : "of", request->view->name);
    if (of_mpi && request->view != mpi && request->format != FORMAT_JSON)
        return fm_usage_error("report", "--%s belongs to the view mpi, not to %s",
                              request->grouped ? "by" : "histogram", request->view->name);
    if (request->of_timers && request->view != timers && request->format != FORMAT_JSON)
        return fm_usage_error("report", "--%s belongs to the view timers, not to %s", request->of_timers,
                              request->view->name);
    if (request->of_paths && !shows_paths(request->view) && request->format != FORMAT_JSON)
        return fm_usage_error("report", "--%s belongs to the views calls, callers, flat and modules, not to %s",
                              request->of_paths, request->view->name);
    if (request->options.modules && request->view != modules && request->view != sequence &&
        request->format != FORMAT_JSON)
        return fm_usage_error("report", "--modules belongs to the views modules and sequence, not to %s",
                              request->view->name);
    return settle_layout(request);
}

/* FM_EXIT_OK with request->profile NULL: help was asked for and given. */
static int parse(struct request *request, int argc, char **argv)
{
    int option, index = 0;
    *request = (struct request){.debug_path = getenv("FATHOM_DEBUG_PATH")};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:h", options, &index)) != -1) {
        if (option == 'h') {
            print_help();
            return FM_EXIT_OK;
        }
        if (option >= OPTION_LAYOUT)
            request->of_timers = options[index].name;
        else if (option >= OPTION_FOCUS)
            request->of_paths = options[index].name;
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    if (optind == argc)
        return fm_usage_error("report", "which profile");
    if (optind + 1 < argc)
        return fm_usage_error("report", "one profile at a time, so what is '%s'", argv[optind + 1]);
    request->profile = argv[optind];
    return settle_view(request);
}

static enum fm_status draw(const struct request *request, struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_graph graph;
    if (request->view->svg)
        return request->view->svg(report, out, error);
    enum fm_status status = request->view->graph(report, &graph, error);
    if (status)
        return status;
    return request->format == FORMAT_DOT ? fm_graph_dot(&graph, out) : fm_graph_svg(&graph, &report->arena, out, error);
}

static enum fm_status print(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct request *request = context;
    if (request->terse)
        return fm_report_terse(report, out, error);
    if (request->format == FORMAT_JSON)
        return fm_report_json(report, out, error);
    if (is_picture(request))
        return draw(request, report, out, error);
    return (request->format == FORMAT_CSV ? request->view->csv : request->view->text)(report, out, error);
}

/* Leaves one timer in the profile. */
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

int fm_cmd_report(int argc, char **argv)
{
    struct request request;
    struct fm_profile *profile;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status || !request.profile)
        return exit_status;
    if (fm_profile_read(request.profile, &profile, &error))
        return fm_command_error("report", &error);
    enum fm_status status = request.timer ? keep_timer(profile, request.timer, &error) : FM_OK;
    const struct fm_printing printing = {
        .command = "report",
        .output = request.output,
        .debug_path = request.debug_path,
        .names_matter = request.format == FORMAT_JSON || (!request.terse && request.view != fm_views),
        .options = request.options,
        .print = print,
        .context = &request,
    };
    if (!status)
        status = fm_print_profile(&printing, profile, &error);
    fm_profile_destroy(profile);
    return status ? fm_command_error("report", &error) : FM_EXIT_OK;
}
