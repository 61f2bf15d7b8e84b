/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends the record of a job where the configuration says: to the syslog daemon, to journald, or into a spool directory
 * of records. It is sent with the uid of the calling process, for which the daemon vouches. Takes at most
 * config->send_seconds. */
#ifndef FM_SITE_SEND_SEND_H
#define FM_SITE_SEND_SEND_H

#include <stddef.h>

#include "base/error.h"
#include "site/config/config.h"

/* `text` is a record as written by fm_record_write, `key` that of its job. */
enum fm_status fm_site_send(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                            struct fm_error *error);

#endif
