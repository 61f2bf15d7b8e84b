/* SPDX-License-Identifier: BSD-3-Clause */
/* What a site wants to know of jobs: which are recorded, and what of them. */
#ifndef FM_SITE_MAKE_RULES_H
#define FM_SITE_MAKE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/siphash.h"
#include "model/profile.h"
#include "site/record/job_key.h"

struct fm_record_rules {
    bool arguments;                 /* of the program are recorded */
    bool hash_names;                /* names are replaced by keyed hashes */
    struct fm_siphash_key hash_key; /* for them */
    bool (*excluded)(const void *context, const char *user, const char *program); /* or NULL */
    const void *context;
    double thin_below_s; /* jobs with less wall time, summed over ranks, are thinned */
    unsigned thin_one_in;
};

/* Whether a job is to be recorded, and for how many it stands (1, or thin_one_in). Depends only on the job: it is decided
 * in the same way if it is asked again. */
bool fm_record_wanted(const struct fm_record_rules *rules, const struct fm_profile *profile, double *weight);

/* Reads a key: 32 hexadecimal digits in a file. */
enum fm_status fm_record_key_read(const char *path, struct fm_siphash_key *key, struct fm_error *error);

/* The key of the record of a job: 32 hexadecimal digits. */
void fm_record_job_key(const struct fm_profile *profile, char key[FM_RECORD_KEY_CHARS]);

#endif
