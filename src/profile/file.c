#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "profile/encode.h"
#include "profile/fields.h"

enum { FM_READ_STEP = 1 << 20 };
static const size_t most_bytes = (size_t)1 << 32; /* no profile is so large; an endless device is refused */

/* The system's word for an error, without memory from the program's heap. */
static const char *reason(int number)
{
    const char *text = strerrordesc_np(number);
    return text ? text : "unknown error";
}

/* No profile, or more than one: the rest, which may be endless, is not read; the decoder says what is wrong. */
static bool longer_than_a_profile(const char *bytes, size_t n)
{
    uint64_t size;
    if (n < 20)
        return false;
    memcpy(&size, bytes + 12, sizeof size);
    return memcmp(bytes, FM_PROFILE_MAGIC, 8) != 0 || n > size;
}

static enum fm_status read_all(int fd, const char *path, struct fm_arena *arena, char **bytes, size_t *size,
                               struct fm_error *error)
{
    size_t capacity = 0, n = 0;
    char *buffer = NULL;
    for (;;) {
        buffer = n < most_bytes ? fm_arena_grow(arena, buffer, &capacity, n + FM_READ_STEP, 1) : NULL;
        if (!buffer)
            return fm_fail(error, FM_ERR_MEMORY, "%s is too large to be read", path);
        ssize_t got = read(fd, buffer + n, capacity - n);
        if (got == 0)
            break;
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %s", path, reason(errno));
        if (longer_than_a_profile(buffer, n))
            break;
    }
    *bytes = buffer;
    *size = n;
    return FM_OK;
}

enum fm_status fm_profile_read(const char *path, struct fm_profile **profile, struct fm_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %s", path, reason(errno));
    struct fm_arena arena = {0};
    char *bytes = NULL;
    size_t size = 0;
    enum fm_status status = read_all(fd, path, &arena, &bytes, &size, error);
    if (!status)
        status = fm_profile_decode(bytes, size, path, profile, error);
    close(fd);
    fm_arena_destroy(&arena);
    return status;
}

/* errno of what failed, or 0. */
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

/* Makes the new name durable. Some file systems cannot sync a directory: then the rename has to do. */
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

/* A name beside `path` that no other process, on this host or another, is using. */
static char *temporary_name(const char *path, struct fm_arena *arena)
{
    size_t size = strlen(path) + 64;
    char *name = fm_arena_alloc(arena, size);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (name)
        snprintf(name, size, "%s.%lx-%lx%lx.tmp", path, (long)getpid(), (long)now.tv_sec, now.tv_nsec);
    return name;
}

/* The new file under its temporary name, open; -1: *status says why not. Only a file is taken the place of, never a
 * device or a directory. */
static int make_temporary(const char *path, struct fm_arena *arena, char **temporary, enum fm_status *status,
                          struct fm_error *error)
{
    struct stat st;
    int fd = -1;
    *temporary = temporary_name(path, arena);
    *status = FM_OK;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        *status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: it is there and is no file; name another one", path);
    else if (!*temporary)
        *status = fm_fail(error, FM_ERR_MEMORY, "no memory left to write %s", path);
    else if ((fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) < 0)
        *status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, reason(errno));
    return fd;
}

enum fm_status fm_profile_may_write(const char *path, struct fm_error *error)
{
    struct fm_arena arena = {0};
    enum fm_status status;
    char *temporary;
    int fd = make_temporary(path, &arena, &temporary, &status, error);
    if (fd >= 0) {
        close(fd);
        unlink(temporary);
    }
    fm_arena_destroy(&arena);
    return status;
}

static enum fm_status write_bytes(const void *bytes, size_t size, const char *path, struct fm_arena *arena,
                                  struct fm_error *error)
{
    enum fm_status status;
    char *temporary;
    int fd = make_temporary(path, arena, &temporary, &status, error);
    if (fd < 0)
        return status;
    int failed = write_all(fd, bytes, size);
    if (close(fd) && !failed)
        failed = errno;
    if (!failed && rename(temporary, path))
        failed = errno;
    if (failed) {
        unlink(temporary);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, reason(failed));
    }
    failed = sync_directory(path, arena);
    if (failed)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot make %s durable: %s", path, reason(failed));
    return FM_OK;
}

enum fm_status fm_profile_write(const struct fm_profile *profile, const char *path, struct fm_error *error)
{
    struct fm_arena arena = {0};
    const void *bytes;
    size_t size;
    enum fm_status status = fm_profile_encode(profile, &arena, &bytes, &size, error);
    if (!status && !fm_file_may_reach(size))
        status = fm_fail(error, FM_ERR_SYSTEM,
                         "cannot write %s: it would be larger than the limit on file sizes (ulimit -f) allows.", path);
    if (!status)
        status = write_bytes(bytes, size, path, &arena, error);
    fm_arena_destroy(&arena);
    return status;
}
