/* SPDX-License-Identifier: BSD-3-Clause */
/* The connections, and how long each may take. libmicrohttpd ends a connection on which nothing happens; a client that
 * sends or reads one byte every few seconds would keep it for ever, so each request has to be complete, and each
 * response read, within a time. A stream has no such limit.
 *
 * Used by the thread that talks to clients, and by fm_clients_tick in the main thread: with a lock of its own. */
#ifndef FM_HTTP_CLIENTS_H
#define FM_HTTP_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_CLIENTS_MOST = 300 };

#define FM_REQUEST_NS 20000000000ull   /* from the start, or the last response, until a request is complete */
#define FM_RESPONSE_NS 120000000000ull /* to read a response */

struct fm_client {
    struct fm_client *next, *previous;
    int fd;
    uint64_t until_ns; /* 0: no limit */
    long user;         /* at the other end, on this host; -1: unknown, or elsewhere */
    uint32_t address;  /* of the other end, in the byte order of this host; 0: a unix socket */
};

struct fm_clients {
    pthread_mutex_t lock;
    struct fm_client *first;
    bool is_unix; /* socket: users can be told apart */
};

void fm_clients_init(struct fm_clients *clients, bool is_unix);
struct fm_client *fm_client_add(struct fm_clients *clients, int fd); /* NULL if out of memory */
/* How many connections there are from the same user, or else from the same address: with this one. */
size_t fm_client_connections(struct fm_clients *clients, const struct fm_client *client);
void fm_client_remove(struct fm_clients *clients, struct fm_client *client);
void fm_client_limit(struct fm_clients *clients, struct fm_client *client, uint64_t ns); /* from now; 0: none */
/* Shuts down the connections that take too long. */
void fm_clients_tick(struct fm_clients *clients, uint64_t now_ns);

#endif
