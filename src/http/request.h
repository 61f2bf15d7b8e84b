/* SPDX-License-Identifier: BSD-3-Clause */
/* A request, from its headers to the end of its response. It belongs to the thread that talks to clients; while it waits
 * for a task, its connection is suspended and it belongs to the list of that task. */
#ifndef FM_HTTP_REQUEST_H
#define FM_HTTP_REQUEST_H

#include <stdint.h>

#include "http/answer.h"
#include "http/routes.h"

struct MHD_Connection;

struct fm_http_request {
    struct fm_http_request *next; /* of those that wait for the same task */
    struct MHD_Connection *connection;
    struct fm_client *client;
    struct fm_route route;
    void *asked; /* what a service has to remember; freed with the request */
    bool long_address;
    uint64_t since_ns; /* when it began to wait */
    struct fm_answer answer;
};

#endif
