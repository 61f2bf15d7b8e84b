/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may own the directory `keep`, in which profiles are kept, and the directories of months in it: root, the user of the
 * services (`fathom`), or whoever runs this. Nobody else may write to it: who can, puts files in the place of others'. */
#ifndef FM_SITE_CONFIG_KEEP_H
#define FM_SITE_CONFIG_KEEP_H

#include <sys/stat.h>

/* NULL, or what is wrong with it, to follow its name in a sentence. */
const char *fm_site_keep_fault(const struct stat *st);

#endif
