/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a synthetic profile whose pages are measured:
 *
 *     web_profile FILE usual|exact RANKS SITES NEIGHBOURS PATHS TIMERS FILES [NODES MODULE START STRIDE]
 *
 * A job reduced as at MPI_Finalize (tests/collect/synthetic_hosts.h) with PATHS nodes of call paths and FILES files
 * per rank, with counters if there are files; or PATHS 0
 * and a tree of NODES nodes, whose functions are in MODULE (large_paths.h). `usual` has at most as many nodes and pairs as
 * files of real jobs, `exact` has all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/node_files.h"
#include "collect/synthetic_hosts.h"
#include "format/encode.h"
#include "large_paths.h"
#include "merge/parts.h"

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

int main(int argc, char **argv)
{
    if (argc != 9 && argc != 13)
        return 2;
    uint64_t number[13] = {0};
    for (int i = 3; i < argc; i++)
        number[i] = strtoull(argv[i], NULL, 0);
    struct fm_synthetic job = {.ranks = (uint32_t)number[3],
                               .routines = 20,
                               .sites = (uint32_t)number[4],
                               .neighbours = (uint32_t)number[5],
                               .ranks_per_host = 64,
                               .regions = 4,
                               .seed = 1,
                               .timers = (uint32_t)number[7],
                               .timing = FM_TIMING_OCEAN,
                               .paths = (uint32_t)number[6],
                               .files = (uint32_t)number[8],
                               .counters = number[8] > 0};
    char directory[] = "/dev/shm/fathom-bench-XXXXXX";
    if (!mkdtemp(directory)) {
        perror(directory);
        return 1;
    }
    struct fm_reduction_times times = {0};
    struct fm_profile *profile = fm_reduce_synthetic(&job, directory, &times);
    rmdir(directory);
    struct fm_arena arena = {0};
    struct fm_error error = {0};
    if (!fm_profile_add_missing(profile, job.ranks))
        return 1;
    if (number[9]) {
        struct fm_call_paths paths = {0};
        large_paths_make(&paths, number[9], argv[10], number[11], number[12], &profile->arena);
        fm_merge_paths(profile, &paths, &profile->arena);
    }
    const void *bytes;
    size_t size;
    bool exact = strcmp(argv[2], "exact") == 0;
    if ((exact ? fm_profile_encode_exact : fm_profile_encode)(profile, &arena, &bytes, &size, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (!write_file(argv[1], bytes, size)) {
        perror(argv[1]);
        return 1;
    }
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
    return 0;
}
