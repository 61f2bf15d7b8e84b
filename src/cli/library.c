/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rejects a path that cannot be in LD_PRELOAD, where colons and blanks are separators. */
static enum fm_status check_path(const char *path, struct fm_error *error)
{
    if (strpbrk(path, ": "))
        return fm_fail(error, FM_ERR_SYSTEM,
                       "%s: a path with a space or a colon cannot be preloaded; install Fathom elsewhere", path);
    return FM_OK;
}

enum fm_status fm_library_find(char path[FM_FILE_PATH_BYTES], struct fm_error *error)
{
    static const char *const places[] = {"", "../lib/", "../lib/x86_64-linux-gnu/", "../lib/aarch64-linux-gnu/",
                                         "../lib64/"};
    const char *given = getenv("FATHOM_LIBRARY");
    char folder[PATH_MAX], resolved[PATH_MAX];
    if (given && *given) {
        if (!realpath(given, resolved) || access(resolved, R_OK) != 0)
            return fm_fail(error, FM_ERR_SYSTEM, "%s: %s; check FATHOM_LIBRARY", given, strerror(errno));
        snprintf(path, FM_FILE_PATH_BYTES, "%s", resolved);
        return check_path(path, error);
    }
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n <= 0)
        return fm_fail(error, FM_ERR_SYSTEM, "/proc/self/exe: %s; set FATHOM_LIBRARY", strerror(errno));
    folder[n] = 0;
    char *slash = strrchr(folder, '/');
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char tried[PATH_MAX + 64];
        snprintf(tried, sizeof tried, "%s/%s%s", folder, places[i], FM_LIBRARY_NAME);
        if (access(tried, R_OK) == 0 && realpath(tried, resolved)) {
            snprintf(path, FM_FILE_PATH_BYTES, "%s", resolved);
            return check_path(path, error);
        }
    }
    return fm_fail(error, FM_ERR_SYSTEM, "cannot find %s in %s or in the lib directory next to it; set FATHOM_LIBRARY",
                   FM_LIBRARY_NAME, folder);
}
