/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 256 };

enum fm_status fm_listen_port(struct fm_listener *listener, struct in_addr host, unsigned port, struct fm_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = host};
    socklen_t length = sizeof address;
    *listener = (struct fm_listener){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (listener->fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a socket: %s", strerror(errno));
    /* without this, the port of a server that has just ended stays taken for a minute */
    setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener->fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener->fd, BACKLOG) == 0 &&
        getsockname(listener->fd, (struct sockaddr *)&address, &length) == 0) {
        listener->port = ntohs(address.sin_port);
        return FM_OK;
    }
    int reason = errno;
    close(listener->fd);
    listener->fd = -1;
    if (reason == EADDRINUSE)
        return fm_fail(error, FM_ERR_SYSTEM, "port %u is used by another program; give another one, or no --port",
                       port);
    if (reason == EACCES)
        return fm_fail(error, FM_ERR_SYSTEM, "port %u needs privileges; give one above 1023, or no --port", port);
    return fm_fail(error, FM_ERR_SYSTEM, "cannot listen on port %u of %s: %s", port, inet_ntoa(host), strerror(reason));
}

/* Who can rename or remove files in a directory can put a socket of their own in the place of ours, and would be given
 * the token by the user's browser. */
static enum fm_status check_directory(const char *path, struct fm_error *error)
{
    char directory[PATH_MAX];
    struct stat st;
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = 0;
    else
        strcpy(directory, ".");
    if (stat(directory, &st) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot use the directory %s: %s", directory, strerror(errno));
    bool own = st.st_uid == getuid() || st.st_uid == 0;
    if (!own || (st.st_mode & 022 && !(st.st_mode & S_ISVTX)))
        return fm_fail(error, FM_ERR_SYSTEM,
                       "other users could replace a socket in %s; choose a directory of your own, such as $HOME",
                       directory);
    return FM_OK;
}

static bool is_listening(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return !refused;
}

static enum fm_status clear_place(const struct sockaddr_un *address, struct fm_error *error)
{
    const char *path = address->sun_path;
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %s", path, strerror(errno));
    if (!S_ISSOCK(st.st_mode) || st.st_uid != getuid())
        return fm_fail(error, FM_ERR_SYSTEM, "%s exists and is not a socket of yours; give another path", path);
    if (is_listening(address))
        return fm_fail(error, FM_ERR_SYSTEM, "%s is used by another server; give another path", path);
    if (unlink(path) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot replace %s: %s", path, strerror(errno));
    return FM_OK;
}

enum fm_status fm_listen_socket(struct fm_listener *listener, const char *path, mode_t mode, struct fm_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    *listener = (struct fm_listener){.fd = -1, .path = path};
    if (!*path || strlen(path) >= sizeof address.sun_path)
        return fm_fail(error, FM_ERR_USAGE, "the path of a socket has 1 to %zu bytes; give another one",
                       sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    enum fm_status status = check_directory(path, error);
    if (!status)
        status = clear_place(&address, error);
    if (status)
        return status;
    listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t before = umask(0777 & ~mode); /* from its first moment on, nobody else can connect */
    bool ok = listener->fd >= 0 && bind(listener->fd, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (ok && listen(listener->fd, BACKLOG) == 0 && lstat(path, &st) == 0) {
        listener->device = st.st_dev;
        listener->inode = st.st_ino;
        return FM_OK;
    }
    status = fm_fail(error, FM_ERR_SYSTEM, "cannot listen on %s: %s", path, strerror(errno));
    if (ok)
        unlink(path);
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
    return status;
}

void fm_listen_close(struct fm_listener *listener)
{
    struct stat st;
    if (listener->fd >= 0)
        close(listener->fd);
    if (listener->fd >= 0 && listener->path && lstat(listener->path, &st) == 0 && st.st_dev == listener->device &&
        st.st_ino == listener->inode)
        unlink(listener->path);
    listener->fd = -1;
}
