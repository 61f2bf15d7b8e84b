/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of a very large profile, as the server makes them: a tree of calls with very many contexts, and a matrix of
 * communication of very many ranks.
 * Usage: slices [contexts [ranks]]. Prints seconds of CPU, bytes and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "large_paths.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "pages/slices.h"

enum { FUNCTIONS = LARGE_PATHS_FUNCTIONS, NEIGHBOURS = 10, SERVED = 4000 };

#define MODULE "/home/a/bin/model"

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double memory_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* ---- the profile ---- */

static struct fm_symbols *make_symbols(void)
{
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.threads = 1});
    for (uint64_t i = 0; i < FUNCTIONS; i++) {
        char name[64], path[64];
        snprintf(name, sizeof name, "ocean_physics_module_%u::step_%u", (unsigned)i / 40, (unsigned)i);
        snprintf(path, sizeof path, "/home/a/src/physics/module_%u.f90", (unsigned)i / 40);
        struct fm_symbol frame = {.function = name,
                                  .path = path,
                                  .file = "",
                                  .line = 1 + (uint32_t)i % 4000,
                                  .defined = path,
                                  .defined_line = 1};
        struct fm_site site = {MODULE, "", i};
        fm_symbols_know(symbols, &site, FM_RETURN_ADDRESS, &frame, 1);
        fm_symbols_know(symbols, &site, FM_SAMPLED_ADDRESS, &frame, 1);
    }
    return symbols;
}

static void make_edges(struct fm_profile *profile, uint32_t ranks)
{
    struct fm_edges *edges = &profile->sent;
    edges->items = fm_arena_alloc(&profile->arena, (size_t)ranks * NEIGHBOURS * sizeof *edges->items);
    uint64_t state = 1;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t i = 0; i < NEIGHBOURS; i++) {
            uint64_t to = rank + (uint64_t)(i < 2 ? i + 1 : 317 * i);
            if (to < ranks)
                edges->items[edges->n++] = (struct fm_edge){rank, (uint32_t)to, 1 + fm_random(&state, 1000), 8, 1000};
        }
}

/* ---- slices ---- */

static void measure(struct fm_slices *slices, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    struct fm_error error = {0};
    double start = cpu_seconds();
    FILE *out = open_memstream(&text, &size);
    if (fm_slice_write(slices, name, out, &error))
        fprintf(stderr, "%s: %s\n", name, error.text);
    fclose(out);
    printf("  %-24s %8.3f s %10.1f kB, memory so far %6.0f MiB\n", name, cpu_seconds() - start, (double)size / 1000,
           memory_mib());
    fflush(stdout);
    free(text);
}

static enum fm_status count(void *context, const char *name, struct fm_error *error)
{
    size_t *n = context;
    (void)name, (void)error;
    ++*n;
    return FM_OK;
}

int main(int argc, char **argv)
{
    size_t contexts = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    uint32_t ranks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100000;
    struct fm_error error = {0};
    struct fm_report report;
    struct fm_profile *profile = fm_profile_create();
    struct fm_symbols *symbols = make_symbols();
    struct fm_call_paths paths = {0};
    large_paths_make(&paths, contexts, MODULE, 0, 1, &profile->arena);
    profile->job.ranks = ranks;
    fm_merge_paths(profile, &paths, &profile->arena);
    make_edges(profile, ranks);
    if (fm_report_open(&report, profile, symbols, &(struct fm_report_options){0}, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct fm_slices slices = {.report = &report, .tree_nodes = SERVED};
    printf("%zu nodes of call paths, %u ranks, %zu pairs; memory before %.0f MiB\n", contexts, ranks,
           (size_t)profile->sent.n, memory_mib());
    static const char *const names[] = {"tree/calls", "tree/calls", "tree/calls/1",   "tree/calls/500000",
                                        "tree/flat",  "topology",   "topology/0/0/0", "topology/3/0/0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        measure(&slices, names[i]);
    size_t n = 0;
    double start = cpu_seconds();
    fm_slices_visit(&slices, count, &n, &error);
    printf("  names of all %zu slices %8.3f s\n", n, cpu_seconds() - start);
    slices.tree_nodes = 0;
    measure(&slices, "tree/calls");
    fm_report_close(&report);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    return 0;
}
