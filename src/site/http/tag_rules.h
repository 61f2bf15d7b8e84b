/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags by rule: every job that fits has the tag. Lines of the configuration's key `tag`,
 *
 *   tag = large: ranks_from=512 mpi_from=0.3
 *
 * with the words of the job list's filters, except `host` and `tag`. */
#ifndef FM_SITE_HTTP_TAG_RULES_H
#define FM_SITE_HTTP_TAG_RULES_H

#include "base/arena.h"
#include "site/store/jobs.h"

enum { FM_SITE_TAG_RULES = 32 };

struct fm_site_tag_rule {
    const char *tag;
    struct fm_jobs_filter filter;
};
struct fm_site_tag_rules {
    struct fm_arena arena;
    struct fm_site_tag_rule items[FM_SITE_TAG_RULES];
    size_t n;
};

/* lines: separated by line feeds. */
enum fm_status fm_site_tag_rules_read(struct fm_site_tag_rules *rules, const char *lines, struct fm_error *error);
void fm_site_tag_rules_close(struct fm_site_tag_rules *rules);
/* NULL if there is none of that name. */
const struct fm_jobs_filter *fm_site_tag_rule(const struct fm_site_tag_rules *rules, const char *tag);

#endif
