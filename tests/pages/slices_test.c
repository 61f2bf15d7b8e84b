/* The slices of the sample job, of one without call paths, and of one with a deep tree.
 *
 *   pages-slices --write SAMPLE NODES FOLDER [SLICE...]
 *                                               writes all slices of a sample (paths, pairs, or
 *                                              unknown, without shares of ranks), and the document that they
 *                                              are parts of, for same_numbers_test.py; NODES: limit of a slice of a tree; further slices
 *                                              can be named */
#include "pages/slices.h"

#include <stdlib.h>
#include <string.h>

#include "report/report_json.h"
#include "report/sample_paths.h"
#include "tap.h"

static const char *folder(void)
{
    static char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/report/golden", source ? source : ".");
    return path;
}

/* A report of a profile, and its slices. */
struct opened {
    struct fm_profile *profile;
    struct fm_symbols *symbols;
    struct fm_report report;
    struct fm_slices slices;
};

static void open_slices(struct opened *opened, struct fm_profile *profile, size_t tree_nodes)
{
    struct fm_error error;
    static const char *directories[2];
    directories[0] = folder();
    *opened = (struct opened){.profile = profile, .symbols = sample_symbols(folder())};
    if (fm_report_open(&opened->report, profile, opened->symbols, &(struct fm_report_options){0}, &error))
        abort();
    opened->slices = (struct fm_slices){.report = &opened->report, .tree_nodes = tree_nodes, .sources = directories};
}

static void close_slices(struct opened *opened)
{
    fm_report_close(&opened->report);
    fm_symbols_destroy(opened->symbols);
    fm_profile_destroy(opened->profile);
}

/* In memory that the caller frees. */
static char *text_of(struct opened *opened, const char *name, struct fm_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    *error = (struct fm_error){0};
    fm_slice_write(&opened->slices, name, out, error);
    fclose(out);
    return text;
}

struct names {
    struct opened *opened;
    size_t n, failed, with_tree;
};

static enum fm_status count_name(void *context, const char *name, struct fm_error *error)
{
    struct names *names = context;
    char *text = text_of(names->opened, name, error);
    names->n++;
    names->failed += error->status || !text[0];
    names->with_tree += strncmp(name, "tree", 4) == 0;
    free(text);
    return FM_OK;
}

static void test_visit(size_t tree_nodes, size_t least, size_t most)
{
    struct opened opened;
    struct fm_error error = {0};
    open_slices(&opened, sample_sampled(), tree_nodes);
    struct names names = {.opened = &opened};
    fm_slices_visit(&opened.slices, count_name, &names, &error);
    tap_ok(names.n > 10 && !names.failed, "every slice that is named can be written: %zu", names.n);
    tap_ok(names.with_tree >= least && names.with_tree <= most, "%zu of trees with a limit of %zu nodes",
           names.with_tree, tree_nodes);
    close_slices(&opened);
}

/* Breadth first, twelve nodes would end far above it. */
static void test_hot_path(void)
{
    struct opened opened;
    struct fm_error error;
    open_slices(&opened, sample_sampled(), 12);
    char *text = text_of(&opened, "tree/calls", &error);
    tap_ok(strstr(text, "\"id\": [ 0, 1, 19, 2, 9, 15, 3, 8, 4, 7, 5, 6 ]") && strstr(text, "\"MPI_Allreduce\""),
           "a slice has the hot path to its end");
    free(text);
    close_slices(&opened);
}

#define TEN_BYTES "61616161616161616161"
#define FIFTY_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES
#define TOO_LONG FIFTY_BYTES FIFTY_BYTES "61"

static void has(struct opened *opened, const char *name, const char *part, const char *what)
{
    struct fm_error error;
    char *text = text_of(opened, name, &error);
    if (!tap_ok(!error.status && strstr(text, part), "%s", what))
        printf("# %s\n", text);
    free(text);
}

static void test_rows(void)
{
    struct opened opened;
    open_slices(&opened, sample_sampled(), 6);
    has(&opened, "tree/calls/rows/0/3", "\"first\": 0, \"kinds\"", "rows from the root on");
    has(&opened, "tree/calls/rows/0/3", "\"id\": [ 0, 1, 2 ]", "in depth-first order");
    has(&opened, "tree/calls/rows/5/3", "\"id\": [ 0, 1, 2, 3, 4, 5, 6, 7 ], \"parent\": [ -1, 0, 1, 2, 3, 4, ",
        "rows in the middle come with what is above the first");
    has(&opened, "tree/calls/rows/9/2", "\"id\": [ 0, 1, 9, 10 ]", "and not with what is beside it");
    has(&opened, "tree/calls/rows/0/100", "\"id\": [ 0, 1, 2, 3, 4, 5 ]", "no more than the limit");
    has(&opened, "tree/calls/rows/21/100", "21 ], \"parent\"", "and no more than there are");
    close_slices(&opened);
}

static void test_find(void)
{
    struct opened opened;
    open_slices(&opened, sample_sampled(), 0);
    has(&opened, "tree/calls/find/" TEN_BYTES, "\"hits\": 0, \"hit\": [ 0 ]", "what is not found");
    has(&opened, "tree/calls/find/" FIFTY_BYTES FIFTY_BYTES, "\"hits\": 0", "a long text");
    has(&opened, "tree/calls/find/416c6c5245", "\"text\": \"AllRE\", \"hits\": 1, \"hit\": [ 0, 0, 0, 0, 0, 1 ]",
        "a hit with its ancestors, in any case");
    has(&opened, "tree/calls/find/736f6c7665722e6639303a38", "\"hits\": 1, ", "solver.f90:8 is a line");
    has(&opened, "tree/calls/find/722e6639303a7e38", "\"hits\": 1, ", "as is r.f90:~8");
    has(&opened, "tree/calls/find/736f6c7665722e6639303a393939", "\"hits\": 0, ", "solver.f90:999 is none");
    has(&opened, "tree/flat/find/616c6c", "\"hits\": 1, ", "the root is not searched");
    close_slices(&opened);
}

static void test_ranks(void)
{
    struct opened opened;
    open_slices(&opened, sample_sampled(), 0);
    has(&opened, "tree/calls/ranks", "\"ranks\": \"0-3\", \"id\": [ 0, 1, ", "ranks of all that is known");
    close_slices(&opened);
    open_slices(&opened, sample_profile(4), 0);
    struct fm_error error;
    free(text_of(&opened, "tree/calls/ranks", &error));
    tap_ok(error.status == FM_ERR_USAGE, "and none if nothing was sampled");
    close_slices(&opened);
}

static void test_no_such_slice(void)
{
    static const char *const names[] = {
        "",
        "nothing",
        "summary/1",
        "tree",
        "tree/",
        "tree/call",
        "tree/calls/",
        "tree/calls/99999",
        "tree/calls/-1",
        "tree/calls/01",
        "tree/calls/1/2",
        "tree/calls/4294967296",
        "tree/calls/x",
        "tree/calls/rows",
        "tree/calls/rows/1",
        "tree/calls/rows/1/0",
        "tree/calls/rows/99999/1",
        "tree/calls/rows/1/2/3",
        "tree/calls/rows/1/x",
        "tree/calls/ranks/",
        "tree/calls/ranks/1",
        "tree/calls/find",
        "tree/calls/find/",
        "tree/calls/find/6",
        "tree/calls/find/6D",
        "tree/calls/find/6d00",
        "tree/calls/find/6x",
        "tree/calls/find/" TOO_LONG,
        "ranks/1",
        "topology/0/0",
        "topology/0/0/0/0",
        "topology/99/0/0",
        "topology/0/1/0",
        "sources/1",
        "sources/../x",
    };
    struct opened opened;
    open_slices(&opened, sample_sampled(), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fm_error error;
        char *text = text_of(&opened, names[i], &error);
        tap_ok(error.status == FM_ERR_USAGE && !text[0], "there is no slice '%s'", names[i]);
        free(text);
    }
    close_slices(&opened);
}

static void test_not_sampled(void)
{
    struct opened opened;
    struct fm_error error = {0};
    open_slices(&opened, sample_profile(4), 0);
    free(text_of(&opened, "tree/calls", &error));
    tap_ok(error.status == FM_ERR_USAGE, "a job that was not sampled has no tree");
    struct names names = {.opened = &opened};
    fm_slices_visit(&opened.slices, count_name, &names, &error);
    tap_ok(!names.with_tree && names.n && !names.failed, "and none is named");
    close_slices(&opened);
}

/* As deep as files can be, with names that could end a string or a script. */
static struct fm_profile *hostile_profile(void)
{
    enum { DEEP = FM_CALL_PATHS_DEPTH };
    struct fm_profile *profile = sample_profile(4);
    struct fm_call_paths paths = {.n = DEEP + 1, .samples = 1, .period_ns = {1, 1}};
    paths.nodes = sample_alloc(profile, paths.n * sizeof *paths.nodes);
    for (uint32_t i = 0; i <= DEEP; i++)
        paths.nodes[i] = (struct fm_path_node){
            .parent = i ? i - 1 : 0,
            .kind = i == 0      ? FM_PATH_ROOT
                    : i == DEEP ? FM_PATH_LEAF
                                : FM_PATH_CALL,
            .site = {i == 0  ? ""
                     : i % 2 ? "/x/\"\\\033\n\xff<script>"
                             : "/x/y",
                     "", i},
            .routine = "",
            .own = fm_path_cost_of(i ? 1 + i % 7 : 0, 0),
        };
    fm_call_paths_inclusive(&paths, 0);
    fm_merge_paths(profile, &paths, &profile->arena);
    return profile;
}

static void test_hostile(void)
{
    struct opened opened;
    struct fm_error error;
    open_slices(&opened, hostile_profile(), 0);
    char *text = text_of(&opened, "tree/calls", &error);
    tap_ok(!error.status && strstr(text, "\"below\": 0, \"nodes_in_tree\": 1025,"),
           "a tree is written as deep as it is");
    tap_ok(!strpbrk(text, "\033\xff") && strchr(text, '\n') == text + strlen(text) - 1, "names stay text");
    free(text);
    close_slices(&opened);
}

/* Ranks can be any number in a file: as many levels as there can be, of one cell each. */
static void test_far_apart(void)
{
    struct opened opened;
    struct fm_error error = {0};
    struct fm_edge edge = {UINT32_MAX, UINT32_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    struct fm_profile *profile = sample_profile(4);
    profile->sent = profile->received = (struct fm_edges){.items = &edge, .n = 1};
    open_slices(&opened, profile, 0);
    struct names names = {.opened = &opened};
    fm_slices_visit(&opened.slices, count_name, &names, &error);
    tap_ok(!names.failed && names.n >= 25, "a matrix as large as ranks can be has its tiles");
    char *text = text_of(&opened, "topology/24/0/0", &error);
    tap_ok(strstr(text, "\"cells\": [ 65535 ], \"messages\": [ 18446744073709551615 ]") != NULL, "the last one, too");
    free(text);
    close_slices(&opened);
}

/* ---- for the comparison with the document ---- */

struct writing {
    struct opened *opened;
    const char *folder;
};

static enum fm_status write_one(void *context, const char *name, struct fm_error *error)
{
    const struct writing *writing = context;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/", writing->folder);
    snprintf(path + length, sizeof path - (size_t)length, "%s.json", name);
    for (char *c = path + length; *c; c++)
        *c = *c == '/' ? '_' : *c;
    FILE *out = fopen(path, "w");
    if (!out)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write '%s'", path);
    enum fm_status status = fm_slice_write(&writing->opened->slices, name, out, error);
    return fclose(out) ? FM_ERR_SYSTEM : status;
}

/* Enough ranks for three levels of tiles, with messages between some of them, the last and the first ones among them. */
static struct fm_profile *many_pairs(void)
{
    enum { RANKS = 1000, PAIRS = 3 * RANKS };
    struct fm_profile *profile = sample_profile(4);
    struct fm_edges *sent = &profile->sent, *received = &profile->received;
    profile->job.ranks = RANKS;
    sent->items = sample_alloc(profile, PAIRS * sizeof *sent->items);
    received->items = sample_alloc(profile, PAIRS * sizeof *received->items);
    sent->n = received->n = 0;
    for (uint32_t from = 0; from < RANKS; from++)
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t to = i == 0 ? from / 2 : i == 1 ? from / 2 + 300 : RANKS - 1;
            if (i == 2 && from % 255)
                continue;
            struct fm_edge edge = {from, to, 1 + from % 7, from * 1000ull + to, from + 3};
            if (from % 5)
                sent->items[sent->n++] = edge;
            edge.time_ns = to;
            if (from % 3)
                received->items[received->n++] = edge;
        }
    return profile;
}

static struct fm_profile *profile_of(const char *sample)
{
    struct fm_profile *profile = strcmp(sample, "pairs") == 0 ? many_pairs() : sample_sampled();
    if (strcmp(sample, "unknown") == 0) /* nor are most of the extremes over ranks */
        profile->paths.n_shares = 0;
    return profile;
}

static int write_all(const char *sample, const char *limit, const char *to, char **more)
{
    struct opened opened;
    struct fm_error error = {0};
    char path[4096];
    open_slices(&opened, profile_of(sample), strtoul(limit, NULL, 10));
    snprintf(path, sizeof path, "%s/document.json", to);
    FILE *out = fopen(path, "w");
    enum fm_status status = out ? fm_report_json(&opened.report, out, &error) : FM_ERR_SYSTEM;
    if (out && fclose(out))
        status = FM_ERR_SYSTEM;
    if (!status)
        status = fm_slices_visit(&opened.slices, write_one, &(struct writing){&opened, to}, &error);
    for (; *more && !status; more++)
        status = write_one(&(struct writing){&opened, to}, *more, &error);
    close_slices(&opened);
    if (status)
        fprintf(stderr, "%s\n", error.text);
    return status != FM_OK;
}

int main(int argc, char **argv)
{
    if (argc >= 5 && strcmp(argv[1], "--write") == 0)
        return write_all(argv[2], argv[3], argv[4], argv + 5);
    test_visit(0, 6, 6);
    test_visit(4, 11, 33);
    test_visit(1, 11, 63);
    test_rows();
    test_find();
    test_ranks();
    test_hot_path();
    test_no_such_slice();
    test_not_sampled();
    test_hostile();
    test_far_apart();
    return tap_done();
}
