/* SPDX-License-Identifier: BSD-3-Clause */
/* When the server ends: at SIGINT, SIGTERM and SIGHUP, and with its session. A shell that is left by `exit` sends its
 * background jobs no SIGHUP, and `nohup` ignores it; so the leader of the session is watched as well. */
#ifndef FM_HTTP_LIFETIME_H
#define FM_HTTP_LIFETIME_H

#include <stdbool.h>

#include "base/error.h"

struct fm_lifetime {
    int signals; /* signalfd */
    int leader;  /* pidfd of the leader of the session; -1: we lead it ourselves, or it has ended long ago */
};

/* Blocks the signals: before there are other threads. with_session: ends with it. */
enum fm_status fm_lifetime_begin(struct fm_lifetime *lifetime, bool with_session, struct fm_error *error);
/* Waits for at most that long. Returns false if it is time to end. */
bool fm_lifetime_goes_on(const struct fm_lifetime *lifetime, int wait_ms);
void fm_lifetime_close(struct fm_lifetime *lifetime);

#endif
