/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of a site: /etc/fathom/site.conf, lines "key = value", with comments after '#' at the start of a line.
 * Every key is a line of the table in keys.h. What is not given has its default. */
#ifndef FM_SITE_CONFIG_CONFIG_H
#define FM_SITE_CONFIG_CONFIG_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "site/config/keys.h"

#define FM_SITE_CONFIG_FILE "/etc/fathom/site.conf"

struct fm_site_config {
    struct fm_arena arena;
    const char *path; /* that was read; "": there is none */
#define FM_CONFIG_MEMBER_TEXT const char *
#define FM_CONFIG_MEMBER_LINES const char *
#define FM_CONFIG_MEMBER_WHOLE int64_t
#define FM_CONFIG_MEMBER_NUMBER double
#define FM_CONFIG_MEMBER_SWITCH int
#define X(kind, key, value, meaning) FM_CONFIG_MEMBER_##kind key;
    FM_SITE_CONFIG_KEYS(X)
#undef X
};

/* Reads `path`; NULL: the file named by FATHOM_SITE_CONFIG, else the usual one, which need not exist. Errors name the
 * file and the line. On success it must be destroyed. */
enum fm_status fm_site_config_read(struct fm_site_config *config, const char *path, struct fm_error *error);
void fm_site_config_destroy(struct fm_site_config *config);

/* A file with all keys, their meaning and defaults, commented out. */
void fm_site_config_print(FILE *out);
/* The keys as a table in roff, for the manual page. */
void fm_site_config_print_roff(FILE *out);

/* Whether `name` matches one of the patterns of a list separated by blanks. */
int fm_site_config_lists(const char *list, const char *name);

#endif
