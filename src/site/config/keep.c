/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/config/keep.h"

#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static bool is_service(uid_t uid)
{
    char bytes[4096];
    struct passwd entry, *found = NULL;
    return getpwnam_r("fathom", &entry, bytes, sizeof bytes, &found) == 0 && found && found->pw_uid == uid;
}

const char *fm_site_keep_fault(const struct stat *st)
{
    if (!S_ISDIR(st->st_mode))
        return "is no directory";
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "can be written to by others than its owner";
    if (st->st_uid != 0 && st->st_uid != geteuid() && !is_service(st->st_uid))
        return "belongs neither to root nor to the user fathom";
    return NULL;
}
