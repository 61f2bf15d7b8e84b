/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/send/send.h"

#include <string.h>

#include "site/send/ways.h"

enum fm_status fm_site_send(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                            struct fm_error *error)
{
    if (!strcmp(config->send, "syslog"))
        return fm_send_syslog(config, key, text, length, error);
    if (!strcmp(config->send, "journald"))
        return fm_send_journald(config, key, text, length, error);
    if (!strcmp(config->send, "spool"))
        return fm_send_record_spool(config, key, text, length, error);
    return FM_OK;
}
