/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/kept_index.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/encode.h"
#include "site/config/keep.h"

#define SUFFIX ".fathom"

struct fm_site_kept_look {
    const struct fm_site_kept *before;
    struct fm_site_kept_profile *profiles;
    size_t n, capacity, read, most;
    bool complete;
};

static int compare(const void *a, const void *b)
{
    const struct fm_site_kept_profile *left = a, *right = b;
    int order = strcmp(left->key, right->key);
    return order ? order : (left->owner > right->owner) - (left->owner < right->owner);
}

const struct fm_site_kept_profile *fm_site_kept_find(const struct fm_site_kept *kept, const char *key, int64_t owner)
{
    struct fm_site_kept_profile wanted = {.owner = (uid_t)owner};
    if (strlen(key) != FM_RECORD_KEY_CHARS - 1 || owner < 0 || !kept->n)
        return NULL;
    strcpy(wanted.key, key);
    return bsearch(&wanted, kept->profiles, kept->n, sizeof wanted, compare);
}

/* ---- looking ---- */

static const struct fm_site_kept_profile *known_before(const struct fm_site_kept *before, const struct stat *st)
{
    for (size_t i = 0; i < before->n; i++) {
        const struct fm_site_kept_profile *profile = &before->profiles[i];
        if (profile->inode == st->st_ino && profile->device == st->st_dev &&
            profile->modified.tv_sec == st->st_mtim.tv_sec && profile->modified.tv_nsec == st->st_mtim.tv_nsec)
            return profile;
    }
    return NULL;
}

static void read_key(const char *path, char key[FM_RECORD_KEY_CHARS])
{
    struct fm_profile *profile;
    if (fm_profile_read_overview(path, &profile, NULL))
        return;
    fm_record_key_of(profile->job.key, key);
    fm_profile_destroy(profile);
}

static void add(struct fm_site_kept_look *look, const char *path, const struct stat *st)
{
    const struct fm_site_kept_profile *known = known_before(look->before, st);
    if (!known && look->read == look->most) {
        look->complete = false;
        return;
    }
    if (look->n == look->capacity) {
        size_t capacity = look->capacity ? 2 * look->capacity : 64;
        struct fm_site_kept_profile *grown = realloc(look->profiles, capacity * sizeof *grown);
        if (!grown)
            return;
        look->profiles = grown;
        look->capacity = capacity;
    }
    struct fm_site_kept_profile *profile = &look->profiles[look->n];
    *profile = (struct fm_site_kept_profile){
        .path = strdup(path), .device = st->st_dev, .inode = st->st_ino, .modified = st->st_mtim, .owner = st->st_uid};
    if (!profile->path)
        return;
    look->n++;
    if (known) {
        strcpy(profile->key, known->key);
        return;
    }
    look->read++;
    read_key(path, profile->key);
}

static bool is_month(const char *name)
{
    return strlen(name) == 7 && name[4] == '-' && strspn(name, "0123456789") == 4 &&
           strspn(name + 5, "0123456789") == 2;
}

static bool is_profile(const char *name)
{
    size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
    return *name != '.' && length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

static void look_into(struct fm_site_kept_look *look, int directory, const char *path)
{
    char file[4096];
    struct stat st;
    DIR *entries = fdopendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_profile(entry->d_name) && fstatat(directory, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            add(look, file, &st);
    if (entries)
        closedir(entries);
    else
        close(directory);
}

static bool is_safe(int directory)
{
    struct stat st;
    return fstat(directory, &st) == 0 && !fm_site_keep_fault(&st);
}

struct fm_site_kept_look *fm_site_kept_look(const struct fm_site_kept *kept, const char *directory, size_t most)
{
    struct fm_site_kept_look *look = calloc(1, sizeof *look);
    char path[4096];
    DIR *months = look ? opendir(directory) : NULL;
    if (!look)
        return NULL;
    *look = (struct fm_site_kept_look){.before = kept, .most = most, .complete = true};
    bool safe = months && is_safe(dirfd(months));
    for (struct dirent *month; safe && (month = readdir(months));) {
        int fd = is_month(month->d_name)
                     ? openat(dirfd(months), month->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                     : -1;
        if (fd >= 0 && is_safe(fd) && snprintf(path, sizeof path, "%s/%s", directory, month->d_name) < (int)sizeof path)
            look_into(look, fd, path);
        else if (fd >= 0)
            close(fd);
    }
    if (months)
        closedir(months);
    if (look->n)
        qsort(look->profiles, look->n, sizeof *look->profiles, compare);
    return look;
}

static void free_profiles(struct fm_site_kept *kept)
{
    for (size_t i = 0; i < kept->n; i++)
        free(kept->profiles[i].path);
    free(kept->profiles);
    kept->profiles = NULL;
    kept->n = 0;
}

void fm_site_kept_replace(struct fm_site_kept *kept, struct fm_site_kept_look *look)
{
    free_profiles(kept);
    kept->profiles = look->profiles;
    kept->n = look->n;
    kept->complete = look->complete;
    free(look);
}

void fm_site_kept_clear(struct fm_site_kept *kept)
{
    free_profiles(kept);
    for (size_t i = 0; i < FM_SITE_KEPT_OPEN; i++)
        fm_source_close(&kept->open[i].source);
}
