/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run_env.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/names.h"
#include "cli/library.h"
#include "cli/run_launch.h"
#include "symbols/elf.h"

/* The ranks of one launcher on this host share the run id: they have the same parent. */
static void make_run_id(struct fm_run_env *env)
{
    if (env->rank) {
        fm_process_name(env->run_id, sizeof env->run_id, "ranks", getppid());
        return;
    }
    uint32_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        random[0] = (uint32_t)fm_process_start_time(getpid());
    snprintf(env->run_id, sizeof env->run_id, "%d-%08x%08x", (int)getpid(), random[0], random[1]);
}

static void make_absolute(const char *given, char path[FM_FILE_PATH_BYTES])
{
    char cwd[FM_FILE_PATH_BYTES];
    if (*given == '/' || !getcwd(cwd, sizeof cwd))
        snprintf(path, FM_FILE_PATH_BYTES, "%s", given);
    else
        snprintf(path, FM_FILE_PATH_BYTES, "%.2040s/%.2040s", cwd, given);
}

static bool valid_id(const char *id)
{
    size_t length = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-");
    return length > 0 && length < sizeof((struct fm_run_env *)0)->run_id && !id[length];
}

void fm_run_env_make(const struct fm_run_options *options, struct fm_run_env *env)
{
    char given[FM_FILE_PATH_BYTES];
    memset(env, 0, sizeof *env);
    const char *outer = getenv("FATHOM_RUN_ID"), *output = options->output ? options->output : getenv("FATHOM_OUTPUT");
    env->launcher = fm_is_launcher(options->command[0]);
    int size, rank = fm_launcher_rank(fm_own_variable, NULL, &size);
    env->rank = rank >= 0 && !env->launcher;
    env->first_rank = env->rank && rank == 0;
    env->outermost = !outer || !valid_id(outer);
    if (env->outermost)
        make_run_id(env);
    else
        snprintf(env->run_id, sizeof env->run_id, "%s", outer);
    if (output && *output)
        make_absolute(output, env->output);
    fm_node_directory(given);
    make_absolute(given, env->directory);
}

/* ---- passing variables to other hosts with Open MPI ---- */

static const struct fm_launcher *const openmpi = &fm_launchers[FM_LAUNCHER_OPENMPI];

/* Names of the variables that ranks need and that are set; at most `max`. */
static size_t names_to_pass(char names[][64], size_t max)
{
    size_t n = 0;
    for (char **variable = environ; *variable && n < max; variable++) {
        size_t length = strcspn(*variable, "=");
        bool wanted = strncmp(*variable, "LD_PRELOAD=", 11) == 0 ||
                      (strncmp(*variable, "FATHOM_", 7) == 0 && strncmp(*variable, "FATHOM_NAMED=", 13) != 0);
        if (wanted && length < 64)
            snprintf(names[n++], 64, "%.*s", (int)length, *variable);
    }
    return n;
}

static void extend_env_list(char names[][64], size_t n)
{
    const char *old = getenv(FM_OPENMPI_ENV_LIST), *given = getenv(FM_OPENMPI_ENV_DELIMITER);
    char delimiter = given && *given ? *given : ';';
    size_t size = (old ? strlen(old) : 0) + n * 66 + 1, used = 0;
    char *list = malloc(size);
    if (!list)
        return;
    used += (size_t)snprintf(list, size, "%s", old ? old : "");
    for (size_t i = 0; i < n; i++) {
        if (used)
            list[used++] = delimiter;
        used += (size_t)snprintf(list + used, size - used, "%s", names[i]);
    }
    setenv(FM_OPENMPI_ENV_LIST, list, 1);
    free(list);
}

static bool given_by_user(char **command, const char *name)
{
    size_t length = strlen(name);
    for (char **word = command; word[0] && word[1]; word++)
        if (strcmp(*word, openmpi->export_option) == 0 && strncmp(word[1], name, length) == 0 &&
            strchr("=", word[1][length]))
            return true;
    return false;
}

/* mpirun -x A ... becomes mpirun -x LD_PRELOAD -x FATHOM_RUN_ID -x A ... */
static char **insert_options(char **command, char names[][64], size_t n)
{
    size_t words = 0;
    while (command[words])
        words++;
    char **longer = calloc(words + 2 * n + 1, sizeof *longer);
    if (!longer)
        return command;
    size_t at = 0;
    longer[at++] = command[0];
    for (size_t i = 0; i < n; i++) {
        if (given_by_user(command, names[i]))
            continue;
        longer[at++] = (char *)openmpi->export_option;
        longer[at++] = names[i];
    }
    memcpy(longer + at, command + 1, words * sizeof *longer);
    return longer;
}

/* With ssh, only the variables named to Open MPI reach other hosts. Hydra of MPICH and srun pass on everything. */
static bool can_pass_to_hosts(char **command, bool *has_x)
{
    *has_x = false;
    bool has_list = false;
    for (char **word = command + 1; *word; word++) {
        *has_x |= strcmp(*word, openmpi->export_option) == 0;
        has_list |= strstr(*word, FM_OPENMPI_ENV_OPTION) || strcmp(*word, "-tune") == 0 || strcmp(*word, "--tune") == 0;
    }
    return !has_list && !(*has_x && getenv(FM_OPENMPI_ENV_LIST));
}

static char **pass_to_hosts(char **command)
{
    static char names[24][64]; /* must live until exec */
    bool has_x;
    if (fm_launcher_of(command[0]) != openmpi || !can_pass_to_hosts(command, &has_x))
        return command;
    size_t n = names_to_pass(names, sizeof names / sizeof *names);
    if (has_x)
        return insert_options(command, names, n);
    extend_env_list(names, n);
    return command;
}

/* For the ranks, which cannot determine this themselves: see runtime/job.c. */
static void pass_known_facts(const struct fm_run_env *env, char **command)
{
    const char *program = env->launcher ? fm_launch_program(command) : NULL, *old = getenv("LD_PRELOAD");
    bool has_x;
    unsetenv("FATHOM_LAUNCHED"); /* set by an outer run */
    if (!program || (fm_launcher_of(command[0]) == openmpi && !can_pass_to_hosts(command, &has_x)))
        return;
    setenv("FATHOM_LAUNCHED", program, 1);
    if (!(old && strstr(old, FM_LIBRARY_NAME)) && fm_launch_is_shared(env->library))
        setenv("FATHOM_EVERYWHERE", "1", 0);
}

/* ---- environment ---- */

static void prepend(const char *variable, const char *word)
{
    const char *old = getenv(variable);
    size_t size = strlen(word) + (old ? strlen(old) : 0) + 2;
    char *both = malloc(size);
    if (!both)
        return;
    snprintf(both, size, "%s%s%s", word, old && *old ? ":" : "", old ? old : "");
    setenv(variable, both, 1);
    free(both);
}

static void preload(const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    if (!old || !strstr(old, FM_LIBRARY_NAME))
        prepend("LD_PRELOAD", library);
}

static bool needs_sanitizer(const struct fm_elf *elf)
{
    for (size_t i = 0; i < elf->n_needed; i++)
        if (strstr(elf->needed[i], "libasan.so") || strstr(elf->needed[i], "libclang_rt.asan"))
            return true;
    return false;
}

/* For a program with AddressSanitizer and default options of its own: see runtime/interpose/sanitizers.c. Prepended, so
 * that options set by the user take precedence. */
static void allow_sanitizer(const char *program)
{
    char path[PATH_MAX];
    struct fm_elf elf;
    if (!program || !fm_find_command(program, path) || fm_elf_open(&elf, path, NULL))
        return;
    if (needs_sanitizer(&elf) && fm_elf_find(&elf, "__asan_default_options") == FM_ELF_DEFINED)
        prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
    fm_elf_close(&elf);
}

char **fm_run_env_apply(const struct fm_run_env *env, const struct fm_run_options *options)
{
    char text[16];
    if (!*env->library)
        return options->command;
    pass_known_facts(env, options->command);
    preload(env->library);
    allow_sanitizer(env->launcher ? fm_launch_program(options->command) : options->command[0]);
    setenv("FATHOM_RUN_ID", env->run_id, 1);
    if (*env->output)
        setenv("FATHOM_OUTPUT", env->output, 1);
    if (options->memory)
        setenv("FATHOM_MEMORY", options->memory, 1);
    if (options->sample)
        setenv("FATHOM_SAMPLE", options->sample, 1);
    if (options->counters)
        setenv("FATHOM_COUNTERS", options->counters, 1);
    if (options->io)
        setenv("FATHOM_IO", options->io, 1);
    if (*env->events)
        setenv("FATHOM_EVENTS", env->events, 1);
    else
        unsetenv("FATHOM_EVENTS"); /* set by an outer run */
    if (*env->commit)
        setenv("FATHOM_COMMIT", env->commit, 1);
    if (options->report)
        setenv("FATHOM_REPORT", options->report, 1);
    if (getenv("FATHOM_DIR"))
        setenv("FATHOM_DIR", env->directory, 1);
    snprintf(text, sizeof text, "%d", (int)getpid());
    if (env->launcher)
        unsetenv("FATHOM_NAMED");
    else
        setenv("FATHOM_NAMED", text, 1);
    return env->launcher ? pass_to_hosts(options->command) : options->command;
}
