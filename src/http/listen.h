/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket on which the server listens: a port, or a unix socket. */
#ifndef FM_HTTP_LISTEN_H
#define FM_HTTP_LISTEN_H

#include <netinet/in.h>
#include <sys/types.h>

#include "base/error.h"

struct fm_listener {
    int fd;
    unsigned port;    /* 0: a unix socket */
    const char *path; /* of the unix socket; NULL: none */
    dev_t device;     /* of its file */
    ino_t inode;
};

/* port 0: any that is free. */
enum fm_status fm_listen_port(struct fm_listener *listener, struct in_addr address, unsigned port,
                              struct fm_error *error);
/* The directory must be one in which nobody else can replace the socket. A socket that nobody listens on any more is
 * replaced. mode: who may connect, 0600 or 0666. Must be called before there are other threads, because it changes the umask. */
enum fm_status fm_listen_socket(struct fm_listener *listener, const char *path, mode_t mode, struct fm_error *error);
/* Closes and removes the unix socket, if it is still ours. */
void fm_listen_close(struct fm_listener *listener);

#endif
