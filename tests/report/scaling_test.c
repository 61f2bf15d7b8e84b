/* `fathom scale` of runs made up by hand: its text against golden/scale-*.txt, trees of what was measured, and what is
 * said of runs that do not fit.
 *
 *   scaling_test --golden FOLDER     writes the texts anew: read the difference before keeping them
 *   scaling_test --profiles FOLDER   writes profiles for the tests of the command */
#include "report/scaling.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/scaling/scale_measured.h"
#include "format/encode.h"
#include "merge/synthetic.h"
#include "report/module_comparison.h"
#include "report/sample_pop.h"
#include "tap.h"

typedef enum fm_status printer(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

/* In memory that the caller frees; "" after an error. */
static char *print_text(struct fm_profile *const *profiles, size_t n, const struct fm_scaling_options *wishes,
                        printer *print, struct fm_error *error)
{
    char *text = NULL;
    size_t size;
    struct fm_scaling scaling;
    struct fm_scaling_run runs[4] = {0};
    struct fm_symbols *symbols = pop_symbols();
    struct fm_scaling_options options = *wishes;
    static const char *const files[] = {"a.fathom", "b.fathom", "c.fathom", "d.fathom"};
    if (!options.threshold)
        options.threshold = 0.8;
    for (size_t i = 0; i < n; i++)
        runs[i] = (struct fm_scaling_run){.file = files[i], .profile = profiles[i], .symbols = symbols};
    FILE *out = open_memstream(&text, &size);
    *error = (struct fm_error){0};
    if (!fm_scaling_open(&scaling, runs, n, &options, error))
        print(&scaling, out, error);
    fm_scaling_close(&scaling);
    fclose(out);
    fm_symbols_destroy(symbols);
    return text;
}

/* ---- golden texts ---- */

static struct fm_timer timer_of(const char *name, const char *parent, uint32_t ranks, uint64_t total_ns,
                                uint64_t children_ns)
{
    struct fm_timer timer = {.name = name, .parent = parent, .children_ns = children_ns};
    for (uint32_t rank = 0; rank < ranks; rank++)
        fm_spread_add(&timer.total_ns, total_ns / ranks, rank);
    return timer;
}

/* The small ocean model, as it is where nothing was sampled, with timers; perfect but for what waits. */
static struct fm_profile *measured_profile(uint32_t ranks)
{
    struct fm_profile *profile = sample_profile(ranks);
    uint64_t wall = 0;
    profile->timers = sample_alloc(profile, 3 * sizeof *profile->timers);
    profile->n_timers = 3;
    for (uint32_t rank = 0; rank < ranks; rank++)
        wall += profile->processes[rank].wall_ns;
    uint64_t solve = ranks * 3 * SECOND, halo = 6 * SECOND;
    profile->timers[0] = timer_of("halo", "*", ranks, halo, 0);
    profile->timers[1] = timer_of("solve", "step", ranks, solve, halo / 2);
    profile->timers[2] = timer_of("step", "", ranks, wall - SECOND, solve + halo / 2);
    return profile;
}

static const struct golden {
    const char *name;
    bool pop;
    struct fm_scaling_options options;
    printer *print;
} goldens[] = {
    {"scale-calls", true, {0}, fm_scaling_text},
    {"scale-callers", true, {.view = FM_SCALING_CALLERS, .top = 12}, fm_scaling_text},
    {"scale-flat", true, {.view = FM_SCALING_FLAT, .percent = 5, .with_percent = true}, fm_scaling_text},
    {"scale-focus", true, {.focus = "diag_global"}, fm_scaling_text},
    {"scale-weak", true, {.mode = FM_SCALE_WEAK, .depth = 2}, fm_scaling_text},
    {"scale-same", true, {.mode = FM_SCALE_SAME, .top = 6}, fm_scaling_text},
    {"scale-csv", true, {.depth = 2}, fm_scaling_csv},
    {"scale-mpi", false, {.project = 256}, fm_scaling_text},
    {"scale-timers", false, {.view = FM_SCALING_TIMERS}, fm_scaling_text},
    {"scale-costs", false, {.view = FM_SCALING_COSTS}, fm_scaling_text},
    {"scale-costs-csv", false, {.view = FM_SCALING_COSTS}, fm_scaling_csv},
    {"scale-split", false, {.view = FM_SCALING_SPLIT}, fm_scaling_text},
    {"scale-split-csv", false, {.view = FM_SCALING_SPLIT}, fm_scaling_csv},
    {"scale-split-json", false, {.view = FM_SCALING_SPLIT}, fm_scaling_json},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

static char *print_golden(const struct golden *golden)
{
    struct fm_error error;
    struct fm_profile *profiles[3] = {golden->pop ? pop_profile(64) : measured_profile(64),
                                      golden->pop ? pop_profile(4) : measured_profile(4),
                                      golden->pop ? NULL : measured_profile(16)};
    size_t n = golden->pop ? 2 : 3;
    if (golden->options.view == FM_SCALING_SPLIT) { /* two machines; nothing is known of one run's time without a CPU */
        profiles[0]->hosts[0].cpu = "EPYC 7763";
        sample_add_resources(profiles[0]);
        sample_add_resources(profiles[1]);
    }
    char *text = print_text(profiles, n, &golden->options, golden->print, &error);
    for (size_t i = 0; i < n; i++)
        fm_profile_destroy(profiles[i]);
    return text;
}

static void golden_path(char *path, size_t size, const char *folder, const struct golden *golden)
{
    snprintf(path, size, "%s/%s.txt", folder, golden->name);
}

static void test_goldens(void)
{
    const char *source = getenv("FATHOM_SOURCE");
    char folder[4000], path[4200];
    snprintf(folder, sizeof folder, "%s/tests/report/golden", source ? source : ".");
    for (size_t i = 0; i < GOLDENS; i++) {
        static char wanted[1 << 16];
        golden_path(path, sizeof path, folder, &goldens[i]);
        FILE *file = fopen(path, "r");
        size_t length = file ? fread(wanted, 1, sizeof wanted - 1, file) : 0;
        wanted[length] = 0;
        if (file)
            fclose(file);
        char *text = print_golden(&goldens[i]);
        if (!tap_ok(strcmp(wanted, text) == 0, "%s as in golden/%s.txt", goldens[i].name, goldens[i].name))
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                printf("# %s\n", line);
        free(text);
    }
}

static int write_goldens(const char *folder)
{
    char path[4200];
    for (size_t i = 0; i < GOLDENS; i++) {
        golden_path(path, sizeof path, folder, &goldens[i]);
        char *text = print_golden(&goldens[i]);
        FILE *file = fopen(path, "w");
        if (!file || fputs(text, file) < 0 || fclose(file))
            return 1;
        free(text);
    }
    return 0;
}

/* ---- what was measured ---- */

static void test_measured(void)
{
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    struct fm_error error = {0};
    struct fm_profile *profile = measured_profile(8);
    uint64_t wall = 0, routines = 0, own = 0, mpi = 0;
    for (size_t i = 0; i < profile->n_processes; i++)
        wall += profile->processes[i].wall_ns;
    for (size_t i = 0; i < profile->n_routines; i++)
        routines += profile->routines[i].stats.total_ns;
    fm_measured_mpi(profile, NULL, &arena, &tree, &error);
    for (const struct fm_context *at = tree.root; at; at = fm_context_after(tree.root, at)) {
        own += at->own.of.sum_ns;
        mpi += at->id.kind == FM_CONTEXT_ROUTINE ? at->own.of.sum_ns : 0;
    }
    tap_ok(!error.status && tree.root->all.of.sum_ns == wall && own == wall,
           "every ns of the wall time is one context's own");
    tap_ok(mpi == routines, "and the routines have all that was in MPI");
    const struct fm_context *region = tree.root->first;
    while (region && strcmp(region->id.name, "barotropic") != 0)
        region = region->next;
    tap_ok(region && region->all.of.sum_ns == profile->regions[2].wall_ns, "a region has its wall time");
    tap_ok(region && region->first && strcmp(region->first->id.name, "pcg") == 0, "and the region in it below it");

    fm_measured_timers(profile, &arena, &tree, &error);
    const struct fm_context *step = tree.root->first;
    while (step && strcmp(step->id.name, "step") != 0)
        step = step->next;
    tap_ok(step && step->all.of.sum_ns == profile->timers[2].total_ns.sum &&
               step->own.of.sum_ns == step->all.of.sum_ns - profile->timers[2].children_ns && step->first &&
               strcmp(step->first->id.name, "solve") == 0,
           "a timer has its total, its exclusive time, and those started in it below it");
    tap_ok(tree.root->own.of.sum_ns == wall - step->all.of.sum_ns, "what no timer has is the program's own");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

/* A name may contain a '/': what nests is the same as in the view of regions. */
static void test_measured_regions(void)
{
    static const struct fm_region regions[] = {{.path = ""}, {.path = "sea/ice"}, {.path = "sea/ice/flow"}};
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    struct fm_error error = {0};
    struct fm_profile *profile = sample_profile(2);
    profile->regions = (struct fm_region *)regions;
    profile->n_regions = 3;
    fm_measured_mpi(profile, NULL, &arena, &tree, &error);
    const struct fm_context *region = tree.root->first;
    while (region && strcmp(region->id.name, "sea/ice") != 0)
        region = region->next;
    tap_ok(region && region->first && strcmp(region->first->id.name, "flow") == 0,
           "a region with '/' in its name is one region");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

/* ---- runs that do not fit ---- */

static void refused(struct fm_profile *a, struct fm_profile *b, struct fm_scaling_options options, const char *sentence)
{
    struct fm_error error;
    struct fm_profile *const profiles[] = {a, b};
    free(print_text(profiles, 2, &options, fm_scaling_text, &error));
    if (!tap_ok(error.status == FM_ERR_USAGE && strstr(error.text, sentence), "refused: %s", sentence))
        printf("# %s\n", error.text);
}

static void noted(struct fm_profile *a, struct fm_profile *b, enum fm_scale_mode mode, const char *sentence, bool is)
{
    struct fm_error error;
    struct fm_profile *const profiles[] = {a, b};
    const struct fm_scaling_options options = {.mode = mode};
    char *text = print_text(profiles, 2, &options, fm_scaling_text, &error);
    if (!tap_ok(!error.status && (strstr(text, sentence) != NULL) == is, "%s: %s", is ? "noted" : "nothing of",
                sentence))
        printf("# %s\n", text);
    free(text);
}

/* Modules over runs are noted of as well. */
static void compared(struct fm_profile *a, struct fm_profile *b, const char *sentence, bool is)
{
    struct fm_report reports[2];
    struct fm_report *const both[] = {&reports[0], &reports[1]};
    static const char *const files[] = {"a.fathom", "b.fathom"};
    const struct fm_report_options options = {0};
    struct fm_symbols *symbols = pop_symbols();
    struct fm_module_comparison runs;
    struct fm_error error = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (fm_report_open(&reports[0], a, symbols, &options, &error) ||
        fm_report_open(&reports[1], b, symbols, &options, &error) ||
        fm_module_comparison_make(both, files, 2, FM_SCALE_STRONG, &runs, &error) ||
        fm_module_comparison_text(&runs, out, &error))
        abort();
    fclose(out);
    if (!tap_ok((strstr(text, sentence) != NULL) == is, "modules, %s: %s", is ? "noted" : "nothing of", sentence))
        printf("# %s\n", text);
    free(text);
    fm_module_comparison_destroy(&runs);
    fm_report_close(&reports[0]);
    fm_report_close(&reports[1]);
    fm_symbols_destroy(symbols);
}

static void test_misfits(void)
{
    struct fm_profile *small = pop_profile(4), *large = pop_profile(8), *bare = sample_profile(16);
    struct fm_profile *incomplete = sample_incomplete(8);
    static const char *argv[] = {"pop", "--grid", "big"};
    refused(small, small, (struct fm_scaling_options){0},
            "a.fathom and b.fathom both have 4 ranks; use --same to compare runs of the same size");
    refused(small, bare, (struct fm_scaling_options){.view = FM_SCALING_FLAT},
            "b.fathom has no call paths; the available views are mpi and costs");
    refused(small, large, (struct fm_scaling_options){.view = FM_SCALING_TIMERS},
            "b.fathom has no timers; the available views are mpi, costs, calls, callers and flat");
    refused(small, large, (struct fm_scaling_options){.focus = "nobody"}, "no samples in function 'nobody'");
    noted(small, large, FM_SCALE_STRONG, "Note:", false);
    noted(small, bare, FM_SCALE_STRONG, "Note: these are different programs: pop (4 ranks), miniocean (16 ranks).",
          true);
    noted(incomplete, bare, FM_SCALE_STRONG, "Note: a.fathom is incomplete: 2 of 8 ranks did not end normally.", true);
    large->job.argv = argv;
    large->job.n_argv = 3;
    noted(small, large, FM_SCALE_STRONG, "Note: the arguments differ: '' (4 ranks), '--grid big' (8 ranks).", true);
    noted(small, large, FM_SCALE_WEAK, "Note:", false);
    large->job.build_id = "123";
    large->job.mpi = "MPICH 4.0.2";
    large->hosts[0].cores = 4;
    small->job.commit = large->job.commit = "";
    noted(small, large, FM_SCALE_WEAK, "Note: the runs used different builds of pop (4 ranks, 8 ranks).", true);
    small->job.commit = "v1.9";
    large->job.commit = "3f2a91c7d0e4b5a6978812f30c4d5e6f70819a2b";
    noted(small, large, FM_SCALE_WEAK,
          "Note: the runs used different builds of pop (4 ranks: commit v1.9, 8 ranks: commit 3f2a91c7d0).", true);
    noted(small, large, FM_SCALE_WEAK, "Note: the MPI differs: Open MPI 4.1.4 (4 ranks), MPICH 4.0.2 (8 ranks).", true);
    noted(small, large, FM_SCALE_WEAK, "Note: ranks had no cores of their own (8 ranks on 4 cores): ", true);
    compared(small, large, "Note: ranks had no cores of their own (8 ranks on 4 cores): ", true);
    compared(small, large, "Note: these are different programs", false);
    compared(small, small, "Note:", false);
    large->job.exe = "/opt/ice";
    compared(small, large, "Note: these are different programs: pop (4 ranks), ice (8 ranks).", true);
    fm_profile_destroy(small);
    fm_profile_destroy(large);
    fm_profile_destroy(bare);
    fm_profile_destroy(incomplete);
}

/* What ranks without cores of their own do is no verdict on the program, and the text begins with it. */
static void test_cores(void)
{
    struct fm_error error;
    struct fm_profile *profiles[] = {pop_profile(4), pop_profile(64)};
    const struct fm_scaling_options options = {.mode = FM_SCALE_WEAK};
    profiles[0]->hosts[0].cores = 2;
    char *text = print_text(profiles, 2, &options, fm_scaling_text, &error);
    tap_ok(strstr(text, "Note: ranks had no cores of their own (4 ranks on 2 cores): ") == text,
           "a lack of cores is first");
    tap_ok(!strstr(text, "better than ideal; ") && strstr(text, "lacked cores"),
           "nobody scales better than ideal because others lacked cores");
    tap_ok(!strstr(text, "does not scale"), "nothing is said not to scale");
    free(text);
    profiles[0]->hosts[0].cores = 64;
    for (size_t i = 0; i < profiles[1]->n_processes; i++)
        profiles[1]->processes[i].involuntary_switches = 1000000;
    text = print_text(profiles, 2, &options, fm_scaling_text, &error);
    tap_ok(strstr(text, " preemptions per second): times include") != NULL, "nor where ranks were preempted");
    free(text);
    for (size_t i = 0; i < 2; i++)
        fm_profile_destroy(profiles[i]);
}

/* What is not told from chance is marked, and never stands before what is. */
static void test_certainty(void)
{
    struct fm_error error;
    struct fm_profile *profiles[] = {pop_profile(4), pop_profile(64)};
    const struct fm_scaling_options options = {.all = true};
    for (size_t i = 0; i < 2; i++)
        profiles[i]->paths.period_ns[0] = profiles[i]->paths.period_ns[1] = 2 * SECOND;
    char *text = print_text(profiles, 2, &options, fm_scaling_text, &error);
    const char *uncertain = strstr(text, "~"), *last = strstr(text, "baroclinic::baroclinic_driver");
    tap_ok(uncertain && last && strstr(text, "~: not significant"), "losses within their error are marked");
    tap_ok(strstr(text, "1. ") && !strstr(text, "baroclinic::baroclinic_driver itself"), "and no verdict");
    free(text);
    for (size_t i = 0; i < 2; i++)
        fm_profile_destroy(profiles[i]);
}

/* Whatever is in the profiles: nothing is refused but views of what is not there, no line is long, and nothing reaches a
 * terminal as a command. */
static void test_random(void)
{
    printer *const printers[] = {fm_scaling_text, fm_scaling_json, fm_scaling_csv};
    uint64_t state = 7;
    size_t columns = 0;
    bool printed = true, escaped = false;
    for (size_t i = 0; i < 40; i++) {
        struct fm_profile *profiles[] = {fm_random_profile(&state, 4), fm_random_profile(&state, 4)};
        profiles[0]->job.exe = "/\033]0;x\007\n\xff";
        for (size_t view = FM_SCALING_CALLS; view <= FM_SCALING_SPLIT; view++) {
            for (size_t p = 0; p < 3; p++) {
                struct fm_error error;
                const struct fm_scaling_options options = {.mode = FM_SCALE_SAME, .view = view, .all = i % 2};
                char *text = print_text(profiles, 2, &options, printers[p], &error);
                printed &= error.status == FM_OK ? text[0] != 0 : error.status == FM_ERR_USAGE;
                escaped |= p == 0 && strpbrk(text, "\033\007\xff");
                for (const char *line = text; p == 0 && *line; line += strcspn(line, "\n") + 1)
                    columns = strcspn(line, "\n") > columns ? strcspn(line, "\n") : columns;
                free(text);
            }
        }
        fm_profile_destroy(profiles[0]);
        fm_profile_destroy(profiles[1]);
    }
    tap_ok(printed, "runs with anything in them are compared");
    tap_ok(!escaped && columns <= FM_TEXT_LIMIT, "their text is safe, and takes %zu columns", columns);
}

/* ---- for the tests of the command ---- */

static int write_profiles(const char *folder)
{
    const struct {
        const char *name;
        struct fm_profile *profile;
    } files[] = {
        {"pop4", pop_profile(4)},         {"pop64", pop_profile(64)},        {"bare4", measured_profile(4)},
        {"bare16", measured_profile(16)}, {"killed8", sample_incomplete(8)},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4200];
        struct fm_error error;
        snprintf(path, sizeof path, "%s/%s.fathom", folder, files[i].name);
        if (fm_profile_write(files[i].profile, path, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        fm_profile_destroy(files[i].profile);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--golden") == 0)
        return write_goldens(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--profiles") == 0)
        return write_profiles(argv[2]);
    test_goldens();
    test_measured();
    test_measured_regions();
    test_misfits();
    test_cores();
    test_certainty();
    test_random();
    return tap_done();
}
