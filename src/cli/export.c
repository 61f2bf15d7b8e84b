/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom export`: writes a profile in the format of another tool. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "export/export.h"
#include "format/encode.h"

struct export_request {
    const char *profile;
    const char *program; /* NULL: the whole job */
    struct fm_printing printing;
};

static void print_help(void)
{
    puts("fathom export --to FORMAT PROFILE [OPTION...]: export a profile to other tools.\n"
         "\n"
         "  --to FORMAT     one of:");
    for (const struct fm_export *format = fm_exports; format->name; format++)
        printf("                    %-10s  %s\n", format->name, format->description);
    puts("  -o, --output F  write to file F instead of standard output\n"
         "  --focus F       only function F and what it calls\n"
         "  --program P     only one program of an MPMD job: its name, path or number\n"
         "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      show this help\n"
         "\n"
         "Example:\n"
         "  fathom export --to speedscope pop.1234.fathom -o pop.speedscope.json");
}

static enum fm_status print(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_export *format = context;
    const char *left_out = fm_part_left_out(report, format->shows);
    enum fm_status status = fm_part_check(report, format->shows & ~(unsigned)FM_SHOWS_THREADS, error);
    if (!status && left_out[0])
        fm_say((void *)"export", left_out);
    return status ? status : fm_export_write(format, report, out, error);
}

static int parse(struct export_request *request, int argc, char **argv)
{
    unsigned format = 0;
    bool named = false;
    *request = (struct export_request){
        .printing = {
            .command = "export", .debug_path = getenv("FATHOM_DEBUG_PATH"), .names_matter = true, .print = print}};
    const struct fm_option options[] = {
        {"output", .text = &request->printing.output},
        {"to", .word = &format, FM_WORDS(fm_exports), .what = "format", .given = &named},
        {"focus", .text = &request->printing.options.focus},
        {"program", .text = &request->program},
        {"debug-path", .text = &request->printing.debug_path},
        {0},
    };
    int status = fm_parse_options("export", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (!named)
        return fm_usage_error("export", "--to needs a format");
    if (request->printing.options.focus && !(fm_exports[format].shows & FM_SHOWS_PATHS))
        return fm_usage_error("export", "--focus applies only to call paths, which %s does not have",
                              fm_exports[format].name);
    request->printing.context = &fm_exports[format];
    return fm_parse_profile("export", argc, argv, &request->profile);
}

int fm_cmd_export(int argc, char **argv)
{
    struct export_request request;
    struct fm_profile *profile;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    if (fm_open_profile("export", request.profile, request.program, &profile, &error))
        return fm_command_error("export", &error);
    enum fm_status status = fm_print_profile(&request.printing, profile, &error);
    fm_profile_destroy(profile);
    return status ? fm_command_error("export", &error) : FM_EXIT_OK;
}
