/* A made-up segment of one process, to be changed and read. */
#ifndef TESTS_MERGE_ONE_SEGMENT_H
#define TESTS_MERGE_ONE_SEGMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/from_segment.h"
#include "merge/synthetic.h"

static const struct fm_synthetic job = {
    .ranks = 16, .routines = 8, .sites = 12, .neighbours = 4, .ranks_per_host = 8, .regions = 2, .seed = 1};

/* A segment of rank 3 that tests change before they read it. */
static inline struct fm_segment_header *fresh(void)
{
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&job));
    fm_synthetic_segment(&job, 3, header);
    return header;
}

static inline void *items(struct fm_segment_header *header, enum fm_segment_section_id id)
{
    return (char *)header + header->sections[id].offset;
}

/* Reads and frees. NULL when it was refused. */
static inline struct fm_profile *read_as(struct fm_segment_header *header, enum fm_end end, int code, uint64_t now)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_profile_from_segment(NULL, header, fm_synthetic_bytes(&job), "it", end, code, now, &profile, &error))
        printf("# %s\n", error.text);
    free(header);
    return profile;
}

static inline const struct fm_routine_total *routine(const struct fm_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->n_routines; i++)
        if (!strcmp(profile->routines[i].name, name))
            return &profile->routines[i];
    return NULL;
}

static inline bool has_note(const struct fm_profile *profile, uint32_t code, uint64_t amount)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (profile->notes[i].code == code && profile->notes[i].amount == amount)
            return true;
    return false;
}

#endif
