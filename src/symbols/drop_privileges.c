/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "symbols/drop_privileges.h"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool set_groups(uid_t uid, gid_t gid)
{
    const struct passwd *entry = getpwuid(uid);
    if (entry)
        return initgroups(entry->pw_name, entry->pw_gid) == 0 &&
               setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) == 0;
    return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0;
}

bool fm_drop_privileges(uid_t uid, gid_t gid)
{
    if (uid == 0 || !set_groups(uid, gid) || setresuid(uid, uid, uid) != 0)
        return false;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return setuid(0) != 0; /* it must not be possible to go back */
}
