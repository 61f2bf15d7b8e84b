/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that talks to clients: what libmicrohttpd calls for connections and requests. */
#ifndef FM_HTTP_HANDLER_H
#define FM_HTTP_HANDLER_H

#include "http/listen.h"
#include "http/service.h"

struct MHD_Daemon;

struct MHD_Daemon *fm_handler_start(struct fm_service *service, const struct fm_listener *listener,
                                    struct fm_error *error); /* NULL if it fails */
/* Accepts no more connections. */
void fm_handler_quiesce(struct MHD_Daemon *daemon);
/* Ends all connections. No request may wait any more. */
void fm_handler_stop(struct MHD_Daemon *daemon);

#endif
