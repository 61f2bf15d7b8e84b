/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom modules`: drafts files that map functions to the modules of a model, and compares runs. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/modules/module_draft.h"
#include "base/writer.h"
#include "cli/cli.h"
#include "cli/modules.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "format/layout.h"
#include "render/text.h"

static void print_help(void)
{
    puts("fathom modules init PROFILE|PROGRAM [-o FILE]: draft a file that maps functions to modules.\n"
         "fathom modules compare PROFILE PROFILE...: compare modules of several runs; see its --help.\n"
         "\n"
         "Options of init:\n"
         "  -o, --output F  write to file F, which must not exist, instead of standard output\n"
         "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help      show this help\n"
         "\n"
         "Example:\n"
         "  fathom modules init pop.1234.fathom -o pop.modules\n"
         "  fathom report pop.1234.fathom --modules pop.modules");
}

struct init_request {
    const char *from, *output, *debug_path; /* from: a profile or a program */
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
        return fm_usage_error("modules", "init needs a profile or a program");
    if (optind + 1 < argc)
        return fm_usage_error("modules", "unexpected argument '%s': init takes one profile or program",
                              argv[optind + 1]);
    request->from = argv[optind];
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

static bool is_profile(const char *path)
{
    char start[sizeof FM_PROFILE_MAGIC - 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && read(fd, start, sizeof start) == sizeof start &&
              memcmp(start, FM_PROFILE_MAGIC, sizeof start) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

/* The tree refers to strings of the profile and of the symbols. */
struct init_profile {
    struct fm_profile *profile;
    struct fm_symbols *symbols;
    struct fm_calltree calls;
};

static enum fm_status read_profile(struct init_profile *from, const struct init_request *request,
                                   struct fm_draft_input *input, struct fm_arena *arena, struct fm_error *error)
{
    enum fm_status status = fm_open_profile("modules", request->from, NULL, &from->profile, error);
    if (status)
        return status;
    if (!from->profile->paths.samples)
        return fm_fail(error, FM_ERR_INPUT, "%s has no call paths; give the program instead", request->from);
    from->symbols = fm_symbols_for(from->profile, request->debug_path, fm_say, "modules");
    status = fm_calltree_make(from->profile, from->symbols, arena, &from->calls, error);
    if (status)
        return status;
    fm_calltree_begin_with_main(&from->calls);
    fm_calltree_without_helpers(&from->calls);
    return fm_draft_input_calls(input, from->profile->job.exe, &from->calls, arena, error);
}

static enum fm_status read_program(const struct init_request *request, struct fm_draft_input *input,
                                   struct fm_arena *arena, struct fm_error *error)
{
    const struct fm_symbols_options options = {.debug_path = request->debug_path ? request->debug_path : "",
                                               .directory = ""};
    const char *path = strchr(request->from, '/') ? request->from : fm_written(arena, "./%s", request->from);
    if (!path)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the draft");
    return fm_draft_input_program(input, path, &options, arena, error);
}

static enum fm_status draft(const struct init_request *request, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct init_profile from = {0};
    struct fm_draft_input input;
    const char *text;
    enum fm_status status = is_profile(request->from) ? read_profile(&from, request, &input, &arena, error)
                                                      : read_program(request, &input, &arena, error);
    if (!status)
        status = fm_module_draft(&input, &arena, &text, error);
    if (!status && request->output)
        status = write_new(request->output, text, error);
    else if (!status)
        fm_print_lines(stdout, text);
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write standard output: %s", strerror(errno));
    fm_symbols_destroy(from.symbols);
    if (from.profile)
        fm_profile_destroy(from.profile);
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
