/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom doctor`: checks what works here, and how to fix what does not. */
#define _GNU_SOURCE
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run_limits.h"
#include "render/text.h"

static void print_help(void)
{
    puts("fathom doctor [PROGRAM]: check what works here, and how to fix what does not.\n"
         "\n"
         "Prints one line per check: ok, warn (works with restrictions) or bad (does not work). With PROGRAM it\n"
         "also checks whether that program can be measured. One case cannot be detected: a program that loads\n"
         "MPI with RTLD_DEEPBIND bypasses Fathom.\n"
         "\n"
         "  -h, --help   show this help; more in fathom-doctor(1)\n"
         "\n"
         "The exit status is 0 unless a check is bad.");
}

static void check_all(struct fm_doctor *doctor, const char *program)
{
    fm_doctor_place(doctor);
    fm_doctor_system(doctor);
    if (program)
        fm_doctor_program(doctor, program);
}

int fm_cmd_doctor(int argc, char **argv)
{
    static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
    struct fm_doctor doctor = {0};
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        if (option != 'h')
            return fm_option_error("doctor", option, argv);
        print_help();
        return FM_EXIT_OK;
    }
    if (optind + 1 < argc)
        return fm_usage_error("doctor", "unexpected argument '%s': give one program", argv[optind + 1]);
    unsetenv("LD_PRELOAD"); /* programs started here to get their version must not be measured */
    if (fm_run_stack_is_small())
        fm_doctor_say(&doctor, FM_DOCTOR_BAD, "ulimit -s 8192",
                      "limits: the stack (ulimit -s) is too small to measure a program; other checks were skipped");
    else
        check_all(&doctor, argv[optind]);
    printf("%zu ok, %zu warn, %zu bad\n", doctor.counts[FM_DOCTOR_OK], doctor.counts[FM_DOCTOR_WARN],
           doctor.counts[FM_DOCTOR_BAD]);
    return doctor.counts[FM_DOCTOR_BAD] ? FM_EXIT_FAILED : FM_EXIT_OK;
}
