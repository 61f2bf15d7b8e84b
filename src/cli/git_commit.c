/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/git_commit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"

enum {
    MAX_LEVELS = 64,            /* folders upwards */
    MAX_REFERENCES = 5,         /* a reference that names another one */
    REFERENCE_BYTES = 1024,     /* of a file with one, and of a line with one */
    MAX_PACKED_BYTES = 64 << 20 /* of the file with all other references */
};

/* ---- files inside a folder ---- */

static bool is_regular(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* A regular file, without following links on the way. Returns -1 if there is none. */
static int open_inside(int dir, const char *path)
{
    char name[NAME_MAX + 1];
    int at = dir;
    for (;;) {
        size_t length = strcspn(path, "/");
        bool last = !path[length];
        int next = -1;
        if (length > 0 && length < sizeof name) {
            memcpy(name, path, length);
            name[length] = 0;
            if (!last)
                next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            else if (is_regular(at, name)) /* a pipe or a device must not even be opened */
                next = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        }
        if (at != dir)
            close(at);
        if (next < 0 || last)
            return next;
        at = next;
        path += length + 1;
    }
}

/* The first line of a file, without its end. False if there is no file, or the line is too long. */
static bool read_line(int dir, const char *path, char line[], size_t size)
{
    int fd = open_inside(dir, path);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, line, size);
    close(fd);
    if (n <= 0 || (size_t)n == size)
        return false;
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return line[0];
}

/* ---- references ---- */

/* As git allows it, and as it can be a path inside the repository. */
static bool is_reference(const char *name)
{
    if (!fm_begins_with(name, "refs/") || strstr(name, "..") || strstr(name, "/.") || strstr(name, "//") ||
        strpbrk(name, " ~^:?*[\\\177"))
        return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    return true;
}

/* What git itself writes: SHA-1 or SHA-256. */
static bool take_id(const char *text, char commit[FM_COMMIT_BYTES])
{
    size_t n = strspn(text, "0123456789abcdef");
    if ((n != 40 && n != 64) || text[n])
        return false;
    memcpy(commit, text, n + 1);
    return true;
}

/* "ID NAME" in the file that has all references without a file of their own. */
static bool find_packed(int common, const char *name, char commit[FM_COMMIT_BYTES])
{
    char line[REFERENCE_BYTES];
    bool found = false, whole = true;
    int fd = open_inside(common, "packed-refs");
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    /* by its position: what is read may have NULs, and a file of nothing else can be of any size */
    while (!found && ftello(file) < MAX_PACKED_BYTES && fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        bool starts = whole;
        whole = length && line[length - 1] == '\n';
        char *space = strchr(line, ' ');
        if (!starts || !whole || !space)
            continue;
        line[length - 1] = *space = 0;
        found = strcmp(space + 1, name) == 0 && take_id(line, commit);
    }
    fclose(file);
    return found;
}

static bool resolve(int git, int common, char commit[FM_COMMIT_BYTES])
{
    char line[REFERENCE_BYTES], name[REFERENCE_BYTES];
    if (!read_line(git, "HEAD", line, sizeof line))
        return false;
    for (int i = 0; i < MAX_REFERENCES; i++) {
        if (take_id(line, commit))
            return true;
        const char *to = fm_begins_with(line, "ref:") ? line + 4 + strspn(line + 4, " \t") : "";
        if (!is_reference(to))
            return false;
        snprintf(name, sizeof name, "%s", to);
        if (!read_line(git, name, line, sizeof line) && !read_line(common, name, line, sizeof line))
            return find_packed(common, name, commit);
    }
    return false;
}

/* ---- repositories ---- */

/* As git asks, too: else anybody could put a repository above everybody's folders, in /tmp. */
static bool is_trusted(const struct stat *st, uid_t owner)
{
    return st->st_uid == 0 || st->st_uid == geteuid() || st->st_uid == owner;
}

static int open_trusted(int at, const char *path, int flags, uid_t owner)
{
    struct stat st;
    int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (dir >= 0 && (fstat(dir, &st) != 0 || !is_trusted(&st, owner))) {
        close(dir);
        return -1;
    }
    return dir;
}

/* The folder itself, or the one that a file names: a work tree of another repository, or a submodule. */
static int open_repository(int folder, uid_t owner)
{
    char line[PATH_MAX];
    static const char prefix[] = "gitdir: ";
    int git = open_trusted(folder, ".git", O_NOFOLLOW, owner);
    if (git >= 0 || !read_line(folder, ".git", line, sizeof line) || !fm_begins_with(line, prefix))
        return git;
    return open_trusted(folder, line + sizeof prefix - 1, 0, owner);
}

static bool read_repository(int folder, uid_t owner, char commit[FM_COMMIT_BYTES])
{
    char line[PATH_MAX];
    int git = open_repository(folder, owner);
    if (git < 0)
        return false;
    bool shared = read_line(git, "commondir", line, sizeof line); /* references of a work tree are there */
    int common = shared ? open_trusted(git, line, 0, owner) : git;
    bool found = common >= 0 && resolve(git, common, commit);
    if (common >= 0 && common != git)
        close(common);
    close(git);
    return found;
}

bool fm_git_commit(const char *path, char commit[FM_COMMIT_BYTES])
{
    char folder[PATH_MAX];
    struct stat start, st;
    if (!realpath(path, folder) || stat(folder, &start) != 0)
        return false;
    if (!S_ISDIR(start.st_mode))
        *strrchr(folder, '/') = 0;
    for (int level = 0; level < MAX_LEVELS; level++) {
        int dir = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir < 0 || fstat(dir, &st) != 0 || st.st_dev != start.st_dev) {
            if (dir >= 0)
                close(dir);
            return false;
        }
        bool here = fstatat(dir, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0;
        bool found = here && is_trusted(&st, start.st_uid) && read_repository(dir, start.st_uid, commit);
        close(dir);
        if (here || strlen(folder) <= 1)
            return found;
        *strrchr(folder, '/') = 0;
    }
    return false;
}
