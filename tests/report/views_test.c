/* Every view of a job made up by hand, against the text it should have (tests/report/golden/), and what all
 * views promise at any size: no long lines, no lost rows, nothing printed that a terminal would obey.
 *
 *   views_test --profile FILE    writes the incomplete sample for tests of the command
 *   views_test --golden FOLDER   writes the texts anew: read the difference before keeping them */
#include "report/views.h"

#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "merge/notes.h"
#include "model/note_codes.h"
#include "render/graph.h"
#include "report/report_json.h"
#include "report/sample.h"
#include "report/sample_files.h"
#include "tap.h"

static const struct golden {
    const char *name, *view;
    bool incomplete;
    struct fm_report_options options;
    bool resources, files;
} goldens[] = {
    {"summary", "summary", false, {0}},
    {"summary-incomplete", "summary", true, {0}},
    {"summary-all", "summary", false, {.all = true}},
    {"findings", "findings", false, {0}},
    {"efficiency", "efficiency", false, {0}},
    {"efficiency-incomplete", "efficiency", true, {0}},
    {"efficiency-from-first", "efficiency", false, {.from_first = "step"}},
    {"mpi", "mpi", false, {0}},
    {"mpi-site", "mpi", false, {.by = FM_REPORT_BY_SITE, .top = 3}},
    {"mpi-region", "mpi", false, {.by = FM_REPORT_BY_REGION}},
    {"mpi-comm", "mpi", false, {.by = FM_REPORT_BY_COMM}},
    {"mpi-histogram", "mpi", false, {.histogram = true, .top = 2}},
    {"sizes", "sizes", false, {0}},
    {"balance", "balance", false, {0}},
    {"split", "split", false, {0}, true},
    {"split-unknown", "split", false, {0}},
    {"memory", "memory", true, {0}, true},
    {"summary-no-cpu", "summary", false, {0}, true},
    {"topology", "topology", false, {0}},
    {"regions", "regions", false, {0}},
    {"snapshots", "snapshots", false, {0}},
    {"counters", "counters", false, {0}},
    {"io", "io", false, {0}, false, true},
    {"summary-io", "summary", false, {0}, false, true},
    {"terse", NULL, true, {0}},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

/* A view (NULL: the terse banner) in memory that the caller frees. */
static char *print_view(const struct fm_profile *profile, const char *name, const struct fm_report_options *options,
                        bool csv)
{
    char *text = NULL;
    size_t size;
    struct fm_report report;
    struct fm_error error = {0};
    FILE *out = open_memstream(&text, &size);
    if (!out || fm_report_open(&report, profile, NULL, options, &error))
        abort();
    const struct fm_view *view = name ? fm_view_find(name) : NULL;
    enum fm_status status = view ? (csv ? view->csv : view->text)(&report, out, &error)
                                 : fm_report_terse(&report, out, &error);
    fm_report_close(&report);
    fclose(out);
    if (status)
        abort();
    return text;
}

static char *print_golden(const struct golden *golden)
{
    struct fm_profile *profile = golden->incomplete ? sample_incomplete(8) : sample_profile(4);
    if (golden->resources)
        sample_add_resources(profile);
    if (golden->resources && golden->incomplete) /* a killed rank does not tell its last size */
        profile->processes[2].end_rss_bytes = FM_UNKNOWN;
    if (golden->files)
        sample_add_files(profile);
    char *text = print_view(profile, golden->view, &golden->options, false);
    fm_profile_destroy(profile);
    return text;
}

static char *read_whole(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fread(text, 1, (1 << 16) - 1, file) == 0)
            text[0] = 0;
        fclose(file);
    }
    return text;
}

static void test_goldens(const char *source)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tests/report/golden/%s.txt", source, goldens[i].name);
        char *wanted = read_whole(path), *text = print_golden(&goldens[i]);
        if (!tap_ok(strcmp(wanted, text) == 0, "%s as in golden/%s.txt", goldens[i].name, goldens[i].name))
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                printf("# %s\n", line);
        free(wanted);
        free(text);
    }
}

static int write_goldens(const char *folder)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.txt", folder, goldens[i].name);
        char *text = print_golden(&goldens[i]);
        FILE *file = fopen(path, "w");
        if (!file || fputs(text, file) < 0 || fclose(file))
            return 1;
        free(text);
    }
    return 0;
}

/* ---- what holds at any size ---- */

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return longest;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void test_sizes(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 33, 64, 65, 1024, 20000};
    struct fm_report_options options = {.histogram = true};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fm_profile *profile = sample_profile(sizes[i]);
        size_t longest = 0, most = 0;
        for (const struct fm_view *view = fm_views; view->name; view++) {
            char *text = print_view(profile, view->name, &options, false);
            longest = longest_line(text) > longest ? longest_line(text) : longest;
            most = count_lines(text) > most ? count_lines(text) : most;
            free(text);
        }
        tap_ok(longest <= 110, "%u ranks: longest line %zu", sizes[i], longest);
        tap_ok(most <= 110, "%u ranks: longest view %zu lines", sizes[i], most);
        char *terse = print_view(profile, NULL, &options, false);
        tap_ok(count_lines(terse) <= 12, "%u ranks: terse has %zu lines", sizes[i], count_lines(terse));
        char *csv = print_view(profile, "balance", &options, true);
        tap_ok(count_lines(csv) == sizes[i] + 1, "%u ranks: CSV has a line for each", sizes[i]);
        free(terse);
        free(csv);
        fm_profile_destroy(profile);
    }
}

static void test_empty(void)
{
    struct fm_profile *profile = fm_profile_create();
    struct fm_report_options options = {.histogram = true};
    size_t printed = 0, views = 0;
    for (const struct fm_view *view = fm_views; view->name; view++, views++) {
        char *text = print_view(profile, view->name, &options, false);
        char *csv = print_view(profile, view->name, &options, true);
        printed += *text != 0 && *csv != 0;
        free(text);
        free(csv);
    }
    tap_ok(printed == views && views >= 12, "an empty profile has all views");
    fm_profile_destroy(profile);
}

static void test_efficiency_picture(void)
{
    static const uint32_t parents[] = {FM_GRAPH_NONE, 0, 0, 2, 2};
    struct fm_profile *profile = sample_profile(4);
    struct fm_report report;
    struct fm_graph graph;
    struct fm_error error;
    const struct fm_report_options options = {0};
    bool good = !fm_report_open(&report, profile, NULL, &options, &error) &&
                !fm_view_efficiency_graph(&report, &graph, &error) && graph.n == sizeof parents / sizeof *parents;
    for (size_t i = 0; good && i < graph.n; i++)
        good = graph.nodes[i].parent == parents[i] && graph.nodes[i].share > 0;
    tap_ok(good && strcmp(graph.nodes[0].name, "parallel efficiency 73.3 %") == 0 &&
               strcmp(graph.nodes[1].name, "load balance 79.0 %") == 0,
           "the factors of the efficiency as a tree");
    fm_report_close(&report);
    fm_profile_destroy(profile);
}

/* A profile is a file from anywhere: what it names must not reach the terminal as commands. */
static void test_hostile(void)
{
    struct fm_profile *profile = sample_incomplete(8);
    const char *evil = "\033]0;x\007\n\xff";
    struct fm_report_options options = {.histogram = true, .by = FM_REPORT_BY_SITE};
    profile->job.exe = profile->job.user = profile->job.mpi = profile->job.tool = evil;
    profile->job.launcher = profile->job.language = profile->job.id = evil;
    profile->hosts[0].name = profile->hosts[0].cpu = evil;
    profile->processes[2].inside = profile->routines[0].name = profile->events[0].key.routine = evil;
    profile->events[0].key.site.module = profile->events[0].key.region = profile->regions[1].path = evil;
    profile->snapshots[0].label = evil;
    struct fm_note notes[] = {{.code = FM_NOTE_TEXT, .argument = evil, .text = evil},
                              {.code = FM_NOTE_INVALID_SETTING, .argument = evil, .text = ""},
                              {.code = 70000, .argument = evil, .text = ""}};
    profile->notes = notes;
    profile->n_notes = sizeof notes / sizeof *notes;
    profile->job.ranks = UINT32_MAX;
    profile->sent.items[3].to = FM_NO_RANK;
    profile->sent.items[3].bytes = UINT64_MAX;
    bool escaped = false;
    for (const struct fm_view *view = fm_views; view->name; view++) {
        char *text = print_view(profile, view->name, &options, false);
        escaped |= strpbrk(text, "\033\007\xff") != NULL;
        free(text);
    }
    char *terse = print_view(profile, NULL, &options, false);
    escaped |= strpbrk(terse, "\033\007\xff") != NULL;
    free(terse);
    tap_ok(!escaped, "names cannot command the terminal");
    fm_profile_destroy(profile);
}

static bool shows(const struct fm_profile *profile, const char *view, const char *wanted)
{
    struct fm_report_options options = {0};
    char *text = print_view(profile, view, &options, false);
    bool found = strstr(text, wanted) != NULL;
    free(text);
    return found;
}

/* Of many groups of ranks the first sentence names the two ends. */
static void test_groups(void)
{
    static const uint64_t seconds[] = {1, 1, 3, 3, 5, 5, 8, 8};
    struct fm_profile *profile = sample_profile(8);
    for (size_t i = 0; i < 8; i++)
        profile->processes[i].mpi_ns = seconds[i] * SECOND;
    const char *sentence = "Ranks 6-7 spend 5.0 s more in MPI than the rest and wait most; ranks 0-1 4.3 s less.\n";
    tap_ok(shows(profile, "balance", sentence), "four groups in one sentence");
    tap_ok(shows(profile, NULL, sentence), "whole in the terse banner too");
    fm_profile_destroy(profile);
}

static void test_cores(void)
{
    struct fm_profile *profile = sample_profile(8);
    profile->hosts[0].cores = 8;
    tap_ok(!shows(profile, "summary", "per core"), "a core for each rank goes without saying");
    profile->hosts[0].cores = 4;
    tap_ok(shows(profile, "summary", "8 ranks share 4 cores, and run 91 % of the time.") &&
               shows(profile, "summary", "\nranks     8 on 1 host, 2 per core\n"),
           "ranks that share cores are a finding");
    for (size_t i = 0; i < 8; i++)
        profile->processes[i].user_ns = 12 * SECOND;
    tap_ok(shows(profile, "summary", "\nranks     8 on 1 host, 2 per core: all times include waiting for a core\n"),
           "if that costs nothing, it is told with the number of ranks");
    fm_profile_destroy(profile);
}

/* What the ranks lacked is said before anything about balance. */
static void test_no_cpu(void)
{
    struct fm_profile *profile = sample_profile(4);
    sample_add_resources(profile);
    char *text = print_view(profile, "summary", &(struct fm_report_options){0}, false);
    const char *sentence = strstr(text, "The ranks had no CPU for 10 % of their time (rank 1: 20 %): ");
    tap_ok(sentence && strstr(text, ", 10 % without a CPU, ") && strstr(text, "Parallel efficiency") > sentence,
           "no CPU comes first");
    free(text);
    for (size_t i = 0; i < 4; i++)
        profile->processes[i].runqueue_ns = 12300 * MS / 100 * 4;
    tap_ok(!shows(profile, "summary", "had no CPU") && !shows(profile, NULL, "without a CPU"),
           "less than 5 %% are not mentioned");
    fm_profile_destroy(profile);
}

/* What MPI_Init takes is no transfer of the program. */
static void test_startup(void)
{
    struct fm_profile *profile = sample_profile(4);
    tap_ok(!shows(profile, "efficiency", "MPI_Init takes"), "starting MPI takes little");
    for (size_t i = 0; i < profile->n_routines; i++)
        if (!strcmp(profile->routines[i].name, "MPI_Init"))
            profile->routines[i].stats.total_ns = 4 * 1230 * MS;
    tap_ok(shows(profile, "efficiency", "MPI_Init takes 10 % of the time, which counts as transfer"), "or much");
    fm_profile_destroy(profile);
}

/* A read at the end of a file is a request, and has no size. */
static void test_end_of_file(void)
{
    struct fm_profile *profile = sample_profile(4);
    sample_add_files(profile);
    tap_ok(!shows(profile, "io", "transferred nothing"), "all requests have a size");
    profile->file_classes[0].io.reads += 2;
    tap_ok(shows(profile, "io", "\n2 more requests transferred nothing, as at the end of a file.\n"), "or not all");
    fm_profile_destroy(profile);
}

static void test_hosts(void)
{
    enum { HOSTS = 64 };
    struct fm_profile *profile = sample_profile(4);
    struct fm_host *one = profile->hosts, hosts[HOSTS];
    char names[HOSTS][24];
    for (int i = 0; i < HOSTS; i++) {
        hosts[i] = *one;
        hosts[i].cpu = "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz";
        hosts[i].cores = 80;
        hosts[i].memory_bytes = 0;
        snprintf(names[i], sizeof names[i], "node%03d", i + 1);
        hosts[i].name = names[i];
    }
    profile->hosts = hosts;
    profile->n_hosts = HOSTS;
    tap_ok(
        shows(
            profile, "summary",
            "\nhosts     64: node001, node002, ... (first: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz, 80 cores)\n"),
        "as many hosts as fit beside the hardware");
    for (int i = 0; i < HOSTS; i++)
        snprintf(names[i], sizeof names[i], "a-long-name-of-node%03d", i + 1);
    tap_ok(shows(profile, "summary", "\nhosts     64: a-long-name-of-node001, ... (first: 80 cores)\n"),
           "the CPU has no room beside long names");
    profile->hosts = one;
    profile->n_hosts = 1;
    fm_profile_destroy(profile);
}

/* Why there are no call paths, and which snapshots are missing. */
static void test_notes_of_views(void)
{
    struct fm_profile *profile = sample_profile(4);
    tap_ok(shows(profile, "calls", "No call paths were sampled; run again without --sample off\n"),
           "sampling was switched off");
    fm_profile_note(profile, FM_NOTE_UNSAMPLED_THREADS, "", 4, &(struct fm_rankset){0});
    tap_ok(shows(profile, "calls", "No call paths were sampled; threads not sampled:") &&
               !shows(profile, "modules", "--sample off"),
           "or the system refused timers");
    fm_profile_note(profile, FM_NOTE_REFUSED_SUBTOTALS, "", 3, &(struct fm_rankset){0});
    tap_ok(shows(profile, "snapshots", "snapshots dropped: a process keeps at most 16"),
           "dropped snapshots are noted in their view");
    fm_profile_destroy(profile);
}

/* What two equal runs would show as well is not worth a sentence. */
static void test_even_ranks(void)
{
    struct fm_profile *profile = sample_profile(4);
    for (size_t i = 0; i < profile->n_processes; i++) {
        profile->processes[i].wall_ns = 10000000000;
        profile->processes[i].mpi_ns = 3000000000 + 150000000 * i;
    }
    tap_ok(!shows(profile, "summary", "from rank") && !shows(profile, "summary", "the rest") &&
               shows(profile, NULL, "; balanced"),
           "no sentence about small differences");
    tap_ok(shows(profile, "balance", "All ranks spend the same time in MPI, within 450.0 ms.\n"), "but in their view");
    for (size_t i = 0; i < profile->n_processes; i++)
        profile->processes[i].mpi_ns += 150000000 * i;
    tap_ok(shows(profile, "summary", "MPI time rises gradually by 900.0 ms from rank 0 to rank 3.\n"), "larger ones");
    fm_profile_destroy(profile);
}

static void test_no_regions(void)
{
    struct fm_profile *profile = sample_profile(4);
    struct fm_report_options options = {.by = FM_REPORT_BY_REGION};
    char *named = print_view(profile, "mpi", &options, false);
    profile->n_regions = 1;
    for (size_t i = 0; i < profile->n_events; i++)
        profile->events[i].key.region = "";
    char *text = print_view(profile, "mpi", &options, false);
    tap_ok(strstr(text, "The program defines no regions") && !strstr(named, "defines no regions"),
           "by region without regions: how to name them");
    tap_ok(shows(profile, "regions", "The program defines no regions"), "and in the view of them");
    free(text);
    free(named);
    fm_profile_destroy(profile);
}

/* What is said of one rank without MPI has no extremes and no gaps. */
static void test_one_process(void)
{
    struct fm_profile *profile = sample_profile(1);
    profile->n_routines = profile->n_events = 0;
    profile->processes[0].mpi_ns = 0;
    profile->job.launcher = "";
    tap_ok(!shows(profile, "summary", "in MPI") && !shows(profile, NULL, "in MPI"), "without MPI no time in it");
    tap_ok(!shows(profile, "summary", "\n\n\n"), "nor a gap where its routines would be");
    tap_ok(shows(profile, "summary", "\njob       4711, user ada\n"), "a job without a launcher");
    fm_profile_destroy(profile);
}

static void test_symbols(void)
{
    static const struct fm_symbol pcg = {.function = "pcg", .path = "/src/pcg.f90", .defined = "", .line = 118};
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){0});
    struct fm_profile *profile = sample_profile(4);
    for (size_t i = 0; i < profile->n_events; i++)
        if (profile->events[i].key.site.offset == 0x4a3c)
            fm_symbols_know(symbols, &profile->events[i].key.site, FM_RETURN_ADDRESS, &pcg, 1);
    struct fm_report report;
    struct fm_report_options options = {.by = FM_REPORT_BY_SITE};
    struct fm_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fm_report_open(&report, profile, symbols, &options, &error);
    fm_view_mpi_text(&report, out, &error);
    fm_report_json(&report, out, &error);
    fm_report_close(&report);
    fclose(out);
    tap_ok(strstr(text, "pcg (pcg.f90:118)") && strstr(text, "miniocean+0x31a0"), "symbols name the sites they know");
    tap_ok(strstr(text, "\"function\": \"pcg\", \"file\": \"pcg.f90\", \"line\": 118"), "also in JSON");
    free(text);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
}

int main(int argc, char **argv)
{
    const char *source = getenv("FATHOM_SOURCE");
    if (argc == 3 && strcmp(argv[1], "--golden") == 0)
        return write_goldens(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--profile") == 0) {
        struct fm_error error;
        struct fm_profile *profile = sample_incomplete(8);
        bool failed = fm_profile_write(profile, argv[2], &error) != FM_OK;
        fm_profile_destroy(profile);
        return failed;
    }
    test_goldens(source ? source : ".");
    test_sizes();
    test_empty();
    test_hostile();
    test_groups();
    test_cores();
    test_no_cpu();
    test_startup();
    test_end_of_file();
    test_hosts();
    test_notes_of_views();
    test_even_ranks();
    test_no_regions();
    test_one_process();
    test_symbols();
    test_efficiency_picture();
    return tap_done();
}
