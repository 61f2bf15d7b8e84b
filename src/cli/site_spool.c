/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/site_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/basename.h"

enum { MAX_NAMES = 1000 };

#define SUFFIX ".fathom"

static bool is_profile_name(const char *name)
{
    size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
    return name[0] != '.' && length > suffix && !strcmp(name + length - suffix, SUFFIX);
}

/* Still the same file under this name: it may have been replaced since it was opened. */
static bool is_same(const struct fm_spool_file *file)
{
    struct stat named;
    return fstatat(file->directory_fd, file->name, &named, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(named.st_mode) &&
           named.st_dev == file->st.st_dev && named.st_ino == file->st.st_ino;
}

static bool open_file(struct fm_spool_file *file)
{
    file->fd = openat(file->directory_fd, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file->fd < 0)
        return false;
    if (fstat(file->fd, &file->st) == 0 && S_ISREG(file->st.st_mode) && file->st.st_nlink == 1 &&
        (geteuid() == 0 || file->st.st_uid == geteuid()) && flock(file->fd, LOCK_EX | LOCK_NB) == 0 && is_same(file))
        return true;
    close(file->fd);
    return false;
}

enum fm_status fm_spool_visit(const char *spool, void (*visit)(void *context, const struct fm_spool_file *file),
                              void *context, struct fm_error *error)
{
    DIR *directory = opendir(spool);
    if (!directory)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the spool %s: %s", spool, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct fm_spool_file file = {.name = entry->d_name, .directory_fd = dirfd(directory)};
        if (!is_profile_name(entry->d_name) || !open_file(&file))
            continue;
        visit(context, &file);
        close(file.fd);
    }
    closedir(directory);
    return FM_OK;
}

bool fm_spool_remove(const struct fm_spool_file *file)
{
    return is_same(file) && unlinkat(file->directory_fd, file->name, 0) == 0;
}

bool fm_spool_refuse(const struct fm_spool_file *file)
{
    char name[NAME_MAX + 1];
    int length = snprintf(name, sizeof name, "%s.refused", file->name);
    return length < (int)sizeof name && is_same(file) &&
           renameat(file->directory_fd, file->name, file->directory_fd, name) == 0;
}

/* ---- copies ---- */

/* Not more than there was when it was opened: its owner can make a file longer for as long as it is copied. */
static bool copy_bytes(int from, int to, off_t bytes)
{
    for (off_t at = 0; at < bytes;) {
        ssize_t n = sendfile(to, from, &at, bytes - at < 1 << 20 ? (size_t)(bytes - at) : 1 << 20);
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
    return true;
}

/* The n-th choice of a name: a.fathom, a-2.fathom ... */
static void numbered(const char *name, unsigned n, char numbered_name[NAME_MAX + 1])
{
    int stem = (int)(strlen(name) - (sizeof SUFFIX - 1));
    if (n < 2)
        snprintf(numbered_name, NAME_MAX + 1, "%s", name);
    else
        snprintf(numbered_name, NAME_MAX + 1, "%.*s-%u%s", stem < 230 ? stem : 230, name, n, SUFFIX);
}

/* Copies an open file into a directory, under a name that is not taken. owner NULL: ours. */
static bool copy_file(int from, off_t bytes, const char *directory, const char *name, const struct stat *owner,
                      mode_t mode)
{
    char path[PATH_MAX], choice[NAME_MAX + 1];
    for (unsigned n = 1; n <= MAX_NAMES; n++) {
        struct fm_atomic_file file;
        numbered(name, n, choice);
        if (snprintf(path, sizeof path, "%s/%s", directory, choice) >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            continue;
        if (!fm_atomic_file_open(&file, path, mode, true))
            return false;
        bool copied = copy_bytes(from, file.fd, bytes) &&
                      (!owner || fchown(file.fd, owner->st_uid, owner->st_gid) == 0) &&
                      fm_atomic_file_publish(&file, path, false);
        int why = errno;
        if (!copied)
            fm_atomic_file_discard(&file);
        close(file.fd);
        errno = why;
        if (copied || why != EEXIST)
            return copied;
    }
    return false;
}

/* A directory in `keep` for a month, which the same people may look into. */
static bool make_month(const char *directory, const struct stat *keep)
{
    if (mkdir(directory, 0755) != 0)
        return errno == EEXIST;
    return geteuid() != 0 ||
           (chown(directory, keep->st_uid, keep->st_gid) == 0 && chmod(directory, keep->st_mode & 0777) == 0);
}

bool fm_spool_keep(const struct fm_spool_file *file, const char *keep)
{
    char directory[PATH_MAX];
    struct tm utc = {.tm_mday = 1};
    struct stat of_keep;
    gmtime_r(&file->st.st_mtime, &utc);
    int length = snprintf(directory, sizeof directory, "%.3800s/%04d-%02d", keep, utc.tm_year + 1900, utc.tm_mon + 1);
    if (length >= (int)sizeof directory || stat(keep, &of_keep) != 0 || !make_month(directory, &of_keep))
        return false;
    struct stat owner = file->st;
    owner.st_gid = of_keep.st_gid;
    return copy_file(file->fd, file->st.st_size, directory, file->name, geteuid() == 0 ? &owner : NULL, 0640) &&
           fm_spool_remove(file);
}

enum fm_status fm_spool_make_keep(const char *keep, struct fm_error *error)
{
    struct stat st;
    if (mkdir(keep, 0755) != 0 && errno != EEXIST)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot make %s, where profiles are to be kept: %s", keep,
                       strerror(errno));
    if (stat(keep, &st) != 0 || !S_ISDIR(st.st_mode))
        return fm_fail(error, FM_ERR_SYSTEM, "%s, where profiles are to be kept, is no directory", keep);
    return FM_OK;
}

/* Whether the profile lies in the spool itself. */
static bool is_in(const char *spool, const char *profile)
{
    char directory[PATH_MAX];
    struct stat a, b;
    const char *name = fm_basename(profile);
    size_t length = (size_t)(name - profile);
    if (length >= sizeof directory)
        return false;
    snprintf(directory, sizeof directory, "%.*s", length ? (int)length : 1, length ? profile : ".");
    return stat(spool, &a) == 0 && stat(directory, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

enum fm_status fm_spool_add(const char *spool, const char *profile, struct fm_error *error)
{
    char name[NAME_MAX + 1];
    const char *base = fm_basename(profile);
    if (is_in(spool, profile))
        return FM_OK;
    snprintf(name, sizeof name, "%.230s%s", base, is_profile_name(base) ? "" : SUFFIX);
    struct stat st;
    int fd = open(profile, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool copied = fd >= 0 && fstat(fd, &st) == 0 && copy_file(fd, st.st_size, spool, name, NULL, 0600);
    int why = errno;
    if (fd >= 0)
        close(fd);
    return copied ? FM_OK
                  : fm_fail(error, FM_ERR_SYSTEM, "cannot copy %s to the spool %s: %s", profile, spool, strerror(why));
}
