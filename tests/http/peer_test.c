/* SPDX-License-Identifier: BSD-3-Clause */
/* The owner of the other end of a connection, found in both ways. */
#include "http/peer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap.h"

int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
    socklen_t size = sizeof here, peer_size = sizeof peer;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    bool ok = bind(listener, (struct sockaddr *)&here, size) == 0 && listen(listener, 1) == 0 &&
              getsockname(listener, (struct sockaddr *)&here, &size) == 0 &&
              connect(client, (struct sockaddr *)&here, size) == 0;
    int accepted = accept(listener, (struct sockaddr *)&peer, &peer_size);
    unsigned port = ntohs(here.sin_port);
    tap_ok(ok && accepted >= 0, "a connection");
    long diag = fm_peer_user_diag(&peer, port);
    if (diag < 0)
        tap_ok(true, "by sock_diag # skip the kernel does not answer");
    else
        tap_ok(diag == (long)getuid(), "by sock_diag");
    tap_ok(fm_peer_user_listed("/proc/net/tcp", &peer, port) == (long)getuid(), "in the list of sockets");
    tap_ok(fm_peer_user(&peer, port) == (long)getuid(), "in one of the ways");
    close(client); /* the kernel shows it as a socket of root from now on */
    tap_ok(fm_peer_user_diag(&peer, port) == -1 && fm_peer_user_listed("/proc/net/tcp", &peer, port) == -1 &&
               fm_peer_user(&peer, port) == -1,
           "nobody is at the end of a connection that was left");
    peer.sin_port = htons(1);
    tap_ok(fm_peer_user(&peer, port) == -1, "nobody is at another port");
    tap_ok(fm_peer_user_listed("/nothing", &peer, port) == -1, "no list");
    char name[] = "/tmp/fathom-peer-XXXXXX";
    FILE *list = fdopen(mkstemp(name), "w");
    peer.sin_port = htons(0xc2f4);
    fprintf(list,
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            "   0: %08X:C2F4 %08X:%04X 01 00000000:00000000 00:00000000 00000000  4711        0 1 1 0 20 4 30 10 -1\n",
            peer.sin_addr.s_addr, htonl(INADDR_LOOPBACK), port);
    fclose(list);
    tap_ok(fm_peer_user_listed(name, &peer, port) == 4711, "another user");
    unlink(name);
    tap_ok(fm_peer_is_welcome(getuid()) && fm_peer_is_welcome(0) && fm_peer_is_welcome(-1) &&
               !fm_peer_is_welcome(getuid() + 1L),
           "who is welcome");
    return tap_done();
}
