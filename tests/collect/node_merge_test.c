/* The hosts of a job, reduced as at MPI_Finalize, give what its ranks give one after the other. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/synthetic_hosts.h"
#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/merge.h"
#include "model/check.h"
#include "tap.h"

static struct fm_profile *one_by_one(const struct fm_synthetic *job)
{
    struct fm_profile *all = fm_profile_create(), *one;
    size_t bytes = fm_synthetic_bytes(job);
    void *segment = aligned_alloc(64, bytes);
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        fm_synthetic_segment(job, rank, segment);
        if (fm_profile_from_segment(NULL, segment, bytes, "synthetic", FM_END_UNKNOWN, 0, 0, &one, NULL) != FM_OK)
            continue;
        fm_profile_merge(all, one, NULL);
        fm_profile_destroy(one);
    }
    free(segment);
    return all;
}

/* Both are used up. */
static bool same(struct fm_profile *a, struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *of_a = NULL, *of_b = NULL;
    size_t n_a = 0, n_b = 1;
    fm_profile_encode_exact(a, &arena, &of_a, &n_a, NULL);
    fm_profile_encode_exact(b, &arena, &of_b, &n_b, NULL);
    bool equal = n_a == n_b && memcmp(of_a, of_b, n_a) == 0 && !fm_profile_check(a);
    fm_arena_destroy(&arena);
    fm_profile_destroy(a);
    fm_profile_destroy(b);
    return equal;
}

int main(void)
{
    static const uint32_t ranks[] = {1, 3, 4, 7, 12, 22, 30};
    char directory[] = "hosts-XXXXXX";
    if (!mkdtemp(directory))
        return 1;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const struct fm_synthetic job = {.ranks = ranks[i],
                                         .routines = 6,
                                         .sites = 12,
                                         .neighbours = 2,
                                         .ranks_per_host = 3,
                                         .regions = 2,
                                         .seed = i + 1,
                                         .timers = 2,
                                         .paths = 60};
        struct fm_reduction_times times = {0};
        tap_ok(same(fm_reduce_synthetic(&job, directory, &times), one_by_one(&job)),
               "%u ranks on %u hosts give what they give one after the other", ranks[i], (ranks[i] + 2) / 3);
    }
    tap_ok(rmdir(directory) == 0, "each host removed its segments");
    return tap_done();
}
