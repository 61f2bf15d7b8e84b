/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/limits.h"
#include "base/settings.h"
#include "format/encode.h"
#include "format/layout.h"

enum { FM_READ_STEP = 1 << 20 };
static const size_t max_bytes = (size_t)1 << 32; /* no profile is that large; do not read an endless device */

/* The system's error message, without allocating from the program's heap. */
static const char *reason(int number)
{
    const char *text = strerrordesc_np(number);
    return text ? text : "unknown error";
}

/* Not a profile, or longer than one: the rest, which may be endless, is not read; the decoder reports the problem. */
static bool exceeds_profile(const char *bytes, size_t n)
{
    uint64_t size;
    if (n < 20)
        return false;
    memcpy(&size, bytes + 12, sizeof size);
    return memcmp(bytes, FM_PROFILE_MAGIC, 8) != 0 || n > size;
}

static enum fm_status read_all(int fd, const char *path, struct fm_arena *arena, struct fm_progress *progress,
                               char **bytes, size_t *size, struct fm_error *error)
{
    size_t capacity = 0, n = 0;
    char *buffer = NULL;
    struct stat st;
    uint64_t total = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 1;
    for (;;) {
        fm_progress_set(progress, 0, FM_READ_FILE_PERCENT, n, total);
        buffer = n < max_bytes ? fm_arena_grow(arena, buffer, &capacity, n + FM_READ_STEP, 1) : NULL;
        if (!buffer)
            return fm_fail(error, FM_ERR_MEMORY, "%s is too large to read", path);
        ssize_t got = read(fd, buffer + n, capacity - n);
        if (got == 0)
            break;
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, reason(errno));
        if (exceeds_profile(buffer, n))
            break;
    }
    *bytes = buffer;
    *size = n;
    return FM_OK;
}

static enum fm_status read_profile(const char *path, bool overview, struct fm_progress *progress,
                                   struct fm_profile **profile, struct fm_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %s", path, reason(errno));
    struct fm_arena arena = {0};
    char *bytes = NULL;
    size_t size = 0;
    struct stat st;
    enum fm_status status = read_all(fd, path, &arena, progress, &bytes, &size, error);
    if (!status)
        status = overview ? fm_profile_decode_overview(bytes, size, path, profile, error)
                          : fm_profile_decode_watched(bytes, size, path, progress, profile, error);
    if (!status && fstat(fd, &st) == 0)
        (*profile)->owner = st.st_uid;
    close(fd);
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_profile_read(const char *path, struct fm_profile **profile, struct fm_error *error)
{
    return read_profile(path, false, NULL, profile, error);
}

enum fm_status fm_profile_read_watched(const char *path, struct fm_progress *progress, struct fm_profile **profile,
                                       struct fm_error *error)
{
    return read_profile(path, false, progress, profile, error);
}

enum fm_status fm_profile_read_overview(const char *path, struct fm_profile **profile, struct fm_error *error)
{
    return read_profile(path, true, NULL, profile, error);
}

/* Returns 0 or the errno of the failure. */
static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return fsync(fd) ? errno : 0;
}

/* Makes the new name durable. Some file systems cannot sync a directory: then the rename has to be enough. */
static int sync_directory(const char *path, struct fm_arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *name = !slash ? "." : slash == path ? "/" : fm_arena_strndup(arena, path, (size_t)(slash - path));
    int fd = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return name && errno != EACCES ? errno : 0;
    int failed = fsync(fd) && errno != EINVAL && errno != EROFS ? errno : 0;
    close(fd);
    return failed;
}

/* Only a regular file or a symbolic link is replaced, never a device or a directory. */
static enum fm_status check_replaceable(const char *path, struct fm_error *error)
{
    struct stat st;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: it exists and is not a regular file; give another name",
                       path);
    return FM_OK;
}

static enum fm_status cannot_write(const char *path, int reason_number, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, reason(reason_number));
}

enum fm_status fm_profile_may_write(const char *path, struct fm_error *error)
{
    struct fm_atomic_file file;
    enum fm_status status = check_replaceable(path, error);
    if (status)
        return status;
    if (!fm_atomic_file_open(&file, path, 0600, true))
        return cannot_write(path, errno, error);
    fm_atomic_file_discard(&file);
    close(file.fd);
    return FM_OK;
}

/* FATHOM_MODE in octal, as for chmod, regardless of the umask. Only the read and write bits are used, and the owner
 * always has both. It allows others to read the file, so an invalid value must not grant anything. */
static mode_t wanted_mode(void)
{
    const char *text = getenv("FATHOM_MODE");
    unsigned mode = 0;
    if (text)
        fm_setting_mode(text, &mode);
    return (mode_t)(mode & 0666) | 0600;
}

/* Returns 0 or the errno of the failure. */
static int write_file(const void *bytes, size_t size, const char *path, bool replace, bool nameless)
{
    struct fm_atomic_file file;
    if (!fm_atomic_file_open(&file, path, 0600, nameless))
        return errno;
    int failed = write_all(file.fd, bytes, size);
    fchmod(file.fd, wanted_mode()); /* nothing to be done if the file system has no modes */
    if (!failed && !fm_atomic_file_publish(&file, path, replace))
        failed = errno;
    if (failed)
        fm_atomic_file_discard(&file);
    if (close(file.fd) && !failed)
        failed = errno;
    return failed;
}

static enum fm_status write_bytes(const void *bytes, size_t size, const char *path, bool *taken, struct fm_arena *arena,
                                  struct fm_error *error)
{
    enum fm_status status = check_replaceable(path, error);
    if (status)
        return status;
    int failed = write_file(bytes, size, path, !taken, true);
    if (failed && failed != EEXIST && failed != ENOSPC) /* the file system or a security module may not allow links */
        failed = write_file(bytes, size, path, !taken, false);
    if (taken)
        *taken = failed == EEXIST;
    if (failed)
        return cannot_write(path, failed, error);
    failed = sync_directory(path, arena);
    if (failed)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot sync %s to disk: %s", path, reason(failed));
    return FM_OK;
}

static enum fm_status write_profile(const struct fm_profile *profile, const char *path, bool *taken,
                                    struct fm_error *error)
{
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    struct fm_profile written = *profile;
    written.job.merge_version = FM_VERSION;
    enum fm_status status = fm_profile_encode(&written, &arena, &bytes, &size, error);
    if (!status && !fm_file_may_reach(size))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: it would exceed the limit on file size (ulimit -f).",
                         path);
    if (!status)
        status = write_bytes(bytes, size, path, taken, &arena, error);
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_profile_write(const struct fm_profile *profile, const char *path, struct fm_error *error)
{
    return write_profile(profile, path, NULL, error);
}

enum fm_status fm_profile_write_new(const struct fm_profile *profile, const char *path, bool *taken,
                                    struct fm_error *error)
{
    *taken = false;
    return write_profile(profile, path, taken, error);
}
