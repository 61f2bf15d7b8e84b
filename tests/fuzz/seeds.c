/* make seeds: writes the seeds of the fuzz targets below the folder it is given (tests/fuzz/corpus), small valid
 * profiles, segments and records to start from. To be run again when the format of one changes. */
#include <stdio.h>
#include <stdlib.h>

#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/merge.h"
#include "merge/synthetic.h"
#include "site/record/random_record.h"

static void save(const char *folder, const char *name, unsigned number, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%u", folder, name, number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
        perror(path);
        exit(1);
    }
}

static void save_profile(const char *folder, unsigned number, struct fm_profile *profile)
{
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    if (fm_profile_encode_exact(profile, &arena, &bytes, &size, NULL))
        exit(1);
    save(folder, "profile", number, bytes, size);
    fm_arena_destroy(&arena);
    fm_profile_destroy(profile);
}

/* What an ordinary segment does not have. */
static void add_rarities(struct fm_segment_header *header)
{
    struct fm_segment_timer *timer = (void *)((char *)header + header->sections[FM_SECTION_TIMERS].offset);
    struct fm_segment_timing *timing = (void *)((char *)header + header->sections[FM_SECTION_TIMINGS].offset);
    timer->misuse[FM_MISUSE_STARTED_TWICE] = 3;
    timer->misuse_site[FM_MISUSE_STARTED_TWICE] = timing->start_site = 0x550000000124;
    timing->started = 1;
    header->cart = (struct fm_grid){2, {2, (uint32_t)header->world_size / 2}};
}

/* The profile of rank 0, whose segment is saved. */
static struct fm_profile *save_segment(const char *folder, unsigned number, const struct fm_synthetic *job)
{
    size_t size = fm_synthetic_bytes(job);
    void *segment = aligned_alloc(64, size);
    struct fm_profile *profile;
    fm_synthetic_segment(job, 0, segment);
    add_rarities(segment);
    save(folder, "segment", number, segment, size);
    if (fm_profile_from_segment(NULL, segment, size, "seed", FM_END_UNKNOWN, 0, 0, &profile, NULL))
        exit(1);
    free(segment);
    return profile;
}

static void save_records(const char *folder)
{
    for (unsigned seed = 0; seed < 8; seed++) {
        struct fm_record record;
        char text[FM_RECORD_BYTES + 1];
        fm_random_record(&record, seed, seed < 6 ? seed : 20);
        size_t length = fm_record_write(&record, text);
        save(folder, "record", seed, text, length);
        fm_record_destroy(&record);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER (with profile/, segment/ and record/ in it)\n");
        return 2;
    }
    const struct fm_synthetic jobs[] = {{4, 3, 2, 2, 2, 1, 1, 1, FM_TIMING_PLAIN, 12, 4, true},
                                        {8, 6, 8, 2, 4, 3, 2, 2, FM_TIMING_PLAIN, 40, 0, false}};
    uint64_t state = 1;
    for (unsigned i = 0; i < 2; i++)
        save_profile(argv[1], i, save_segment(argv[1], i, &jobs[i]));
    for (unsigned i = 2; i < 6; i++) {
        struct fm_profile *profile = fm_random_profile(&state, 6), *other = fm_random_profile(&state, 6);
        if (fm_profile_merge(profile, other, NULL))
            return 1;
        fm_profile_destroy(other);
        save_profile(argv[1], i, profile);
    }
    save_records(argv[1]);
    return 0;
}
