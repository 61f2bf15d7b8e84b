/* The whole way of a very large job through the merge: synthetic segments -> profiles -> one profile -> file.
 * Usage: merge_scale [ranks [sites [paths]]]. Prints CPU seconds of each step (making the segments is not part of the job)
 * and the size of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/synthetic.h"
#include "merge/tree.h"

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct times {
    double make, read, merge, encode, decode;
};

static struct fm_profile *merge_all(const struct fm_synthetic *job, struct times *times)
{
    struct fm_join tree = {0};
    struct fm_profile *profile;
    struct fm_error error;
    size_t size = fm_synthetic_bytes(job);
    void *segment = aligned_alloc(64, size);
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        double start = cpu_seconds();
        fm_synthetic_segment(job, rank, segment);
        double made = cpu_seconds();
        if (fm_profile_from_segment_in(&tree.spare, segment, size, "synthetic", FM_END_UNKNOWN, 0, 0, &profile,
                                       &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        double read = cpu_seconds();
        if (fm_join_add(&tree, profile, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        times->make += made - start;
        times->read += read - made;
        times->merge += cpu_seconds() - read;
    }
    double start = cpu_seconds();
    if (fm_join_finish(&tree, &profile, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    times->merge += cpu_seconds() - start;
    free(segment);
    return profile;
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
    struct times times = {0};
    struct fm_profile *profile = merge_all(&job, &times), *again;
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    double start = cpu_seconds();
    if (fm_profile_encode(profile, &arena, &bytes, &size, NULL))
        return 1;
    times.encode = cpu_seconds() - start;
    start = cpu_seconds();
    if (fm_profile_decode(bytes, size, "synthetic", &again, NULL))
        return 1;
    times.decode = cpu_seconds() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%u ranks, %u routines, %u call sites, %u neighbours, %u nodes of call paths each (%zu in all)\n", job.ranks,
           job.routines, job.sites, job.neighbours, job.paths, profile->paths.n);
    printf("  making the segments   %8.2f s (not counted)\n", times.make);
    printf("  segments to profiles  %8.2f s\n", times.read);
    printf("  merging               %8.2f s\n", times.merge);
    printf("  encoding              %8.2f s\n", times.encode);
    printf("  together              %8.2f s of CPU\n", times.read + times.merge + times.encode);
    printf("  decoding              %8.2f s\n", times.decode);
    printf("  file                  %8.2f MiB, %.1f bytes a rank\n", (double)size / (1 << 20),
           (double)size / job.ranks);
    printf("  memory                %8.1f MiB at most\n", (double)usage.ru_maxrss / 1024);
    fm_profile_destroy(again);
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
    return 0;
}
