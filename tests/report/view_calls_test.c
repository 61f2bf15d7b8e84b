/* The views of call paths against the texts they should have (tests/report/golden/), and what they promise.
 *
 *   view_calls_test --golden FOLDER       writes the texts anew: read the difference before keeping them
 *   view_calls_test --write FORMAT FILE   writes the sample as json, or as one of the exports, for export_test.py */
#include "report/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "export/export.h"
#include "format/encode.h"
#include "merge/notes.h"
#include "render/chart.h"
#include "render/graph.h"
#include "report/report_json.h"
#include "report/sample_paths.h"
#include "report/sequence_style.h"
#include "tap.h"

static const char *folder(void)
{
    static char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/report/golden", source ? source : ".");
    return path;
}

static enum fm_status print_json(struct fm_report *report, FILE *out, struct fm_error *error)
{
    return fm_report_json(report, out, error);
}

typedef enum fm_status printer(struct fm_report *report, FILE *out, struct fm_error *error);

static enum fm_status print_to(FILE *out, printer *print, const struct fm_profile *profile,
                               const struct fm_report_options *options, struct fm_error *error)
{
    struct fm_report report;
    struct fm_symbols *symbols = sample_symbols(folder());
    enum fm_status status = fm_report_open(&report, profile, symbols, options, error);
    if (!status) {
        status = print(&report, out, error);
        fm_report_close(&report);
    }
    fm_symbols_destroy(symbols);
    return status;
}

/* In memory that the caller frees. */
static char *print_text(printer *print, const struct fm_profile *profile, const struct fm_report_options *options,
                        struct fm_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_to(out, print, profile, options, error);
    fclose(out);
    return text;
}

static char *sample_text(printer *print, const struct fm_report_options *options, struct fm_error *error)
{
    struct fm_profile *profile = sample_sampled();
    char *text = print_text(print, profile, options, error);
    fm_profile_destroy(profile);
    return text;
}

static enum fm_status write_modules_dot(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_graph graph;
    enum fm_status status = fm_view_modules_graph(report, &graph, error);
    return status ? status : fm_graph_dot(&graph, out);
}

static const struct golden {
    const char *name;
    printer *print;
    struct fm_report_options options;
} goldens[] = {
    {"calls", fm_view_calls_text, {0}},
    {"calls-top", fm_view_calls_text, {.top = 5}},
    {"calls-focus", fm_view_calls_text, {.focus = "refine"}},
    {"calls-depth", fm_view_calls_text, {.depth = 2, .sorted = true, .sort = FM_BY_IMBALANCE}},
    {"calls-percent", fm_view_calls_text, {.with_percent = true, .percent = 10}},
    {"callers", fm_view_callers_text, {0}},
    {"callers-focus", fm_view_callers_text, {.focus = "pcg"}},
    {"flat", fm_view_flat_text, {0}},
    {"calls-csv", fm_view_calls_csv, {.with_percent = true, .percent = 20}},
    {"modules", fm_view_modules_text, {0}},
    {"modules-top", fm_view_modules_text, {.top = 2}},
    {"modules-csv", fm_view_modules_csv, {0}},
    {"modules-dot", write_modules_dot, {0}},
    {"sequence", fm_view_sequence_text, {0}},
    {"sequence-top", fm_view_sequence_text, {.top = 2}},
    {"sequence-csv", fm_view_sequence_csv, {0}},
    {"sequence-svg", fm_view_sequence_svg, {0}},
    {"outside", fm_view_summary_text, {0}},
    {"outside-terse", fm_report_terse, {0}},
    {"outside-mpi", fm_view_mpi_text, {0}},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

/* What is left of the sample if it is taken from outside. */
static struct fm_profile *sample_from_outside(void)
{
    struct fm_profile *profile = sample_sampled();
    struct fm_range all = {0, profile->job.ranks - 1};
    profile->n_routines = profile->n_events = profile->n_regions = profile->n_snapshots = profile->n_notes = 0;
    profile->sent = profile->received = (struct fm_edges){0};
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *measured = &profile->processes[i];
        profile->processes[i] = (struct fm_process){
            .rank = measured->rank, .end = FM_END_UNKNOWN, .wall_ns = measured->wall_ns, .inside = ""};
    }
    fm_profile_note_outside(profile, &(struct fm_rankset){&all, 1, 1});
    return profile;
}

static char *golden_text(const struct golden *golden, struct fm_error *error)
{
    bool outside = strncmp(golden->name, "outside", 7) == 0;
    struct fm_profile *profile = outside ? sample_from_outside() : sample_sampled();
    char *text = print_text(golden->print, profile, &golden->options, error);
    fm_profile_destroy(profile);
    return text;
}

static void test_goldens(void)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        static char wanted[1 << 16];
        char path[4200];
        struct fm_error error = {0};
        snprintf(path, sizeof path, "%s/%s.txt", folder(), goldens[i].name);
        FILE *file = fopen(path, "r");
        size_t length = file ? fread(wanted, 1, sizeof wanted - 1, file) : 0;
        wanted[length] = 0;
        if (file)
            fclose(file);
        char *text = golden_text(&goldens[i], &error);
        if (!tap_ok(strcmp(wanted, text) == 0, "%s as in golden/%s.txt", goldens[i].name, goldens[i].name))
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                printf("# %s\n", line);
        free(text);
    }
}

static int write_goldens(const char *to)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        char path[4200];
        struct fm_error error;
        snprintf(path, sizeof path, "%s/%s.txt", to, goldens[i].name);
        char *text = golden_text(&goldens[i], &error);
        FILE *file = fopen(path, "w");
        if (!file || fputs(text, file) < 0 || fclose(file))
            return 1;
        free(text);
    }
    return 0;
}

static int write_format(const char *name, const char *path)
{
    struct fm_error error = {0};
    const struct fm_export *format = fm_exports;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    struct fm_profile *profile = sample_sampled();
    FILE *out = fopen(path, "w");
    if (!out)
        return 1;
    enum fm_status status = print_to(out, format->name ? format->write : print_json, profile,
                                     &(struct fm_report_options){0}, &error);
    fm_profile_destroy(profile);
    return fclose(out) || status;
}

static void test_summary(void)
{
    struct fm_error error;
    char *text = sample_text(fm_view_summary_text, &(struct fm_report_options){0}, &error);
    tap_ok(strstr(text, "\nHot path: main > ocean::step > solver::pcg > solver::dot > MPI_Allreduce at solver.f90:4, "
                        "41 % of\n  the time (--view calls).\n") != NULL,
           "the summary has the hot path");
    free(text);
}

static void test_focus(void)
{
    struct fm_error error = {0};
    free(sample_text(fm_view_calls_text, &(struct fm_report_options){.focus = "nobody"}, &error));
    tap_ok(error.status == FM_ERR_USAGE && strstr(error.text, "'nobody'"), "a function that is not there is told of");
}

/* A library without debug information between main and the function that uses the time. */
static void test_callers_without_lines(void)
{
    struct fm_profile *profile = sample_profile(4);
    struct fm_call_paths paths = {.n = 4, .samples = 1, .period_ns = {1, 1}};
    struct fm_error error = {0};
    paths.nodes = sample_alloc(profile, paths.n * sizeof *paths.nodes);
    paths.nodes[0] = (struct fm_path_node){.kind = FM_PATH_ROOT, .site = {"", "", 0}, .routine = ""};
    paths.nodes[1] = (struct fm_path_node){.kind = FM_PATH_CALL, .site = {OCEAN, "", 0x110}, .routine = ""};
    paths.nodes[2] = (struct fm_path_node){.parent = 1, .kind = FM_PATH_CALL, .site = {LIBX, "", 0x900}, .routine = ""};
    paths.nodes[3] = (struct fm_path_node){.parent = 2,
                                           .kind = FM_PATH_LEAF,
                                           .site = {LIBZ, "", 0x300},
                                           .routine = "",
                                           .own = fm_path_cost_of(1000 * MS, 0)};
    fm_call_paths_inclusive(&paths, 0);
    fm_merge_paths(profile, &paths, &profile->arena);
    char *text = print_text(fm_view_callers_text, profile, &(struct fm_report_options){0}, &error);
    const char *function = strstr(text, "deflate  [libz.so.1]\n");
    const char *unnamed = function ? strstr(function, "<- [libx.so]\n") : NULL;
    tap_ok(unnamed && strstr(unnamed, "<- main  at ocean.f90:14\n"),
           "a caller without a line is shown, and its callers");
    free(text);
    fm_profile_destroy(profile);
}

/* What no rank tells of. */
static void test_not_known(void)
{
    struct fm_profile *profile = sample_sampled();
    struct fm_report_options options = {0};
    struct fm_error error = {0};
    profile->paths.n_shares = 0;
    char *text = print_text(fm_view_calls_text, profile, &options, &error);
    tap_ok(strstr(text, "*   54.0  13.3  17.5 s      -        -       - |  |  |- solver::dot (i)") &&
               strstr(text, "; -: unknown.\n"),
           "what is not known of ranks is shown as not known");
    free(text);
    text = print_text(fm_view_calls_csv, profile, &options, &error);
    tap_ok(strstr(text, "1.465543841,,,,,1") != NULL, "is empty in CSV");
    free(text);
    text = print_text(print_json, profile, &options, &error);
    tap_ok(strstr(text, "{ \"min\": null, \"min_rank\": null, \"max\": null, \"max_rank\": null, \"avg\": ") != NULL,
           "and null in JSON");
    free(text);
    fm_profile_destroy(profile);
}

/* Names are from anywhere, and trees of any shape: nothing reaches the terminal as a command, lines stay short. */
static void test_hostile(void)
{
    enum { DEEP = FM_CALL_PATHS_DEPTH };
    struct fm_profile *profile = sample_profile(4);
    struct fm_call_paths paths = {.n = DEEP + 1, .samples = 1, .period_ns = {1, 1}};
    char name[] = "\033]0;x\007\n\xff/;", longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    paths.nodes = sample_alloc(profile, paths.n * sizeof *paths.nodes);
    for (uint32_t i = 0; i <= DEEP; i++)
        paths.nodes[i] = (struct fm_path_node){
            .parent = i ? i - 1 : 0,
            .kind = i == 0      ? FM_PATH_ROOT
                    : i == DEEP ? FM_PATH_LEAF
                                : FM_PATH_CALL,
            .site = {i == 0  ? ""
                     : i % 2 ? name
                             : longest,
                     "", i},
            .routine = "",
            .own = fm_path_cost_of(i ? 1 + i % 7 : 0, 0),
        };
    fm_call_paths_inclusive(&paths, 0);
    fm_merge_paths(profile, &paths, &profile->arena);
    struct fm_report_options options = {.all = true};
    printer *const views[] = {fm_view_calls_text, fm_view_callers_text, fm_view_flat_text};
    bool escaped = false, printed = true;
    size_t columns = 0;
    for (size_t v = 0; v < 3; v++) {
        struct fm_error error = {0};
        char *text = print_text(views[v], profile, &options, &error);
        escaped |= strpbrk(text, "\033\007\xff") != NULL;
        printed &= text[0] && !error.status;
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
            columns = strcspn(line, "\n") > columns ? strcspn(line, "\n") : columns;
        free(text);
    }
    tap_ok(printed && !escaped, "names cannot command the terminal");
    tap_ok(columns <= FM_TEXT_LIMIT, "deep trees and long names take %zu columns", columns);
    bool written = true;
    for (const struct fm_export *format = fm_exports; format->name; format++) {
        struct fm_error error = {0};
        char *text = print_text(format->write, profile, &options, &error);
        written &= text[0] && !error.status;
        free(text);
    }
    struct fm_error error = {0};
    free(print_text(print_json, profile, &options, &error));
    tap_ok(written && !error.status, "and are exported");
    fm_profile_destroy(profile);
}

/* Costs go another way in the second run, and a module is seen that the first has not met. */
static void test_looks_stay(void)
{
    struct fm_arena arena = {0};
    struct fm_sequence_module first[] = {{.name = "barotropic", .ns = {60}},
                                         {.name = "baroclinic", .ns = {40}},
                                         {.name = "ice", .ns = {30, 4, 6}},
                                         {.name = "io", .ns = {0, 0, 9}}},
                              second[] = {{.name = "ice", .ns = {50, 10, 20}},
                                          {.name = "baroclinic", .ns = {45}},
                                          {.name = "barotropic", .ns = {35}},
                                          {.name = "io", .ns = {0, 0, 9}},
                                          {.name = "atmosphere", .ns = {1}}};
    const struct fm_module_sequence one = {.modules = first, .n_modules = 4, .n_named = 4, .ns = {130, 4, 15}},
                                    other = {.modules = second, .n_modules = 5, .n_named = 5, .ns = {131, 10, 29}};
    char letters[5] = "", others[6] = "";
    unsigned colours[4], other_colours[5];
    fm_sequence_letters(&one, &arena, letters);
    fm_sequence_letters(&other, &arena, others);
    tap_ok(strcmp(letters, "ABIO") == 0 && strcmp(others, "IBAOT") == 0, "in another run too: %s, %s", letters, others);
    fm_sequence_colours(&one, &arena, colours);
    fm_sequence_colours(&other, &arena, other_colours);
    tap_ok(colours[0] == other_colours[2] && colours[1] == other_colours[1] && colours[2] == other_colours[0] &&
               colours[3] == other_colours[3],
           "and their colours");
    bool distinct = true;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < i; k++)
            distinct &= other_colours[i] != other_colours[k];
    tap_ok(distinct, "which differ");
    fm_arena_destroy(&arena);
}

/* What a module file names keeps its style whatever the modules cost and whichever of them occur: here the second run
 * lacks the module with most cost, and there are more modules than colours. */
static void test_styles_of_file(void)
{
    struct fm_arena arena = {0};
    static const char *const names[] = {"solver", "setup",   "ice",   "ocean", "waves", "tides",  "io",
                                        "grid",   "forcing", "state", "halo",  "mpi",   "system", "model"};
    enum { N = sizeof names / sizeof *names };
    struct fm_sequence_module one[N], other[N];
    char letters[N + 1] = "", others[N + 1] = "";
    unsigned colours[N], other_colours[N];
    for (uint32_t i = 0; i < N; i++) {
        one[i] = (struct fm_sequence_module){.name = names[i], .in = {100 - i}, .place = i + 1};
        other[N - 1 - i] = (struct fm_sequence_module){.name = names[i], .in = {i}, .place = i + 1};
    }
    const struct fm_module_sequence first = {.modules = one, .n_modules = N, .n_named = N, .in = {1309}},
                                    second = {.modules = other, .n_modules = N - 1, .n_named = N, .in = {91}};
    fm_sequence_letters(&first, &arena, letters);
    fm_sequence_letters(&second, &arena, others);
    fm_sequence_colours(&first, &arena, colours);
    fm_sequence_colours(&second, &arena, other_colours);
    bool same = true, distinct = true;
    for (size_t i = 0; i < N; i++) {
        same &= letters[i] == others[N - 1 - i] && colours[i] == other_colours[N - 1 - i];
        for (size_t k = 0; k < i && i < FM_CHART_OTHER; k++)
            distinct &= colours[i] != colours[k];
    }
    tap_ok(same, "with a module file the styles depend on it alone: %s, %s", letters, others);
    tap_ok(distinct && colours[0] != FM_CHART_OTHER && colours[N - 1] == FM_CHART_OTHER,
           "the first modules of the file have colours of their own");
    fm_arena_destroy(&arena);
}

/* The first letter of its name, the next free one if a module that is before it by name has that, then of the alphabet;
 * and signs for those that have none. */
static void test_letters(void)
{
    struct fm_arena arena = {0};
    static const char *const first[] = {"ocean", "ice", "coupler", "occ"};
    enum { N = 24 };
    struct fm_sequence_module modules[N];
    char letters[N + 1] = "";
    for (size_t i = 0; i < N; i++)
        modules[i] = (struct fm_sequence_module){.name = i < 4 ? first[i] : "~"};
    fm_sequence_letters(&(struct fm_module_sequence){.modules = modules, .n_modules = N, .n_named = N}, &arena,
                        letters);
    tap_ok(strcmp(letters, "EICOABDFGHJKLMNPQRST****") == 0, "modules have letters: %s", letters);
    const struct fm_module_moment moments[] = {{0, FM_MODULE_WORK},    {1, FM_MODULE_WORK}, {1, FM_MODULE_TRANSFER},
                                               {1, FM_MODULE_WAITING}, {N, FM_MODULE_WORK}, {N, FM_MODULE_WAITING}};
    char signs[7] = "";
    for (size_t i = 0; i < 6; i++)
        signs[i] = fm_sequence_sign(letters, &moments[i]);
    tap_ok(strcmp(signs, " E=e*.") == 0, "and what waits small ones, and transfer a sign: '%s'", signs);
    fm_arena_destroy(&arena);
}

/* What is sent is neither work nor waiting. */
static void test_transfer(void)
{
    static const struct fm_report_options options = {0};
    struct fm_error error = {0};
    struct fm_profile *profile = sample_sampled();
    for (size_t i = 0; i < profile->paths.n; i++)
        if (profile->paths.nodes[i].kind == FM_PATH_ROUTINE)
            profile->paths.nodes[i].routine = "MPI_Send";
    char *text = print_text(fm_view_sequence_text, profile, &options, &error);
    tap_ok(strncmp(text, "miniocean: no waiting; transfer 41 %; most work is in", 53) == 0 &&
               strstr(text, "\nrank 0 ==============================SSS") && strstr(text, ", = transfer.\n") &&
               strstr(text, "\nS  solver.f90    26.2        40.6\n"),
           "sending is transfer");
    free(text);
    text = print_text(fm_view_sequence_csv, profile, &options, &error);
    tap_ok(strstr(text, ",solver.f90,transfer\r\n") && !strstr(text, "waiting"), "in CSV");
    free(text);
    text = print_text(fm_view_sequence_svg, profile, &options, &error);
    tap_ok(strstr(text, "<path stroke=\"#5a1b60\" stroke-width=\"11.0\" d=") &&
               strstr(text, "rank 0: solver.f90, transfer 42 % of the time</title>") &&
               strstr(text, ">solver.f90: work 26 %, transfer 41 %</text>"),
           "and in the picture");
    free(text);
    text = print_text(fm_view_modules_text, profile, &options, &error);
    tap_ok(strstr(text, "refine.f90 (7 %); MPI 41 %:\n  transfer 41 %.\n") != NULL, "of modules, too");
    free(text);
    fm_profile_destroy(profile);
}

/* As from fathom attach for a short time: a letter for each, and nothing that nobody has seen. */
static void test_few_samples(void)
{
    struct fm_error error = {0};
    struct fm_profile *profile = sample_sampled();
    profile->paths.sequence.n_cells = 4;
    char *text = print_text(fm_view_sequence_text, profile, &(struct fm_report_options){0}, &error);
    tap_ok(strstr(text, "\nrank 0 s                      s                      s                      s\n") &&
               strstr(text, "\nrank 1                        s                      s                      s\n"),
           "a sample is one letter");
    tap_ok(strstr(text, "Blanks: no sample.") != NULL, "and what that means is told");
    free(text);
    text = print_text(fm_view_sequence_svg, profile, &(struct fm_report_options){0}, &error);
    tap_ok(strstr(text, "d=\"M90.0 64.0H98.0M340.0 64.0H348.0M590.0 64.0H598.0M840.0 64.0H848.0\"") != NULL,
           "and in the picture one mark");
    free(text);
    fm_profile_destroy(profile);
}

static void test_ticks(void)
{
    static const struct {
        double seconds, most;
        const char *wanted;
    } ticks[] = {{1, 2.2, "1 s"},
                 {0.5, 2.2, "0.5 s"},
                 {0.25, 1, "0.25 s"},
                 {0.1 + 0.2, 0.9, "300 ms"},
                 {0, 1, "0"},
                 {25e-6, 1e-4, "25 us"},
                 {2500, 12000, "2,500 s"},
                 {3600.05, 3600.2, "3,600.05 s"},
                 {0.001, 0.001, "1 ms"},
                 {0.0075, 0.01, "7.5 ms"}};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        char text[FM_UNIT_CHARS];
        const char *tick = fm_chart_tick(text, ticks[i].seconds, ticks[i].most);
        tap_ok(strcmp(tick, ticks[i].wanted) == 0, "%s at an axis", tick);
    }
}

static void test_nothing(void)
{
    struct fm_error error = {0};
    struct fm_profile *profile = sample_profile(4);
    char *text = print_text(fm_view_calls_text, profile, &(struct fm_report_options){0}, &error);
    tap_ok(strstr(text, "No call paths were sampled") && !error.status, "a job that was not sampled says so");
    free(text);
    text = print_text(fm_view_sequence_text, profile, &(struct fm_report_options){0}, &error);
    tap_ok(strstr(text, "No sequence was recorded") && !error.status, "nor has it a sequence");
    free(text);
    struct fm_report report;
    fm_report_open(&report, profile, NULL, &(struct fm_report_options){0}, &error);
    tap_ok(fm_export_write(fm_exports, &report, stdout, &error) == FM_ERR_INPUT, "and is not exported");
    struct fm_graph graph;
    tap_ok(fm_view_calls_graph(&report, &graph, &error) == FM_ERR_INPUT &&
               fm_view_modules_graph(&report, &graph, &error) == FM_ERR_INPUT &&
               fm_view_sequence_svg(&report, stdout, &error) == FM_ERR_INPUT,
           "nor drawn");
    fm_report_close(&report);
    fm_profile_destroy(profile);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--golden") == 0)
        return write_goldens(argv[2]);
    if (argc == 4 && strcmp(argv[1], "--write") == 0)
        return write_format(argv[2], argv[3]);
    test_goldens();
    test_summary();
    test_focus();
    test_not_known();
    test_callers_without_lines();
    test_hostile();
    test_letters();
    test_looks_stay();
    test_styles_of_file();
    test_transfer();
    test_few_samples();
    test_ticks();
    test_nothing();
    return tap_done();
}
