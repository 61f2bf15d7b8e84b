/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "symbols/owner_files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/drop_privileges.h"

enum { ANSWER_SECONDS = 10, NO_GROUP = 65534, MAX_GROUPS = 1024 };

static int open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- as root: a child that runs as the owner ---- */

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

static void send_file(int socket, int fd)
{
    char byte = 0;
    union control control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        _exit(1);
}

static int receive_file(int socket)
{
    char byte;
    int fd = -1;
    union control control;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
        return -2;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

/* Opens the requested files until the socket is closed. */
_Noreturn static void serve(int socket, uid_t owner)
{
    char path[PATH_MAX];
    ssize_t n;
    if (dup2(socket, STDIN_FILENO) < 0)
        _exit(1);
    closefrom(STDIN_FILENO + 1);
    if (!fm_drop_privileges(owner, NO_GROUP))
        _exit(1);
    while ((n = recv(STDIN_FILENO, path, sizeof path - 1, 0)) > 0) {
        path[n] = 0;
        int fd = open_regular(path);
        send_file(STDIN_FILENO, fd);
        if (fd >= 0)
            close(fd);
    }
    _exit(0);
}

static bool start_child(struct fm_owner_files *files)
{
    const struct timeval limit = {.tv_sec = ANSWER_SECONDS}; /* the owner may have stopped the child */
    int ends[2];
    if (files->child)
        return files->child > 0;
    files->child = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fflush(NULL);
    pid_t middle = fork(); /* parent of the child, so that we do not have to wait for it */
    if (middle == 0) {
        pid_t child = fork();
        if (child == 0)
            serve(ends[1], files->owner);
        _exit(child < 0);
    }
    close(ends[1]);
    while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR)
        ;
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    files->child = ends[0] + 1;
    return true;
}

static int open_as_owner(struct fm_owner_files *files, const char *path)
{
    size_t length = strlen(path);
    if (length >= PATH_MAX || !start_child(files))
        return -1;
    int fd = send(files->child - 1, path, length, MSG_NOSIGNAL) == (ssize_t)length ? receive_file(files->child - 1)
                                                                                   : -2;
    if (fd == -2) { /* it has exited, or its answers would no longer match the requests */
        close(files->child - 1);
        files->child = -1;
    }
    return fd < 0 ? -1 : fd;
}

/* ---- without root: by checking permissions ---- */

static bool is_member(uid_t owner, gid_t group)
{
    gid_t groups[MAX_GROUPS];
    int n = MAX_GROUPS;
    const struct passwd *known = getpwuid(owner);
    if (!known || getgrouplist(known->pw_name, known->pw_gid, groups, &n) < 0)
        return false;
    for (int i = 0; i < n; i++)
        if (groups[i] == group)
            return true;
    return false;
}

/* want: a permission bit for others, S_IROTH or S_IXOTH. */
static bool has_permission(uid_t owner, const struct stat *st, mode_t want)
{
    if (st->st_uid == owner)
        return st->st_mode & want << 6;
    if (st->st_mode & want)
        return !is_member(owner, st->st_gid) || st->st_mode & want << 3;
    return st->st_mode & want << 3 && is_member(owner, st->st_gid);
}

/* For an open file, by its resolved path. ACLs are not checked. */
static bool owner_may_read(uid_t owner, int fd)
{
    char link[40], path[PATH_MAX];
    struct stat st;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0 || path[0] != '/' || fstat(fd, &st) != 0 || !has_permission(owner, &st, S_IROTH))
        return false;
    for (path[n] = 0; n > 0; n--) {
        if (path[n - 1] != '/')
            continue;
        path[n] = 0;
        if (stat(path, &st) != 0 || !has_permission(owner, &st, S_IXOTH))
            return false;
    }
    return true;
}

int fm_owner_files_open(struct fm_owner_files *files, const char *path)
{
    uid_t self = geteuid();
    if (files->owner != 0 && files->owner != self && self == 0)
        return open_as_owner(files, path);
    int fd = open_regular(path);
    if (fd < 0 || files->owner == 0 || files->owner == self || owner_may_read(files->owner, fd))
        return fd;
    close(fd);
    return -1;
}

void fm_owner_files_close(struct fm_owner_files *files)
{
    if (files->child > 0)
        close(files->child - 1);
    files->child = 0;
}
