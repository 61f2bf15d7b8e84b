/* `fathom run`: measures a command and sees to it that what it leaves behind becomes a profile. Whatever goes wrong
 * on our side, the command runs and its status is ours. */
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

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/library.h"
#include "cli/run_end.h"
#include "cli/run_env.h"

static const char usage[] =
    "usage: fathom run [-o FILE] [--sample HZ|off] [--memory SIZE] [--report terse|full|FILE] [--quiet] [--] COMMAND...\n"
    "\n"
    "Runs COMMAND and measures every MPI call of it. These all work:\n"
    "    fathom run -- mpirun -n 64 ./model\n"
    "    mpirun -n 64 fathom run ./model\n"
    "    fathom run ./program-without-mpi\n"
    "\n"
    "  -o, --output FILE   where the profile goes: file or directory (default: PROGRAM.JOB.fathom here)\n"
    "  --sample HZ         samples of call paths a second and thread: up to 10000, 97 unless given, or off; cpu:HZ counts\n"
    "                      only the time in which a thread computes\n"
    "  --memory SIZE       memory of each process for what is measured, such as 4M (the default) or 512K; at least 256K\n"
    "  --report HOW        print a report at the end: terse, full, or into the file HOW\n"
    "  -q, --quiet         say nothing at the end\n"
    "  -h, --help          this text; more in fathom-run(1)\n";

static bool valid_memory(const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    size_t suffix = strspn(end, "KkMm");
    return end != text && *text != '-' && value > 0 && suffix <= 1 && !end[suffix];
}

/* As measure/sampler.c reads it. */
static bool valid_sampling(const char *text)
{
    if (strcmp(text, "off") == 0)
        return true;
    const char *number = strncmp(text, "cpu:", 4) == 0 ? text + 4 : text;
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && digits < 6 && !number[digits] && atoi(number) <= 10000;
}

/* -1: go on; else the status to end with. */
static int parse(int argc, char **argv, struct fm_run_options *options)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"sample", required_argument, NULL, 's'},
                                          {"report", required_argument, NULL, 'r'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
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
            if (!valid_memory(optarg))
                return fm_usage_error("run", "--memory needs a size such as 4M or 512K, not '%s'", optarg);
            options->memory = optarg;
            break;
        case 's':
            if (!valid_sampling(optarg))
                return fm_usage_error(
                    "run", "--sample needs samples a second such as 100, at most 10000, or off, not '%s'", optarg);
            options->sample = optarg;
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
        return fm_usage_error("run", "which command, as in: fathom run -- mpirun -n 4 ./model");
    return -1;
}

/* -o DIR/ names a directory, which need not be there yet. */
static void make_output_folder(const struct fm_run_env *env)
{
    size_t length = strlen(env->output);
    if (length && env->output[length - 1] == '/')
        mkdir(env->output, 0777);
}

/* Said before the start, while something can still be done about it. */
static void warn_of_output(const struct fm_run_env *env)
{
    char folder[FM_PATH_BYTES];
    struct stat st;
    if (!*env->output) {
        snprintf(folder, sizeof folder, ".");
    } else {
        snprintf(folder, sizeof folder, "%s", env->output);
        if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
            char *slash = strrchr(folder, '/');
            slash[slash == folder] = 0;
        }
    }
    if (access(folder, W_OK | X_OK) == 0)
        return;
    fprintf(stderr,
            "fathom: no profile can be written into %s (%s); what is measured will stay in %s: collect it later with: "
            "fathom collect -o DIRECTORY\n",
            strcmp(folder, ".") ? folder : "the current directory", strerror(errno), env->directory);
}

/* A variable that nobody may be able to mend now is no reason not to run. Ranks would all say the same. */
static void check_environment(const struct fm_run_env *env, struct fm_run_options *options)
{
    const char *text = getenv("FATHOM_SAMPLE");
    if (options->sample || !text || !*text || valid_sampling(text))
        return;
    options->sample = "off";
    if (!env->rank)
        fprintf(
            stderr,
            "fathom: FATHOM_SAMPLE needs samples a second such as 100, at most 10000, or off, not '%s'; the command "
            "runs without samples\n",
            text);
}

static void find_library(struct fm_run_env *env)
{
    struct fm_error error;
    const char *disabled = getenv("FATHOM_DISABLE");
    if (disabled && strcmp(disabled, "1") == 0)
        return;
    if (fm_library_find(env->library, &error) != FM_OK) {
        env->library[0] = 0;
        if (!env->rank)
            fprintf(stderr, "fathom: %s; the command runs without being measured\n", error.text);
    }
}

struct work {
    struct fm_run_env env;
    struct fm_run_options options;
};

static char **prepare(void *context)
{
    const struct work *work = context;
    return fm_run_env_apply(&work->env, &work->options);
}

/* From start to end; in a guard when we are a rank. */
static void run_command(void *context, struct fm_child *child)
{
    const struct work *work = context;
    struct fm_run_hold hold = {.fd = -1};
    if (*work->env.library)
        fm_run_hold(&hold, &work->env);
    if (!fm_child_start(child, prepare, context)) {
        child->exec_errno = errno;
        return;
    }
    fm_child_wait(child);
    if (*work->env.library && !child->exec_errno)
        fm_run_end(&hold, &work->env, &work->options, child);
    else
        fm_run_release(&hold, &work->env);
}

static int cannot_start(const char *command, int error)
{
    if (error == ENOENT && !strchr(command, '/'))
        fprintf(stderr, "fathom run: %s: no such command in PATH%s%s\n", command,
                access(command, F_OK) == 0 ? "; for the one in this directory say ./" : "",
                access(command, F_OK) == 0 ? command : "");
    else
        fprintf(stderr, "fathom run: %s: cannot be started: %s\n", command, strerror(error));
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
    find_library(&work.env);
    check_environment(&work.env, &work.options);
    if (*work.env.library)
        make_output_folder(&work.env);
    if (*work.env.library && work.env.outermost && !work.env.rank)
        warn_of_output(&work.env);
    if (!*work.env.library || !work.env.rank || !fm_child_guard(&child, run_command, &work))
        run_command(&work, &child);
    if (child.exec_errno)
        return cannot_start(work.options.command[0], child.exec_errno);
    fm_child_imitate(&child);
}
