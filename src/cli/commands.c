/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/names.h"

/* Programs that only start others; another `fathom run` is one of them. */
bool fm_is_launcher(const char *command)
{
    const char *name = fm_basename(command);
    return fm_launcher_is_command(name) || fm_launcher_is_process(name) ||
           (fm_begins_with(name, "fathom") && strchr(".-_", name[strlen("fathom")]));
}

/* As the shell would find it, with symbolic links resolved. */
bool fm_find_command(const char *command, char resolved[PATH_MAX])
{
    char found[PATH_MAX] = "";
    if (strchr(command, '/')) {
        snprintf(found, sizeof found, "%s", command);
    } else {
        const char *path = getenv("PATH");
        for (const char *at = path; at && *at; at += strspn(at, ":")) {
            size_t length = strcspn(at, ":");
            snprintf(found, sizeof found, "%.*s/%s", (int)(length > 3000 ? 3000 : length), at, command);
            if (access(found, X_OK) == 0)
                break;
            at += length;
            found[0] = 0;
        }
    }
    return *found && realpath(found, resolved);
}

static bool is_openmpi(const char *command)
{
    char resolved[PATH_MAX];
    if (!fm_find_command(command, resolved))
        return false;
    return fm_launcher_is_openmpi(resolved);
}

const struct fm_launcher *fm_launcher_of(const char *command)
{
    const struct fm_launcher *slurm = &fm_launchers[FM_LAUNCHER_SLURM];
    if (fm_launcher_has_command(slurm, fm_basename(command)))
        return slurm;
    return &fm_launchers[is_openmpi(command) ? FM_LAUNCHER_OPENMPI : FM_LAUNCHER_HYDRA];
}
