/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom modules`: drafts files that map functions to the modules of a model, and compares runs. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/modules/module_draft.h"
#include "cli/cli.h"
#include "cli/modules.h"
#include "cli/options.h"
#include "render/text.h"

static void print_help(void)
{
    puts("fathom modules init PROGRAM [-o FILE]: draft a file that maps functions to modules.\n"
         "fathom modules compare PROFILE PROFILE...: compare modules of several runs; see its --help.\n"
         "\n"
         "Options of init:\n"
         "  -o, --output F  write to file F, which must not exist, instead of standard output\n"
         "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      show this help\n"
         "\n"
         "Example:\n"
         "  fathom modules init ./pop -o pop.modules\n"
         "  fathom report pop.1234.fathom --modules pop.modules");
}

struct init_request {
    const char *program, *output, *debug_path;
};

static int parse(struct init_request *request, int argc, char **argv)
{
    *request = (struct init_request){.debug_path = getenv("FATHOM_DEBUG_PATH")};
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"debug-path", .text = &request->debug_path},
        {0},
    };
    int status = fm_parse_options("modules", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind == argc)
        return fm_usage_error("modules", "init needs a program");
    if (optind + 1 < argc)
        return fm_usage_error("modules", "unexpected argument '%s': init takes one program", argv[optind + 1]);
    request->program = argv[optind];
    return FM_EXIT_NOT_YET;
}

/* Never overwrites: somebody may have edited the file. */
static enum fm_status write_new(const char *path, const char *text, struct fm_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return fm_fail(error, FM_ERR_SYSTEM, "%s already exists; give another file", path);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    bool written = fputs(text, out) >= 0;
    if (fclose(out) == 0 && written)
        return FM_OK;
    return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}

static enum fm_status draft(const struct init_request *request, struct fm_error *error)
{
    struct fm_arena arena = {0};
    const struct fm_symbols_options options = {.debug_path = request->debug_path ? request->debug_path : "",
                                               .directory = ""};
    const char *text;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", strchr(request->program, '/') ? "" : "./", request->program);
    enum fm_status status = fm_module_draft(path, &options, &arena, &text, error);
    if (!status && request->output)
        status = write_new(request->output, text, error);
    else if (!status)
        fm_print_lines(stdout, text);
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write standard output: %s", strerror(errno));
    fm_arena_destroy(&arena);
    return status;
}

static int init(int argc, char **argv)
{
    struct init_request request;
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    return draft(&request, &error) ? fm_command_error("modules", &error) : FM_EXIT_OK;
}

int fm_cmd_modules(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "init") == 0)
        return init(argc - 1, argv + 1);
    if (strcmp(what, "compare") == 0)
        return fm_cmd_modules_compare(argc - 1, argv + 1);
    if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0) {
        print_help();
        return FM_EXIT_OK;
    }
    if (!what[0])
        return fm_usage_error("modules", "needs init or compare");
    return fm_usage_error("modules", "unknown subcommand '%s'; choose init or compare", what);
}
