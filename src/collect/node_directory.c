/* SPDX-License-Identifier: BSD-3-Clause */
/* The directories of segments. Anybody can create a directory with the name of ours in /dev/shm or /tmp, so one is used
 * only if it belongs to the user and nobody else has access. Otherwise the name with the next number is tried. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/lock.h"
#include "collect/node_files.h"

const char *fm_node_reason(int number)
{
    const char *text = strerrordesc_np(number);
    return text ? text : "unknown error";
}

/* ---- ownership ---- */

/* What is wrong with a directory and what to do about it; NULL if it is private to the user. */
static const char *problem(const struct stat *st)
{
    if (S_ISLNK(st->st_mode))
        return "is a symbolic link; set FATHOM_DIR to a directory of your own";
    if (!S_ISDIR(st->st_mode))
        return "is not a directory; set FATHOM_DIR to one of your own";
    if (st->st_uid != getuid())
        return "belongs to another user; set FATHOM_DIR to a directory of your own";
    return st->st_mode & 077 ? "is accessible to other users; run chmod 700 on it" : NULL;
}

bool fm_node_is_own_file(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == getuid() && st->st_nlink <= 1;
}

int fm_node_directory_open(const char *path, struct fm_error *error)
{
    struct stat st;
    const char *why = NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !(why = problem(&st))))
        return fd;
    if (fd < 0 && errno != ENOENT && lstat(path, &st) == 0)
        why = problem(&st);
    if (fd >= 0)
        close(fd);
    int reason = why ? EPERM : errno;
    fm_fail(error, FM_ERR_SYSTEM, "%s %s", path, why ? why : fm_node_reason(errno));
    errno = reason;
    return -1;
}

enum fm_status fm_node_directory_make(const char *path, struct fm_error *error)
{
    struct stat st;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %s; set FATHOM_DIR to a directory of your own", path,
                       fm_node_reason(errno));
    if (lstat(path, &st) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %s", path, fm_node_reason(errno));
    const char *why = problem(&st);
    if (why)
        return fm_fail(error, FM_ERR_SYSTEM, "%s %s", path, why);
    if ((st.st_mode & 0700) != 0700 && chmod(path, 0700) != 0) /* the umask may remove even the owner's permissions */
        return fm_fail(error, FM_ERR_SYSTEM, "%s is not accessible; run: chmod 700 %s", path, path);
    return FM_OK;
}

/* ---- location ---- */

static void numbered_path(char path[FM_FILE_PATH_BYTES], const char *parent, unsigned number)
{
    int length = snprintf(path, FM_FILE_PATH_BYTES, "%.3800s/fathom-%u", parent, (unsigned)getuid());
    if (number > 1)
        snprintf(path + length, FM_FILE_PATH_BYTES - (size_t)length, "-%u", number);
}

static bool is_own_directory(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && !problem(&st);
}

static bool is_missing(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 && errno == ENOENT;
}

/* The first one that is ours already: nobody can take it from us, so all processes and collectors find the same one,
 * whatever others create or remove. If there is none, the first unused name. */
static void choose_directory(char path[FM_FILE_PATH_BYTES], const char *parent)
{
    unsigned unused = 0;
    for (unsigned number = 1; number <= FM_NODE_NUMBERS; number++) {
        numbered_path(path, parent, number);
        if (is_own_directory(path))
            return;
        if (!unused && is_missing(path))
            unused = number;
    }
    numbered_path(path, parent, unused ? unused : 1);
}

static const char *fallback_parent(void)
{
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

void fm_node_directory(char path[FM_FILE_PATH_BYTES])
{
    const char *given = getenv("FATHOM_DIR");
    if (given && *given)
        snprintf(path, FM_FILE_PATH_BYTES, "%s", given);
    else
        choose_directory(path, "/dev/shm");
}

void fm_node_fallback_directory(char path[FM_FILE_PATH_BYTES])
{
    choose_directory(path, fallback_parent());
}

bool fm_node_other_directory(const char *directory, char other[FM_FILE_PATH_BYTES])
{
    char usual[FM_FILE_PATH_BYTES];
    fm_node_directory(usual);
    fm_node_fallback_directory(other);
    if (strcmp(usual, other) == 0)
        return false;
    if (strcmp(directory, usual) == 0)
        return true;
    bool known = strcmp(directory, other) == 0;
    memcpy(other, usual, sizeof usual);
    return known;
}

bool fm_node_directory_refused(struct fm_error *error)
{
    char first[FM_FILE_PATH_BYTES], instead[FM_FILE_PATH_BYTES];
    struct stat st;
    const char *given = getenv("FATHOM_DIR"), *why;
    if (given && *given)
        snprintf(first, sizeof first, "%s", given);
    else
        numbered_path(first, "/dev/shm", 1);
    if (lstat(first, &st) != 0 || !(why = problem(&st)))
        return false;
    fm_node_directory(instead);
    if (strcmp(first, instead) == 0)
        fm_node_fallback_directory(instead);
    fm_fail(error, FM_ERR_SYSTEM, "%s %s; using %s instead", first, why, instead);
    return true;
}

/* Whether paths[n] differs from all before it. */
static bool is_new(char paths[][FM_FILE_PATH_BYTES], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(paths[i], paths[n]) == 0)
            return false;
    return true;
}

size_t fm_node_directories(char paths[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES])
{
    const char *given = getenv("FATHOM_DIR");
    const char *parents[] = {given && *given ? NULL : "/dev/shm", fallback_parent()};
    size_t n = 0;
    fm_node_directory(paths[n]);
    n += is_missing(paths[n]) || is_own_directory(paths[n]);
    fm_node_fallback_directory(paths[n]);
    n += is_new(paths, n) && (is_missing(paths[n]) || is_own_directory(paths[n]));
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        for (unsigned number = 1; parents[i] && number <= FM_NODE_NUMBERS; number++) {
            numbered_path(paths[n], parents[i], number);
            n += is_new(paths, n) && is_own_directory(paths[n]);
        }
    return n;
}

int fm_node_lock(const char *directory)
{
    int fd = fm_node_directory_open(directory, NULL);
    if (fd < 0)
        return -1;
    if (fm_file_lock(fd) == FM_LOCKED)
        return fd;
    close(fd);
    return -1;
}
