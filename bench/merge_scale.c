/* SPDX-License-Identifier: BSD-3-Clause */
/* The reduction of a very large job at MPI_Finalize: synthetic segments of its hosts -> a profile of each -> one profile ->
 * file, by what runs there (tests/collect/synthetic_hosts.h), without MPI's own messages.
 * Usage: merge_scale [ranks [sites [paths [file]]]]; writes the profile to the file. Prints CPU seconds of each step (making the segments is not part of the job),
 * how long the root takes with a core for each host, and the size of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collect/node_files.h"
#include "collect/synthetic_hosts.h"
#include "format/encode.h"

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Where segments usually lie. */
static struct fm_profile *reduce(const struct fm_synthetic *job, struct fm_reduction_times *times)
{
    char directory[] = "/dev/shm/fathom-bench-XXXXXX";
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    struct fm_profile *profile = fm_reduce_synthetic(job, directory, times);
    rmdir(directory);
    return profile;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

int main(int argc, char **argv)
{
    struct fm_synthetic job = {.ranks = 100000,
                               .routines = 20,
                               .sites = 200,
                               .neighbours = 6,
                               .ranks_per_host = 64,
                               .regions = 4,
                               .seed = 1,
                               .paths = 400};
    if (argc > 1)
        job.ranks = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        job.sites = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        job.paths = (uint32_t)strtoul(argv[3], NULL, 10);
    struct fm_reduction_times times = {0};
    struct fm_profile *profile = reduce(&job, &times), *again;
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    double start = cpu_seconds();
    if (!fm_profile_add_missing(profile, job.ranks) || fm_profile_encode(profile, &arena, &bytes, &size, NULL))
        return 1;
    double encode = cpu_seconds() - start;
    if (argc > 4 && !write_file(argv[4], bytes, size)) {
        perror(argv[4]);
        return 1;
    }
    start = cpu_seconds();
    if (fm_profile_decode(bytes, size, "synthetic", &again, NULL))
        return 1;
    double decode = cpu_seconds() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "%u ranks, %u on a host, %u routines, %u call sites, %u neighbours, %u nodes of call paths each (%zu in all)\n",
        job.ranks, job.ranks_per_host, job.routines, job.sites, job.neighbours, job.paths, profile->paths.n);
    printf("  making the segments   %8.2f s (not counted)\n", times.make);
    printf("  segments to hosts     %8.2f s\n", times.hosts);
    printf("  messages of hosts     %8.2f s\n", times.messages);
    printf("  merging hosts         %8.2f s\n", times.merge);
    printf("  encoding              %8.2f s\n", encode);
    printf("  together              %8.2f s of CPU on all hosts\n",
           times.hosts + times.messages + times.merge + encode);
    printf("  root                  %8.2f s, with a core for each host\n", times.root + encode);
    printf("  decoding              %8.2f s\n", decode);
    printf("  file                  %8.2f MiB, %.1f bytes a rank\n", (double)size / (1 << 20),
           (double)size / job.ranks);
    printf("  memory                %8.1f MiB at most\n", (double)usage.ru_maxrss / 1024);
    fm_profile_destroy(again);
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
    return 0;
}
