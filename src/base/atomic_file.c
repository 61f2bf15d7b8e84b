/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

/* .fathom-<boot>-<pid namespace>-<pid>-<start time>.tmp */
#define PREFIX ".fathom-"
#define SUFFIX ".tmp"
enum { BOOT_CHARACTERS = 8, FOREIGN_SECONDS = 3600 };

/* "a/b/" for a/b/c, "." for c */
static void directory_of(const char *path, char directory[FM_ATOMIC_FILE_PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(directory, FM_ATOMIC_FILE_PATH_BYTES, "%.*s", (int)(slash + 1 - path), path);
    else
        snprintf(directory, FM_ATOMIC_FILE_PATH_BYTES, ".");
}

static void make_temporary_name(const char *directory, char path[FM_ATOMIC_FILE_PATH_BYTES])
{
    char boot[40];
    pid_t pid = getpid();
    fm_boot_id(boot);
    snprintf(path, FM_ATOMIC_FILE_PATH_BYTES, "%.3900s/" PREFIX "%.*s-%llu-%d-%llu" SUFFIX, directory, BOOT_CHARACTERS,
             boot, (unsigned long long)fm_pid_namespace(), (int)pid, (unsigned long long)fm_process_start_time(pid));
}

bool fm_atomic_file_open(struct fm_atomic_file *file, const char *path, mode_t mode, bool nameless)
{
    char directory[FM_ATOMIC_FILE_PATH_BYTES];
    directory_of(path, directory);
    make_temporary_name(directory, file->temporary);
    file->named = false;
    file->fd = -1;
    if (nameless && access("/proc/self/fd", X_OK) == 0) /* without privileges, the only way to give it a name */
        file->fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    if (file->fd < 0) {
        file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        file->named = file->fd >= 0;
    }
    return file->fd >= 0;
}

static bool link_as(struct fm_atomic_file *file, const char *path)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Where the file system does not support RENAME_NOREPLACE (NFS), the name is reserved with a link or an empty file. */
static bool rename_noreplace(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EEXIST && link(from, to) == 0)
        return unlink(from) == 0;
    if (errno == EEXIST)
        return false;
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    return rename(from, to) == 0;
}

bool fm_atomic_file_publish(struct fm_atomic_file *file, const char *path, bool replace)
{
    if (!file->named && !replace)
        return link_as(file, path);
    if (!file->named)
        file->named = link_as(file, file->temporary);
    bool done = file->named && (replace ? rename(file->temporary, path) == 0 : rename_noreplace(file->temporary, path));
    file->named = file->named && !done;
    return done;
}

void fm_atomic_file_discard(struct fm_atomic_file *file)
{
    int reason = errno;
    if (file->named)
        unlink(file->temporary);
    file->named = false;
    errno = reason;
}

/* ---- abandoned files ---- */

static bool is_temporary(const char *name)
{
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

/* Nothing is known about a writer on another host or in another container, but none takes an hour. */
bool fm_atomic_file_is_abandoned(int directory_fd, const char *name)
{
    char boot[40], own[40];
    unsigned long long pid_namespace, start;
    int pid;
    struct stat st;
    if (!is_temporary(name) ||
        sscanf(name, PREFIX "%39[0-9a-f]-%llu-%d-%llu" SUFFIX, boot, &pid_namespace, &pid, &start) != 4 ||
        fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return false;
    fm_boot_id(own);
    own[BOOT_CHARACTERS] = 0;
    if (strcmp(boot, own) == 0 && pid_namespace == fm_pid_namespace())
        return !fm_process_alive(pid, start);
    return time(NULL) - st.st_mtime >= FOREIGN_SECONDS;
}
