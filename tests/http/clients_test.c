/* Connections end in time, whatever trickles through them; and clients are told apart. */
#include "http/clients.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "tap.h"

#define SECOND_NS 1000000000ull

static bool is_open(int end)
{
    struct pollfd poll_for = {.fd = end, .events = POLLIN};
    return poll(&poll_for, 1, 0) == 0;
}

static void times(struct fm_clients *clients)
{
    int ends[2];
    tap_ok(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "a connection");
    struct fm_client *client = fm_client_add(clients, ends[0]);
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    fm_clients_tick(clients, now + 19 * SECOND_NS);
    tap_ok(is_open(ends[1]), "a request has 20 s");
    fm_client_limit(clients, client, 0);
    fm_clients_tick(clients, now + 3600 * SECOND_NS);
    tap_ok(is_open(ends[1]), "an answer that is being made as long as it takes");
    fm_client_limit(clients, client, FM_RESPONSE_NS);
    fm_clients_tick(clients, now + 119 * SECOND_NS);
    tap_ok(is_open(ends[1]), "to be read it has two minutes");
    fm_clients_tick(clients, fm_clock_ns(CLOCK_MONOTONIC) + 121 * SECOND_NS);
    tap_ok(!is_open(ends[1]), "and no more");
    fm_client_remove(clients, client);
    close(ends[0]);
    close(ends[1]);
}

static void shares(struct fm_clients *clients)
{
    static const struct {
        long user;
        uint32_t address;
    } from[] = {{1000, 0x7f000001}, {1000, 0x7f000002}, {1001, 0x7f000001},
                {-1, 0x0a000001},   {-1, 0x0a000001},   {-1, 0x0a000001}};
    enum { N = sizeof from / sizeof *from };
    struct fm_client *made[N];
    size_t n[N];
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return;
    for (size_t i = 0; i < N; i++) {
        made[i] = fm_client_add(clients, ends[0]);
        made[i]->user = from[i].user;
        made[i]->address = from[i].address;
    }
    for (size_t i = 0; i < N; i++)
        n[i] = fm_client_connections(clients, made[i]);
    tap_ok(n[0] == 2 && n[1] == 2 && n[2] == 1, "a user of this host is one client, under any address: %zu, %zu", n[0],
           n[2]);
    tap_ok(n[3] == 3 && n[5] == 3, "elsewhere an address is: %zu", n[3]);
    for (size_t i = 0; i < N; i++)
        fm_client_remove(clients, made[i]);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    struct fm_clients clients;
    fm_clients_init(&clients, false);
    times(&clients);
    shares(&clients);
    return tap_done();
}
