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

#include "base/path.h"
#include "cli/run_env.h"
#include "symbols/elf.h"

/* ---- the launcher ---- */

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* Hydra and srun hand every variable on; other relatives of theirs (mpirun_rsh) do not. Intel's mpirun is a script
 * beside its Hydra. */
static bool is_hydra(const char *name, const char *path)
{
    char beside[PATH_MAX + 16];
    const char *slash = strrchr(path, '/');
    if (strchr(name, '_') || (!begins(name, "mpirun") && !begins(name, "mpiexec")))
        return false;
    snprintf(beside, sizeof beside, "%.*s/mpiexec.hydra", (int)(slash - path), path);
    return access(beside, X_OK) == 0;
}

static bool hands_all_on(const char *launcher)
{
    char path[PATH_MAX];
    const char *name = fm_last_part(launcher);
    if (fm_is_openmpi(launcher)) /* it is told to: see run_env.c */
        return true;
    if (strcmp(name, "srun") == 0)
        return !getenv("SLURM_EXPORT_ENV");
    return fm_find_command(launcher, path) && is_hydra(name, path);
}

/* ---- its words ---- */

/* Options whose arguments may look like a program. */
static int arguments_of(const char *option)
{
    static const struct {
        const char *name;
        int arguments;
    } known[] = {{"mca", 2},
                 {"gmca", 2},
                 {"prtemca", 2},
                 {"genv", 2},
                 {"env", 2},
                 {"x", 1},
                 {"prefix", 1},
                 {"launcher", 1},
                 {"launcher-exec", 1},
                 {"bootstrap", 1},
                 {"hostfile", 1},
                 {"f", 1},
                 {"bootstrap-exec", 1},
                 {"machinefile", 1},
                 {"host", 1},
                 {"hosts", 1},
                 {"H", 1},
                 {"rankfile", 1},
                 {"output-filename", 1},
                 {"w", 1}};
    const char *name = option + strspn(option, "-");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].arguments;
    return 0;
}

/* Several programs, other variables for some of the ranks, or another directory to look for the program in. */
static bool is_doubtful(const char *word)
{
    static const char *const names[] = {"app",      "configfile", "multi-prog", "export",    "tune",     "wdir",
                                        "wd",       "chdir",      "D",          "envnone",   "genvnone", "envlist",
                                        "genvlist", "envexcl",    "genvexcl",   "het-group", "path"};
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0)
            return true;
    return false;
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

/* A script starts others, and may do so in its own way on each host. */
static bool is_binary(const char *path)
{
    struct fm_elf elf;
    if (fm_elf_open(&elf, path, NULL) != FM_OK)
        return false;
    fm_elf_close(&elf);
    return true;
}

/* The first word that can be executed: a number or a host's name cannot. If it is a program that starts another one
 * (env, numactl), the ranks find that they have another name. */
const char *fm_launch_program(char **command)
{
    char path[PATH_MAX];
    const char *program = NULL;
    if (!hands_all_on(command[0]))
        return NULL;
    for (char **word = command + 1; *word; word++) {
        if (strcmp(*word, ":") == 0)
            return NULL;
        if (program)
            continue;
        if (**word == '-') {
            if (is_doubtful(*word))
                return NULL;
            for (int n = arguments_of(*word); n > 0 && word[1]; n--)
                word++;
        } else if (find_program(*word, path)) {
            program = *word;
        }
    }
    return program && is_binary(path) ? program : NULL;
}

/* ---- the library ---- */

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
