/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/clients.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* What the kernel keeps of a response for a client that does not read it. As the kernel would have it, megabytes: many such
 * clients would take its memory, and nothing would be known of how far a client has got. */
enum { SEND_BYTES = 128 << 10 };

void fm_clients_init(struct fm_clients *clients, bool is_unix)
{
    *clients = (struct fm_clients){.is_unix = is_unix};
    pthread_mutex_init(&clients->lock, NULL);
}

static long user_of(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (long)peer.uid : -1;
}

struct fm_client *fm_client_add(struct fm_clients *clients, int fd)
{
    struct fm_client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->fd = fd;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SEND_BYTES}, sizeof(int));
    client->until_ns = fm_clock_ns(CLOCK_MONOTONIC) + FM_REQUEST_NS;
    client->user = clients->is_unix ? user_of(fd) : -1;
    pthread_mutex_lock(&clients->lock);
    client->next = clients->first;
    if (client->next)
        client->next->previous = client;
    clients->first = client;
    pthread_mutex_unlock(&clients->lock);
    return client;
}

static bool is_same(const struct fm_client *a, const struct fm_client *b)
{
    return a->user >= 0 || b->user >= 0 ? a->user == b->user : a->address == b->address;
}

size_t fm_client_connections(struct fm_clients *clients, const struct fm_client *client)
{
    size_t n = 0;
    pthread_mutex_lock(&clients->lock);
    for (const struct fm_client *other = clients->first; other; other = other->next)
        n += is_same(other, client);
    pthread_mutex_unlock(&clients->lock);
    return n;
}

void fm_client_remove(struct fm_clients *clients, struct fm_client *client)
{
    pthread_mutex_lock(&clients->lock);
    *(client->previous ? &client->previous->next : &clients->first) = client->next;
    if (client->next)
        client->next->previous = client->previous;
    pthread_mutex_unlock(&clients->lock);
    free(client);
}

void fm_client_limit(struct fm_clients *clients, struct fm_client *client, uint64_t ns)
{
    pthread_mutex_lock(&clients->lock);
    client->until_ns = ns ? fm_clock_ns(CLOCK_MONOTONIC) + ns : 0;
    pthread_mutex_unlock(&clients->lock);
}

/* The descriptor is still that of the client: it is removed here before it is closed. */
void fm_clients_tick(struct fm_clients *clients, uint64_t now_ns)
{
    pthread_mutex_lock(&clients->lock);
    for (struct fm_client *client = clients->first; client; client = client->next)
        if (client->until_ns && now_ns > client->until_ns)
            shutdown(client->fd, SHUT_RDWR);
    pthread_mutex_unlock(&clients->lock);
}
