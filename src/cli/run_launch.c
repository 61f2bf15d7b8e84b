/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_launch.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/names.h"
#include "cli/commands.h"
#include "mpi/options.h"
#include "symbols/elf.h"

/* ---- launcher ---- */

/* Other relatives of Hydra (mpirun_rsh) do not export all variables. Intel's mpirun is a script next to its Hydra. */
static bool is_hydra(const char *name, const char *path)
{
    char beside[PATH_MAX + 16];
    const char *slash = strrchr(path, '/');
    if (strchr(name, '_') || !fm_names_begin(fm_launchers[FM_LAUNCHER_HYDRA].commands, name))
        return false;
    snprintf(beside, sizeof beside, "%.*s/%s", (int)(slash - path), path, FM_HYDRA_COMMAND);
    return access(beside, X_OK) == 0;
}

static bool passes_environment(const char *command)
{
    char path[PATH_MAX];
    const struct fm_launcher *launcher = fm_launcher_of(command);
    if (*launcher->export_option) /* variables are named explicitly: see run_env.c */
        return true;
    if (launcher == &fm_launchers[FM_LAUNCHER_HYDRA] &&
        (!fm_find_command(command, path) || !is_hydra(fm_basename(command), path)))
        return false;
    return launcher->passes_environment && !(*launcher->hands_less && getenv(launcher->hands_less));
}

/* ---- command line ---- */

static bool is_doubtful(const char *word)
{
    const struct fm_launcher_option *option = fm_launcher_option(word);
    return option && option->about == FM_OPTION_DOUBTFUL;
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Launchers look in PATH and in the current directory. */
static bool find_program(const char *word, char path[PATH_MAX])
{
    if (!strchr(word, '/') && fm_find_command(word, path) && is_program(path))
        return true;
    snprintf(path, PATH_MAX, "%s", word);
    return is_program(path);
}

/* A script starts other programs, and may do so differently on each host. */
static bool is_binary(const char *path)
{
    struct fm_elf elf;
    if (fm_elf_open(&elf, path, NULL) != FM_OK)
        return false;
    fm_elf_close(&elf);
    return true;
}

/* The first word that can be executed, which numbers and host names cannot. If it is a program that starts another one
 * (env, numactl), the ranks notice that they have a different name. */
const char *fm_launch_program(char **command)
{
    char path[PATH_MAX];
    const char *program = NULL;
    if (!passes_environment(command[0]))
        return NULL;
    for (char **word = command + 1; *word; word++) {
        if (strcmp(*word, ":") == 0)
            return NULL;
        if (program)
            continue;
        if (**word == '-') {
            if (is_doubtful(*word))
                return NULL;
            for (int n = fm_launcher_option_arguments(*word); n > 0 && word[1]; n--)
                word++;
        } else if (find_program(*word, path)) {
            program = *word;
        }
    }
    return program && is_binary(path) ? program : NULL;
}

/* ---- library ---- */

bool fm_launch_is_shared(const char *path)
{
    static const uint32_t kinds[] = {
        0x6969,     /* NFS */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x00c36400, /* CephFS */
        0xaad7aaea, /* PanFS */
        0x013111a8, /* OpenAFS */
        0x5346414f, /* AFS of the kernel */
        0x73757245, /* Coda */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 and later */
        0x517b,     /* SMB */
        0x20030528, /* OrangeFS */
        0x01161970, /* GFS2 */
        0x7461636f, /* OCFS2 */
    };
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)fs.f_type == kinds[i])
            return true;
    return false;
}
