/* fathom scale: what of larger runs is excess work, and where it arises. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "cli/cli.h"
#include "cli/printing.h"
#include "present/scaling.h"
#include "profile/encode.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    char **profiles;
    size_t n_profiles;
    const char *output, *debug_path; /* output NULL: stdout */
    enum format format;
    bool moded;           /* a mode was asked for */
    const char *of_paths; /* an option that only call paths have */
    struct fm_scaling_options options;
};

static void print_help(void)
{
    puts("fathom scale --strong|--weak|--same PROFILE PROFILE... [OPTION...]: what stops a program from scaling.\n"
         "\n"
         "  --strong        the same problem on more ranks: all of them together should do the same work\n"
         "  --weak          a problem that grows with the ranks: each of them should take the same time\n"
         "  --same          two runs, A and B, of two versions of a program\n"
         "  --view V        calls, callers, flat (sampled call paths), mpi (routines by region and call site),\n"
         "                  timers, or costs (shares of computation and of each routine, for each rank count)\n"
         "  --format F      text (default), json or csv\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  --threshold E   the least efficiency that is worth it (default 0.8)\n"
         "  --project N     a projection of the efficiency on N ranks, from three or more runs\n"
         "  --percent P     leave out contexts with less than P % of excess work\n"
         "  --depth N       at most N levels\n"
         "  --top N         about N rows\n"
         "  --all           every row\n"
         "  --debug-path D  directories, D or D:D, with separate debug files (FATHOM_DEBUG_PATH)\n"
         "\n"
         "Of call paths:\n"
         "  --focus F       only function F and what it calls (calls, flat), or who calls it (callers)\n"
         "  --inside-mpi    with what MPI libraries do inside, where samples tell\n"
         "  --fold-recursion  recursive calls as often as they differ\n"
         "\n"
         "  -h, --help      this text\n"
         "\n"
         "Example:\n"
         "  fathom scale --strong pop.4.fathom pop.16.fathom pop.64.fathom --view callers");
}

static int set_word(const char *const *words, const char *word, const char *what, int *index)
{
    char list[128] = "";
    for (int i = 0; words[i]; i++) {
        if (words[i][0] && strcmp(words[i], word) == 0) {
            *index = i;
            return FM_EXIT_OK;
        }
        strncat(list, list[0] ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, words[i], sizeof list - strlen(list) - 1);
    }
    return fm_usage_error("scale", "there is no %s '%s', only %s", what, word, list);
}

static int set_mode(struct request *request, enum fm_scale_mode mode)
{
    if (request->moded && request->options.mode != mode)
        return fm_usage_error("scale", "one of --strong, --weak and --same, not two");
    request->options.mode = mode;
    request->moded = true;
    return FM_EXIT_OK;
}

static int set_number(const char *option, const char *text, double least, double most, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    if (end == text || *end || errno || !(*number >= least) || *number > most)
        return fm_usage_error("scale", "--%s needs a number from %g to %g, not '%s'", option, least, most, text);
    return FM_EXIT_OK;
}

static int set_count(const char *option, const char *text, size_t *number)
{
    if (!fm_parse_number(text, 1, 1000000000, number))
        return fm_usage_error("scale", "--%s needs a number from 1 on, not '%s'", option, text);
    return FM_EXIT_OK;
}

enum {
    OPTION_STRONG = 256,
    OPTION_WEAK,
    OPTION_SAME,
    OPTION_VIEW,
    OPTION_FORMAT,
    OPTION_THRESHOLD,
    OPTION_PROJECT,
    OPTION_PERCENT,
    OPTION_DEPTH,
    OPTION_TOP,
    OPTION_ALL,
    OPTION_DEBUG_PATH,
    /* of call paths */
    OPTION_FOCUS,
    OPTION_INSIDE_MPI,
    OPTION_FOLD_RECURSION,
};

static const struct option options[] = {
    {"strong", no_argument, NULL, OPTION_STRONG},
    {"weak", no_argument, NULL, OPTION_WEAK},
    {"same", no_argument, NULL, OPTION_SAME},
    {"view", required_argument, NULL, OPTION_VIEW},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},
    {"project", required_argument, NULL, OPTION_PROJECT},
    {"percent", required_argument, NULL, OPTION_PERCENT},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"top", required_argument, NULL, OPTION_TOP},
    {"all", no_argument, NULL, OPTION_ALL},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"focus", required_argument, NULL, OPTION_FOCUS},
    {"inside-mpi", no_argument, NULL, OPTION_INSIDE_MPI},
    {"fold-recursion", no_argument, NULL, OPTION_FOLD_RECURSION},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int set_option(struct request *request, int option, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    struct fm_scaling_options *wishes = &request->options;
    size_t number = 0;
    int index = 0, status;
    switch (option) {
    case OPTION_STRONG:
        return set_mode(request, FM_SCALE_STRONG);
    case OPTION_WEAK:
        return set_mode(request, FM_SCALE_WEAK);
    case OPTION_SAME:
        return set_mode(request, FM_SCALE_SAME);
    case OPTION_VIEW:
        status = set_word(fm_scaling_views, optarg, "view", &index);
        if (!status)
            wishes->view = (enum fm_scaling_view)index;
        return status;
    case OPTION_FORMAT:
        status = set_word(formats, optarg, "format", &index);
        if (!status)
            request->format = (enum format)index;
        return status;
    case OPTION_THRESHOLD:
        return set_number("threshold", optarg, 0, 1, &wishes->threshold);
    case OPTION_PROJECT:
        status = set_count("project", optarg, &number);
        if (!status)
            wishes->project = (uint32_t)number;
        return status;
    case OPTION_PERCENT:
        wishes->with_percent = true;
        return set_number("percent", optarg, 0, 100, &wishes->percent);
    case OPTION_DEPTH:
        return set_count("depth", optarg, &wishes->depth);
    case OPTION_TOP:
        return set_count("top", optarg, &wishes->top);
    case OPTION_ALL:
        wishes->all = true;
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->debug_path = optarg;
        return FM_EXIT_OK;
    case OPTION_FOCUS:
        wishes->focus = optarg;
        return FM_EXIT_OK;
    case OPTION_INSIDE_MPI:
        wishes->inside_mpi = true;
        return FM_EXIT_OK;
    case OPTION_FOLD_RECURSION:
        wishes->fold_recursion = true;
        return FM_EXIT_OK;
    case 'o':
        request->output = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("scale", option, argv);
    }
}

static int settle(struct request *request)
{
    if (!request->moded)
        return fm_usage_error("scale", "--strong, --weak or --same: what should the runs have in common");
    if (request->n_profiles < 2)
        return fm_usage_error("scale", "two profiles at least, to compare them");
    if (request->options.mode == FM_SCALE_SAME && request->n_profiles > 2)
        return fm_usage_error("scale", "--same compares two profiles, not %zu", request->n_profiles);
    if (request->n_profiles > FM_SCALE_RUNS)
        return fm_usage_error("scale", "at most %d profiles, not %zu", FM_SCALE_RUNS, request->n_profiles);
    if (request->options.mode == FM_SCALE_SAME && request->options.project)
        return fm_usage_error("scale", "--project belongs to --strong and --weak");
    enum fm_scaling_view view = request->options.view;
    if (request->of_paths && view >= FM_SCALING_MPI)
        return fm_usage_error("scale", "--%s belongs to the views calls, callers and flat, not to %s",
                              request->of_paths, fm_scaling_views[view]);
    if (request->of_paths && view == FM_SCALING_USUAL)
        request->options.view = FM_SCALING_CALLS;
    return FM_EXIT_OK;
}

/* FM_EXIT_OK with request->profiles NULL: help was asked for and given. */
static int parse(struct request *request, int argc, char **argv)
{
    int option, index = 0;
    *request = (struct request){.debug_path = getenv("FATHOM_DEBUG_PATH"),
                                .options = {.threshold = FM_EFFICIENCY_LEAST}};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:h", options, &index)) != -1) {
        if (option == 'h') {
            print_help();
            return FM_EXIT_OK;
        }
        if (option >= OPTION_FOCUS)
            request->of_paths = options[index].name;
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    request->profiles = argv + optind;
    request->n_profiles = (size_t)(argc - optind);
    return settle(request);
}

/* ---- names ---- */

/* What is said of names that cannot be found is mostly the same for all runs. */
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
    fprintf(stderr, "fathom scale: %s.\n", sentence);
}

static struct fm_symbols *make_symbols(const struct request *request, const struct fm_profile *profile,
                                       struct talk *talk)
{
    char cache[PATH_MAX];
    struct fm_symbols_options wishes = {
        .debug_path = request->debug_path,
        .directory = profile->job.cwd,
        .cache = fm_symbols_cache_directory(cache, sizeof cache),
        .say = say,
        .context = talk,
    };
    return fm_symbols_create(&wishes);
}

/* ---- runs ---- */

struct printer {
    const struct request *request;
    struct fm_scaling *scaling;
};

/* CSV has no place for them. */
static void print_notes(const struct fm_scaling *scaling)
{
    for (size_t i = 0; i < scaling->n_notes; i++) {
        fputs("fathom scale: ", stderr);
        fm_print_text(stderr, scaling->notes[i]);
        fputs(".\n", stderr);
    }
}

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    const struct printer *printer = context;
    switch (printer->request->format) {
    case FORMAT_JSON:
        return fm_scaling_json(printer->scaling, out, error);
    case FORMAT_CSV:
        print_notes(printer->scaling);
        return fm_scaling_csv(printer->scaling, out, error);
    default:
        return fm_scaling_text(printer->scaling, out, error);
    }
}

static enum fm_status compare(const struct request *request, struct fm_scaling_run *runs, struct fm_error *error)
{
    struct fm_scaling scaling;
    enum fm_status status = fm_scaling_open(&scaling, runs, request->n_profiles, &request->options, error);
    if (!status)
        status = fm_print_to(request->output, print, &(struct printer){request, &scaling}, error);
    fm_scaling_close(&scaling);
    return status;
}

int fm_cmd_scale(int argc, char **argv)
{
    struct request request;
    struct fm_scaling_run runs[FM_SCALE_RUNS] = {0};
    struct talk talk = {0};
    struct fm_error error = {0};
    enum fm_status status = FM_OK;
    size_t n = 0;
    int exit_status = parse(&request, argc, argv);
    if (exit_status || !request.profiles)
        return exit_status;
    for (; n < request.n_profiles && !status; n += !status) {
        struct fm_profile *profile;
        runs[n].file = request.profiles[n];
        status = fm_profile_read(runs[n].file, &profile, &error);
        if (!status) {
            runs[n].profile = profile;
            runs[n].symbols = make_symbols(&request, profile, &talk);
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
