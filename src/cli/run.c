/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom run`: measures a command and makes sure that its data become a profile. Whatever goes wrong on our side, the
 * command runs and we return its status. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.h"
#include "cli/child.h"
#include "cli/cli.h"
#include "cli/host_watch.h"
#include "cli/library.h"
#include "cli/run_commit.h"
#include "cli/run_counters.h"
#include "cli/run_end.h"
#include "cli/run_env.h"
#include "cli/run_limits.h"
#include "render/text.h"

static const char usage[] =
    "usage: fathom run [-o FILE] [--sample HZ|off] [--counters LIST|off] [--io on|off] [--memory SIZE]\n"
    "                  [--report terse|full|FILE] [--commit ID|off] [--quiet] [--] COMMAND...\n"
    "\n"
    "Runs COMMAND and measures it: MPI calls, call paths, file I/O, counters, memory. All of these work:\n"
    "    fathom run -- mpirun -n 64 ./model\n"
    "    mpirun -n 64 fathom run ./model\n"
    "    fathom run ./program-without-mpi\n"
    "\n"
    "  -o, --output FILE   where the profile goes: file or directory (default: PROGRAM.JOB.fathom here)\n"
    "  --sample HZ         call-path samples per second and thread, up to 10000 (default: 97), or off; with cpu:HZ\n"
    "                      only while a thread uses the CPU\n"
    "  --counters LIST     events to count, such as instructions,cycles or names of libpfm4, or off (default:\n"
    "                      instructions, cycles, floating point and cache misses; software events without a PMU)\n"
    "  --io off            do not measure the program's file I/O\n"
    "  --memory SIZE       size of the measurement buffer per process, such as 4M (the default) or 512K; at least 256K\n"
    "  --report HOW        print a report at the end: terse, full, or to the file HOW\n"
    "  --commit ID         what the program was built from (default: the commit of its git repository), or off\n"
    "  -q, --quiet         print nothing at the end\n"
    "  -h, --help          show this help; more in fathom-run(1)\n";

/* Returns -1 to continue, or the exit status. */
static int parse(int argc, char **argv, struct fm_run_options *options)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'}, {"memory", required_argument, NULL, 'm'},
        {"sample", required_argument, NULL, 's'}, {"counters", required_argument, NULL, 'c'},
        {"report", required_argument, NULL, 'r'}, {"io", required_argument, NULL, 'i'},
        {"commit", required_argument, NULL, 'C'}, {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},         {0}};
    uint64_t bytes;
    unsigned hz;
    bool of_cpu, on;
    int option;
    memset(options, 0, sizeof *options);
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, "+:o:qh", longs, NULL)) != -1)
        switch (option) {
        case 'o':
            options->output = optarg;
            break;
        case 'm':
            if (!fm_setting_memory(optarg, &bytes))
                return fm_usage_error("run", "--memory needs a size such as 4M or 512K, not '%s'", optarg);
            options->memory = optarg;
            break;
        case 's':
            if (!fm_setting_sampling(optarg, &hz, &of_cpu))
                return fm_usage_error(
                    "run", "--sample must be a rate of at most 10000 samples per second, or off, not '%s'", optarg);
            options->sample = optarg;
            break;
        case 'c':
            options->counters = optarg;
            break;
        case 'i':
            if (!fm_setting_switch(optarg, &on))
                return fm_usage_error("run", "--io must be on or off, not '%s'", optarg);
            options->io = optarg;
            break;
        case 'C': /* not repeated: it may be a secret in the wrong place */
            if (!fm_commit_is_valid(optarg) && strcmp(optarg, FM_COMMIT_OFF) != 0)
                return fm_usage_error("run",
                                      "--commit needs 7 to 64 hexadecimal digits, a tag of at most %d letters, digits, "
                                      "'.', '_' and '-', or off",
                                      FM_TAG_CHARS);
            options->commit = optarg;
            break;
        case 'r':
            options->report = optarg;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return FM_EXIT_OK;
        default:
            return fm_option_error("run", option, argv);
        }
    options->command = argv + optind;
    if (!options->command[0])
        return fm_usage_error("run", "no command given; example: fathom run -- mpirun -n 4 ./model");
    return -1;
}

/* -o DIR/ is a directory, which need not exist yet. */
static void make_output_folder(const struct fm_run_env *env)
{
    size_t length = strlen(env->output);
    if (length && env->output[length - 1] == '/')
        mkdir(env->output, 0777);
}

/* Data are not written to a directory of another user, nor to one that cannot be created. */
static void warn_of_directory(void)
{
    struct fm_error error;
    char instead[FM_FILE_PATH_BYTES];
    const char *given = getenv("FATHOM_DIR");
    if (fm_node_directory_refused(&error))
        fm_print_line(stderr, "fathom: %s\n", error.text);
    else if (given && *given && fm_node_directory_make(given, &error) != FM_OK) {
        fm_node_fallback_directory(instead);
        fm_print_line(stderr, "fathom: %s; using %s instead\n", error.text, instead);
    }
}

/* Before the start, while the user can still do something about it. */
static void warn_of_output(const struct fm_run_env *env)
{
    char folder[FM_FILE_PATH_BYTES];
    if (!fm_node_output_refused(env->output, folder))
        return;
    fm_print_line(
        stderr,
        "fathom: cannot write a profile to %s (%s); the data will stay in %s; collect it later with: fathom collect "
        "-o DIRECTORY\n",
        strcmp(folder, ".") ? folder : "the current directory", strerror(errno), env->directory);
}

static void print_problem(void *context, const char *name, const char *sentence)
{
    const struct fm_run_options *options = context;
    if (!(options->sample && strcmp(name, "FATHOM_SAMPLE") == 0) && !(options->io && strcmp(name, "FATHOM_IO") == 0) &&
        !(options->memory && strcmp(name, "FATHOM_MEMORY") == 0) &&
        !(options->commit && strcmp(name, "FATHOM_COMMIT") == 0))
        fm_print_line(stderr, "fathom: %s\n", sentence);
}

static void print_problems(const struct fm_run_options *options)
{
    const char *limited = options->memory ? fm_setting_memory_limited(options->memory) : NULL;
    fm_settings_problems(print_problem, (void *)options);
    if (limited)
        fm_print_line(stderr, "fathom: --memory %s %s\n", options->memory, limited);
}

struct work {
    struct fm_run_env env;
    struct fm_run_options options;
};

/* A wrong name on the command line is an error; one in the environment turns the counters off. Returns -1 to continue, or
 * the exit status. */
static int find_counters(struct work *work)
{
    struct fm_error error;
    const char *set = getenv("FATHOM_COUNTERS"), *names = work->options.counters ? work->options.counters : set;
    if (fm_run_counters(names, work->env.events, &error) == FM_OK)
        return -1;
    if (work->options.counters)
        return fm_usage_error("run", "--counters: %s", error.text);
    if (work->env.outermost && (!work->env.rank || work->env.first_rank))
        fm_print_line(stderr, "fathom: FATHOM_COUNTERS: %s; nothing is counted\n", error.text);
    work->options.counters = "off";
    return -1;
}

static void find_library(struct fm_run_env *env)
{
    struct fm_error error;
    if (fm_setting_disabled())
        return;
    if (fm_library_find(env->library, &error) != FM_OK) {
        env->library[0] = 0;
        if (!env->rank)
            fm_print_line(stderr, "fathom: %s; running the command without measuring it\n", error.text);
    }
}

static char **prepare(void *context)
{
    const struct work *work = context;
    return fm_run_env_apply(&work->env, &work->options);
}

/* Replaces us with the command, as if it had been started without us; returns if that fails. */
static void run_unmeasured(const struct work *work, const char *why)
{
    if (!work->options.quiet && !work->env.rank)
        fprintf(stderr, "fathom: %s; running the command without measuring it\n", why);
    execvp(work->options.command[0], work->options.command);
}

/* From start to end; runs in a guard if we are a rank. */
static void run_command(void *context, struct fm_child *child)
{
    const struct work *work = context;
    struct fm_run_hold hold = {.fd = -1};
    if (*work->env.library)
        fm_run_hold(&hold, &work->env);
    if (!fm_child_start(child, prepare, context)) {
        fm_run_release(&hold, &work->env);
        run_unmeasured(work, "cannot create a process");
        child->exec_errno = errno;
        return;
    }
    struct fm_host_watch *watch = *work->env.library ? fm_host_watch_start(work->env.run_id, hold.fd) : NULL;
    fm_child_wait(child);
    fm_host_watch_stop(watch);
    if (*work->env.library && !child->exec_errno)
        fm_run_end(&hold, &work->env, &work->options, child);
    else
        fm_run_release(&hold, &work->env);
}

static int cannot_start(const char *command, int error)
{
    if (error == ENOENT && !strchr(command, '/'))
        fm_print_line(stderr, "fathom run: %s: no such command in PATH%s%s\n", command,
                      access(command, F_OK) == 0 ? "; for the one in this directory use ./" : "",
                      access(command, F_OK) == 0 ? command : "");
    else
        fm_print_line(stderr, "fathom run: cannot start %s: %s\n", command, strerror(error));
    return error == ENOENT ? 127 : 126;
}

int fm_cmd_run(int argc, char **argv)
{
    static struct work work;
    struct fm_child child;
    int status = parse(argc, argv, &work.options);
    if (status >= 0)
        return status;
    fm_run_env_make(&work.options, &work.env);
    status = find_counters(&work);
    if (status >= 0)
        return status;
    const char *limit = fm_run_limit(work.options.command);
    if (limit) {
        run_unmeasured(&work, limit);
        return cannot_start(work.options.command[0], errno);
    }
    find_library(&work.env);
    if (*work.env.library)
        fm_run_commit(&work.options, &work.env);
    /* Under measurement, rank 0 reports them itself. */
    if (work.env.outermost && (!work.env.rank || (work.env.first_rank && !*work.env.library)))
        print_problems(&work.options);
    if (*work.env.library)
        make_output_folder(&work.env);
    if (*work.env.library && work.env.outermost && !work.env.rank) {
        warn_of_directory();
        warn_of_output(&work.env);
    }
    if (*work.env.library && work.env.rank && fm_child_guard(&child, run_command, &work))
        fm_run_await_others(&work.env, &child);
    else
        run_command(&work, &child);
    if (child.exec_errno)
        return cannot_start(work.options.command[0], child.exec_errno);
    fm_exit_like_child(&child);
}
