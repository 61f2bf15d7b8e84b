/* SPDX-License-Identifier: BSD-3-Clause */
/* fathom COMMAND ...: dispatches to the command. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/dispatch.h"

static const struct fm_command commands[] = {
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
    {"calibrate", "measure how fast MPI is here: fathom calibrate -- mpirun -n 4", fm_cmd_calibrate},
    {"doctor", "check what works here, and how to fix what does not", fm_cmd_doctor},
    {"site", "records of all jobs of a machine, for its administrators", fm_cmd_site},
    {0},
};

static void print_help(void)
{
    puts("Fathom, a profiler for MPI programs.\n"
         "\n"
         "  fathom COMMAND [OPTION...] [ARGUMENT...]\n");
    fm_commands_print(commands);
    puts("\n"
         "  fathom COMMAND --help   help for a command\n"
         "  fathom --version\n"
         "\n"
         "Example:\n"
         "  fathom run -o pop.fathom -- mpirun -n 64 ./pop\n"
         "  fathom report pop.fathom");
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
    return fm_commands_run(commands, "", argc, argv);
}
