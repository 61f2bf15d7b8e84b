/* SPDX-License-Identifier: BSD-3-Clause */
/* Which user is at the other end of a connection over 127.0.0.1. The kernel knows the owner of every socket of this host:
 * the other end is looked up by its address and port (sock_diag), or in /proc/net/tcp where that is not possible. A socket that
 * its process has closed has no inode any more, and is shown as one of root: then the user is unknown. */
#ifndef FM_HTTP_PEER_H
#define FM_HTTP_PEER_H

#include <netinet/in.h>
#include <stdbool.h>

/* The owner of the socket at `peer` that is connected to `port` of 127.0.0.1; -1 if it cannot be found out. */
long fm_peer_user(const struct sockaddr_in *peer, unsigned port);
/* The two ways. */
long fm_peer_user_diag(const struct sockaddr_in *peer, unsigned port);
long fm_peer_user_listed(const char *file, const struct sockaddr_in *peer, unsigned port);

/* This user, or root, who may read everything anyway. */
bool fm_peer_is_welcome(long user);

#endif
