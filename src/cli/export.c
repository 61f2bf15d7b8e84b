/* fathom export: the call paths of a profile in the format of another tool. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/printing.h"
#include "present/export.h"
#include "profile/encode.h"

struct request {
    const char *profile;
    const struct fm_export *format;
    struct fm_printing printing;
};

static void print_help(void)
{
    puts("fathom export --to FORMAT PROFILE [OPTION...]: call paths for other tools.\n"
         "\n"
         "  --to FORMAT     one of:");
    for (const struct fm_export *format = fm_exports; format->name; format++)
        printf("                    %-10s  %s\n", format->name, format->description);
    puts("  -o, --output F  write to file F instead of standard output\n"
         "  --focus F       only function F and what it calls\n"
         "  --debug-path D  directories, D or D:D, with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      this text\n"
         "\n"
         "Example:\n"
         "  fathom export --to speedscope pop.1234.fathom -o pop.speedscope.json");
}

static int set_format(struct request *request, const char *name)
{
    char list[256] = "";
    request->format = fm_export_find(name);
    if (request->format)
        return FM_EXIT_OK;
    for (const struct fm_export *format = fm_exports; format->name; format++) {
        strncat(list, format == fm_exports ? "" : ", ", sizeof list - strlen(list) - 1);
        strncat(list, format->name, sizeof list - strlen(list) - 1);
    }
    return fm_usage_error("export", "there is no format '%s', only %s", name, list);
}

enum { OPTION_TO = 256, OPTION_FOCUS, OPTION_DEBUG_PATH };

static const struct option options[] = {
    {"to", required_argument, NULL, OPTION_TO},
    {"output", required_argument, NULL, 'o'},
    {"focus", required_argument, NULL, OPTION_FOCUS},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int set_option(struct request *request, int option, char **argv)
{
    switch (option) {
    case OPTION_TO:
        return set_format(request, optarg);
    case OPTION_FOCUS:
        request->printing.options.focus = optarg;
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->printing.debug_path = optarg;
        return FM_EXIT_OK;
    case 'o':
        request->printing.output = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("export", option, argv);
    }
}

static enum fm_status print(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    return fm_export_write(context, report, out, error);
}

/* FM_EXIT_OK with request->profile NULL: help was asked for and given. */
static int parse(struct request *request, int argc, char **argv)
{
    int option;
    *request = (struct request){
        .printing = {
            .command = "export", .debug_path = getenv("FATHOM_DEBUG_PATH"), .names_matter = true, .print = print}};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return FM_EXIT_OK;
        }
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    if (!request->format)
        return fm_usage_error("export", "--to which format");
    if (optind == argc)
        return fm_usage_error("export", "which profile");
    if (optind + 1 < argc)
        return fm_usage_error("export", "one profile at a time, so what is '%s'", argv[optind + 1]);
    request->profile = argv[optind];
    request->printing.context = request->format;
    return FM_EXIT_OK;
}

int fm_cmd_export(int argc, char **argv)
{
    struct request request;
    struct fm_profile *profile;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status || !request.profile)
        return exit_status;
    if (fm_profile_read(request.profile, &profile, &error))
        return fm_command_error("export", &error);
    enum fm_status status = fm_print_profile(&request.printing, profile, &error);
    fm_profile_destroy(profile);
    return status ? fm_command_error("export", &error) : FM_EXIT_OK;
}
