/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/make/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/small_file.h"
#include "model/job_name.h"

void fm_record_job_key(const struct fm_profile *profile, char key[FM_RECORD_KEY_CHARS])
{
    fm_record_key_of(profile->job.key, key);
}

static double wall_sum_s(const struct fm_profile *profile)
{
    double ns = 0;
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING)
            ns += (double)profile->processes[i].wall_ns;
    return ns / 1e9;
}

bool fm_record_wanted(const struct fm_record_rules *rules, const struct fm_profile *profile, double *weight)
{
    static const struct fm_siphash_key lot = {0x6d6f68746166, 3};
    const struct fm_job *job = &profile->job;
    *weight = 1;
    if (rules->excluded && rules->excluded(rules->context, job->user, fm_job_name(job)))
        return false;
    if (rules->thin_one_in < 2 || wall_sum_s(profile) >= rules->thin_below_s)
        return true;
    *weight = rules->thin_one_in;
    char text[200];
    snprintf(text, sizeof text, "%.100s %" PRIu64, job->key, job->started_real_ns);
    return fm_siphash(&lot, text, strlen(text)) % rules->thin_one_in == 0;
}

static bool hex_word(const char *text, uint64_t *word)
{
    char digits[17] = "";
    memcpy(digits, text, 16);
    if (strspn(digits, "0123456789abcdefABCDEF") != 16)
        return false;
    *word = strtoull(digits, NULL, 16);
    return true;
}

enum fm_status fm_record_key_read(const char *path, struct fm_siphash_key *key, struct fm_error *error)
{
    char text[64] = "";
    size_t length = fm_small_file_read(path, text, sizeof text);
    while (length && strchr("\r\n\t ", text[length - 1]))
        length--;
    if (length != 32 || !hex_word(text, &key->high) || !hex_word(text + 16, &key->low))
        return fm_fail(error, FM_ERR_INPUT, "%s: cannot read a key of 32 hexadecimal digits for hash_names", path);
    return FM_OK;
}
