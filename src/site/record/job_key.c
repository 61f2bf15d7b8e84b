/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/record/job_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/siphash.h"

/* Not secret: they only spread. */
static const struct fm_siphash_key first_half = {0x6d6f68746166, 1}, second_half = {0x6d6f68746166, 2};

void fm_record_key_of(const char *profile_key, char key[FM_RECORD_KEY_CHARS])
{
    size_t length = strlen(profile_key);
    snprintf(key, FM_RECORD_KEY_CHARS, "%016" PRIx64 "%016" PRIx64, fm_siphash(&first_half, profile_key, length),
             fm_siphash(&second_half, profile_key, length));
}
