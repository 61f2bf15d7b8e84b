/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/profile_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

static bool is_profile_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(".fathom");
    return length > suffix && name[0] != '.' && strcmp(name + length - suffix, ".fathom") == 0;
}

static void tell(const struct fm_profile_files *files, const char *path, const char *what)
{
    char why[PATH_MAX + 64];
    snprintf(why, sizeof why, "cannot read %s%s: %s", what, path, strerror(errno));
    if (files->failed)
        files->failed(files->context, path, why);
}

static enum fm_status walk(const char *path, const struct fm_profile_files *files, unsigned depth)
{
    DIR *directory = opendir(path);
    enum fm_status status = FM_OK;
    if (!directory) {
        tell(files, path, "directory ");
        return FM_OK;
    }
    for (struct dirent *entry; !status && (entry = readdir(directory));) {
        char child[PATH_MAX];
        struct stat st;
        bool here = strcmp(path, ".") == 0;
        int length = snprintf(child, sizeof child, "%s%s%s", here ? "" : path,
                              here || path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name);
        if (length < 0 || length >= PATH_MAX || entry->d_name[0] == '.' || lstat(child, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && files->recursive && depth < MAX_DEPTH)
            status = walk(child, files, depth + 1);
        else if (is_profile_name(entry->d_name) && stat(child, &st) == 0 && S_ISREG(st.st_mode))
            status = files->found(files->context, child, &st);
    }
    closedir(directory);
    return status;
}

enum fm_status fm_profile_files_walk(const char *place, const struct fm_profile_files *files)
{
    struct stat st;
    if (stat(place, &st) != 0) {
        tell(files, place, "");
        return FM_OK;
    }
    return S_ISDIR(st.st_mode) ? walk(place, files, 0) : files->found(files->context, place, &st);
}
