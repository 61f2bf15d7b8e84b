/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways in which a record can be sent. Private to this folder. */
#ifndef FM_SITE_SEND_WAYS_H
#define FM_SITE_SEND_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "site/send/send.h"

/* A local socket that takes datagrams, and until when it is waited for. */
struct fm_datagrams {
    int fd;
    const char *path;
    uint64_t until_ns; /* CLOCK_MONOTONIC */
};

enum fm_status fm_datagrams_open(struct fm_datagrams *to, const char *path, double seconds, struct fm_error *error);
/* Waits while the daemon has no room. */
enum fm_status fm_datagrams_send(struct fm_datagrams *to, const char *bytes, size_t size, struct fm_error *error);
void fm_datagrams_close(struct fm_datagrams *to);

enum fm_status fm_send_syslog(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                              struct fm_error *error);
enum fm_status fm_send_journald(const struct fm_site_config *config, const char *key, const char *text, size_t length,
                                struct fm_error *error);
enum fm_status fm_send_record_spool(const struct fm_site_config *config, const char *key, const char *text,
                                    size_t length, struct fm_error *error);

#endif
