/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/peer.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_MS = 200 };

long fm_peer_user_diag(const struct sockaddr_in *peer, unsigned port)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 asked;
    } request = {
        .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .asked = {.sdiag_family = AF_INET,
                  .sdiag_protocol = IPPROTO_TCP,
                  .idiag_states = ~0u,
                  .id = {.idiag_sport = peer->sin_port,
                         .idiag_dport = htons((uint16_t)port),
                         .idiag_src = {peer->sin_addr.s_addr},
                         .idiag_dst = {htonl(INADDR_LOOPBACK)},
                         .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    const struct timeval limit = {.tv_usec = ANSWER_MS * 1000};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ssize_t n = send(fd, &request, sizeof request, 0) == (ssize_t)sizeof request ? recv(fd, &answer, sizeof answer, 0)
                                                                                 : -1;
    close(fd);
    struct inet_diag_msg found;
    if (n < (ssize_t)NLMSG_SPACE(sizeof found) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return -1;
    memcpy(&found, NLMSG_DATA(&answer.head), sizeof found);
    return found.id.idiag_sport == peer->sin_port && found.idiag_inode ? (long)found.idiag_uid : -1;
}

/* "   1: 0100007F:C2F4 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 ...": addresses are in the byte order of
 * the network, shown as a number of this machine. */
long fm_peer_user_listed(const char *file, const struct sockaddr_in *peer, unsigned port)
{
    char line[512];
    long user = -1;
    FILE *in = fopen(file, "re");
    while (in && user < 0 && fgets(line, sizeof line, in)) {
        unsigned address, from, to_address, to, uid, inode;
        if (sscanf(line, " %*d: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %u %*d %u", &address, &from, &to_address, &to, &uid,
                   &inode) == 6 &&
            inode && address == peer->sin_addr.s_addr && from == ntohs(peer->sin_port) &&
            to_address == htonl(INADDR_LOOPBACK) && to == port)
            user = (long)uid;
    }
    if (in)
        fclose(in);
    return user;
}

/* The list has all sockets of the host: whoever opens and closes many connections would make it long, and every look at it
 * slow. Where the kernel answers questions, it is right about sockets that are not there any more, too; a kernel without
 * the module for it says the same of all. */
long fm_peer_user(const struct sockaddr_in *peer, unsigned port)
{
    static atomic_bool answers;
    long user = fm_peer_user_diag(peer, port);
    if (user >= 0)
        atomic_store(&answers, true);
    return user >= 0 || atomic_load(&answers) ? user : fm_peer_user_listed("/proc/net/tcp", peer, port);
}

bool fm_peer_is_welcome(long user)
{
    return user < 0 || user == 0 || user == (long)getuid();
}
