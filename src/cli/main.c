/* SPDX-License-Identifier: BSD-3-Clause */
/* fathom COMMAND ...: dispatches to the command. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commit.h"

static const struct command {
    const char *name, *description;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run a command and measure it: fathom run -- mpirun -n 64 ./pop", fm_cmd_run},
    {"report", "show a profile: fathom report pop.1234.fathom", fm_cmd_report},
    {"serve", "show profiles and running jobs in a browser: fathom serve runs", fm_cmd_serve},
    {"scale", "what stops it from scaling: fathom scale --strong p4.fathom p64.fathom", fm_cmd_scale},
    {"check", "fail if a run breaks limits: fathom check pop.1234.fathom --limit parallel=0.8", fm_cmd_check},
    {"list", "list the profiles in directories: fathom list --sort efficiency", fm_cmd_list},
    {"export", "export a profile to other tools: fathom export --to speedscope pop.1234.fathom", fm_cmd_export},
    {"modules", "draft a module file, compare modules: fathom modules init ./pop", fm_cmd_modules},
    {"attach", "sample a running job: fathom attach PID-OF-MPIRUN", fm_cmd_attach},
    {"collect", "write the profiles of jobs that were killed", fm_cmd_collect},
    {"doctor", "check what works here, and how to fix what does not", fm_cmd_doctor},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
    puts("Fathom, a profiler for MPI programs.\n"
         "\n"
         "  fathom COMMAND [OPTION...] [ARGUMENT...]\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-8s  %s\n", commands[i].name, commands[i].description);
    puts("\n"
         "  fathom COMMAND --help   help for a command\n"
         "  fathom --version\n"
         "\n"
         "Example:\n"
         "  fathom run -o pop.fathom -- mpirun -n 64 ./pop\n"
         "  fathom report pop.fathom");
}

static int unknown_command(const char *name)
{
    char list[256] = "";
    for (size_t i = 0; i < COMMANDS; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, commands[i].name, sizeof list - strlen(list) - 1);
    }
    return fm_usage_error("", "unknown command '%s'; choose from %s", name, list);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fm_usage_error("", "no command given");
    if (strcmp(argv[1], "help") == 0 && argc == 3) { /* fathom help COMMAND */
        argv[1] = argv[2];
        argv[2] = "--help";
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return FM_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts(*FM_COMMIT ? "fathom " FM_VERSION " (commit " FM_COMMIT ")" : "fathom " FM_VERSION);
        return FM_EXIT_OK;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}
