/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes and sends the record of one profile in a child process. A profile, the program it names and the program's debug
 * information are what the user wants them to be, so they are read with the permissions of the user, and within limits of
 * time and memory. */
#ifndef FM_CLI_SITE_CHILD_H
#define FM_CLI_SITE_CHILD_H

#include <sys/types.h>

#include "site/config/config.h"
#include "site/make/rules.h"

/* What became of a profile. */
enum fm_sent {
    FM_SENT,
    FM_SENT_EXCLUDED, /* by the configuration */
    FM_SENT_REFUSED,  /* it is damaged, or its record takes too long: there is no use in trying again */
    FM_SENT_LEFT      /* nobody took it: to be tried again */
};

/* `path` is absolute; owner and group are those of the file. Errors are told on stderr, by the child. */
enum fm_sent fm_site_send_profile(const char *path, uid_t owner, gid_t group, const struct fm_site_config *config,
                                  const struct fm_record_rules *rules);

#endif
