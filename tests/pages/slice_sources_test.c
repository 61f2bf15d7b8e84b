/* Which source files are shown, and the costs of their lines. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "merge/merge.h"
#include "merge/parts.h"
#include "pages/slices.h"
#include "report/sample.h"
#include "tap.h"

#define PROGRAM "/opt/ocean/bin/miniocean"

static char base[4096], allowed[4200];

static const char *in_base(const char *name)
{
    static char paths[4][4200];
    static unsigned at;
    char *path = paths[at++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t size, off_t length)
{
    FILE *file = fopen(in_base(name), "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fflush(file) || ftruncate(fileno(file), length) ||
        fclose(file))
        abort();
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text), (off_t)strlen(text));
}

static void make_files(void)
{
    const char *parent = getenv("TMPDIR");
    char made[4096];
    snprintf(made, sizeof made, "%s/sources-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(made) || !realpath(made, base))
        abort();
    snprintf(allowed, sizeof allowed, "%s/allowed", base);
    bool failed = mkdir(allowed, 0755) || mkdir(in_base("secret"), 0755) || mkdir(in_base("allowed-not"), 0755);
    write_text("allowed/plain.f90", "first \"line\"\n\tsecond\xff </script>\n");
    write_text("allowed/relative.f90", "relative\n");
    write_text("allowed/unnamed.f90", "no sample is in here\n");
    write_text("secret/secret.f90", "secret\n");
    write_text("allowed-not/near.f90", "secret\n");
    write_bytes("allowed/binary.f90", "a\0b", 3, 3);
    write_bytes("allowed/large.f90", "", 0, (2 << 20) + 1);
    failed |= symlink("../secret/secret.f90", in_base("allowed/link.f90")) ||
              symlink("../secret", in_base("allowed/folder")) || symlink("../allowed", in_base("secret/back")) ||
              mkfifo(in_base("allowed/pipe.f90"), 0644);
    if (failed)
        abort();
}

static void remove_files(void)
{
    static const char *const names[] = {
        "allowed/plain.f90",    "allowed/relative.f90", "allowed/unnamed.f90", "secret/secret.f90",
        "allowed-not/near.f90", "allowed/binary.f90",   "allowed/large.f90",   "allowed/link.f90",
        "allowed/folder",       "secret/back",          "allowed/pipe.f90",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_base(names[i]));
    rmdir(in_base("allowed"));
    rmdir(in_base("secret"));
    rmdir(in_base("allowed-not"));
    rmdir(base);
}

/* ---- a job ---- */

/* The files that the profile names; the first two and the relative one may be shown. */
static const char *const named[] = {
    "allowed/plain.f90",
    "secret/back/plain.f90",
    "allowed/link.f90",
    "allowed/folder/secret.f90",
    "secret/secret.f90",
    "allowed/../secret/secret.f90",
    "allowed-not/near.f90",
    "allowed/binary.f90",
    "allowed/large.f90",
    "allowed/pipe.f90",
    "allowed",
    "allowed/missing.f90",
};
enum { NAMED = sizeof named / sizeof *named };

static void know(struct fm_symbols *symbols, uint64_t offset, enum fm_address kind, const char *function,
                 const char *path, uint32_t line)
{
    struct fm_symbol frame = {.function = function, .path = path, .file = "", .line = line, .defined = path};
    fm_symbols_know(symbols, &(struct fm_site){PROGRAM, "", offset}, kind, &frame, 1);
}

/* main calls f at line 1, f calls itself at line 2, twice; samples in line 2 itself too, and in one line of every file. */
static struct fm_symbols *make_symbols(void)
{
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.directory = allowed, .threads = 1});
    know(symbols, 0x10, FM_RETURN_ADDRESS, "main", in_base(named[0]), 1);
    know(symbols, 0x20, FM_RETURN_ADDRESS, "f", in_base(named[0]), 2);
    know(symbols, 0x30, FM_SAMPLED_ADDRESS, "f", in_base(named[0]), 2);
    know(symbols, 0x40, FM_SAMPLED_ADDRESS, "f", "relative.f90", 1);
    for (uint32_t i = 0; i < NAMED; i++)
        know(symbols, 0x100 + i, FM_SAMPLED_ADDRESS, "g", in_base(named[i]), 7);
    return symbols;
}

static struct fm_profile *make_profile(void)
{
    struct fm_profile *profile = sample_profile(4);
    struct fm_call_paths paths = {.samples = 1, .period_ns = {1, 1}};
    static const struct {
        uint32_t parent, kind;
        uint64_t offset, ns;
    } nodes[] = {
        {0, FM_PATH_ROOT, 0, 0},     {0, FM_PATH_CALL, 0x10, 0},   {1, FM_PATH_CALL, 0x20, 0},
        {2, FM_PATH_CALL, 0x20, 0},  {3, FM_PATH_LEAF, 0x30, 100}, {3, FM_PATH_LEAF, 0x40, 1000},
        {2, FM_PATH_LEAF, 0x30, 10},
    };
    enum { N = sizeof nodes / sizeof *nodes };
    profile->n_events = 0;
    paths.nodes = sample_alloc(profile, (N + NAMED) * sizeof *paths.nodes);
    for (size_t i = 0; i < N + NAMED; i++)
        paths.nodes[paths.n++] = (struct fm_path_node){
            .parent = i < N ? nodes[i].parent : 1,
            .kind = i < N ? nodes[i].kind : FM_PATH_LEAF,
            .site = {i ? PROGRAM : "", "", i < N ? nodes[i].offset : 0x100 + i - N},
            .routine = "",
            .own = fm_path_cost_of(i < N ? nodes[i].ns : 1, 0),
        };
    fm_call_paths_inclusive(&paths, 0);
    fm_merge_paths(profile, &paths, &profile->arena);
    return profile;
}

static char *text_of(struct fm_slices *slices, const char *name, struct fm_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    *error = (struct fm_error){0};
    fm_slice_write(slices, name, out, error);
    fclose(out);
    return text;
}

static bool lists(const char *text, const char *path)
{
    char quoted[4300];
    snprintf(quoted, sizeof quoted, "\"path\": \"%s\"", path);
    return strstr(text, quoted) != NULL;
}

/* ---- tests ---- */

static void test_list(struct fm_slices *slices)
{
    struct fm_error error;
    char *text = text_of(slices, "sources", &error);
    for (size_t i = 0; i < NAMED; i++)
        tap_ok(lists(text, in_base(named[i])) == (i < 2), "%s is %s", named[i], i < 2 ? "shown" : "not shown");
    tap_ok(lists(text, "relative.f90"), "relative paths are below the directory of the job");
    tap_ok(!strstr(text, "unnamed"), "a file that the profile does not name is not listed");
    tap_ok(strstr(text, "\"n\": 2, ") && !strstr(text, "\"n\": 3, "), "there are three");
    free(text);
}

static void test_file(struct fm_slices *slices)
{
    struct fm_error error;
    char *text = text_of(slices, "sources/0", &error);
    tap_ok(!error.status && lists(text, in_base(named[0])), "a file is asked for by its number");
    tap_ok(strstr(text, "\"text\": \"first \\\"line\\\"\\u000a\\u0009second\xef\xbf\xbd <") != NULL,
           "its text is that of the file, as valid UTF-8");
    tap_ok(strstr(text, "\"costs\": { \"lines\": [ 1, 2, 7 ], \"inclusive_ns\": [ 1122, 1110, 1 ], "
                        "\"exclusive_ns\": [ 0, 110, 1 ] }") != NULL,
           "its lines have their times, those of recursion once");
    if (tap_failed)
        printf("# %s\n", text);
    free(text);
    text = text_of(slices, "sources/3", &error);
    tap_ok(error.status == FM_ERR_USAGE && !text[0], "there is no further one");
    free(text);
}

static void test_gone(struct fm_slices *slices)
{
    struct fm_error error;
    unlink(in_base("allowed/plain.f90"));
    if (symlink("../secret/secret.f90", in_base("allowed/plain.f90")))
        abort();
    char *text = text_of(slices, "sources/0", &error);
    tap_ok(error.status == FM_ERR_USAGE && !text[0], "a file that has become a link is not shown any more");
    free(text);
}

static void test_directories(struct fm_report *report, const char *const *directories, size_t wanted, const char *name)
{
    struct fm_slices slices = {.report = report, .sources = directories};
    struct fm_error error;
    size_t n = 0;
    char *text = text_of(&slices, "sources", &error);
    for (const char *at = text; (at = strstr(at, "\"path\"")); at++)
        n++;
    tap_ok(!error.status && n == wanted, "%s: %zu files", name, n);
    free(text);
}

int main(void)
{
    struct fm_error error = {0};
    struct fm_report report;
    make_files();
    struct fm_symbols *symbols = make_symbols();
    struct fm_profile *profile = make_profile();
    if (fm_report_open(&report, profile, symbols, &(struct fm_report_options){0}, &error))
        abort();
    const char *const directories[] = {"/nowhere/at/all", allowed, NULL};
    struct fm_slices slices = {.report = &report, .sources = directories};
    test_list(&slices);
    test_file(&slices);
    test_directories(&report, NULL, 0, "nothing is allowed");
    test_directories(&report, (const char *[]){NULL}, 0, "no directory is allowed");
    test_directories(&report, (const char *[]){in_base("secret/back/"), NULL}, 3, "a directory may be given by a link");
    test_directories(&report, (const char *[]){"/", NULL}, 7, "with the root, everything is allowed that is a text");
    test_directories(&report, (const char *[]){in_base("allowed/plain.f90"), NULL}, 0, "a file is no directory");
    test_gone(&slices);
    fm_report_close(&report);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    remove_files();
    return tap_done();
}
