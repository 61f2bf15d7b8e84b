/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "site/send/ways.h"

enum { PAUSE_MS = 10 };

enum fm_status fm_datagrams_open(struct fm_datagrams *to, const char *path, double seconds, struct fm_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *to = (struct fm_datagrams){.fd = -1, .path = path};
    to->until_ns = fm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
    if (strlen(path) >= sizeof address.sun_path)
        return fm_fail(error, FM_ERR_USAGE, "%s is too long for the name of a socket", path);
    strcpy(address.sun_path, path);
    to->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (to->fd >= 0 && connect(to->fd, (struct sockaddr *)&address, sizeof address) == 0)
        return FM_OK;
    enum fm_status status = fm_fail(error, FM_ERR_SYSTEM, "cannot send to %s: %s", path, strerror(errno));
    fm_datagrams_close(to);
    return status;
}

/* True if it is worth another try. */
static bool wait_for_room(const struct fm_datagrams *to)
{
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    if (now >= to->until_ns)
        return false;
    struct pollfd room = {.fd = to->fd, .events = POLLOUT};
    /* Linux reports a local datagram socket as writable although its peer has no room: so a pause of its own */
    int rest_ms = (int)((to->until_ns - now) / 1000000);
    poll(&room, 1, rest_ms < PAUSE_MS ? rest_ms : PAUSE_MS);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return true;
}

enum fm_status fm_datagrams_send(struct fm_datagrams *to, const char *bytes, size_t size, struct fm_error *error)
{
    for (;;) {
        if (send(to->fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size)
            return FM_OK;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN && errno != ENOBUFS)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot send to %s: %s", to->path, strerror(errno));
        if (!wait_for_room(to))
            return fm_fail(error, FM_ERR_SYSTEM, "cannot send to %s: it takes no more", to->path);
    }
}

void fm_datagrams_close(struct fm_datagrams *to)
{
    if (to->fd >= 0)
        close(to->fd);
    to->fd = -1;
}
