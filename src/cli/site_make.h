/* SPDX-License-Identifier: BSD-3-Clause */
/* From a profile to the text of its record, by the rules of a site's configuration. */
#ifndef FM_CLI_SITE_MAKE_H
#define FM_CLI_SITE_MAKE_H

#include <sys/types.h>

#include "site/config/config.h"
#include "site/make/rules.h"
#include "site/record/record.h"

/* The rules refer to the configuration. Reads the key if names are to be hashed. */
enum fm_status fm_site_rules(const struct fm_site_config *config, struct fm_record_rules *rules,
                             struct fm_error *error);

struct fm_site_text {
    bool wanted; /* false: the job is excluded, or left out by thinning; there is no text */
    char key[FM_RECORD_KEY_CHARS];
    char text[FM_RECORD_BYTES + 1];
    size_t length;
};
/* The user is `owner`, that of the file: a job has its user's name from the environment, which may say anything. */
enum fm_status fm_site_make(const char *profile, uid_t owner, const struct fm_record_rules *rules,
                            struct fm_site_text *made, struct fm_error *error);

#endif
