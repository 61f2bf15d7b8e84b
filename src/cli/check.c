/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom check`: whether a run keeps its limits, for scripts and continuous integration. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/open_profile.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "render/badge.h"
#include "report/limits.h"
#include "report/run_notes.h"

struct check_request {
    struct fm_arena arena;
    const char *profile, *output; /* output NULL: stdout */
    const char *badge, *from_first, *debug_path;
    struct fm_option_texts limit_texts, against;
    struct fm_limit *limits;
    const struct fm_profile **others; /* as many as `against` */
    size_t n_others;                  /* read so far */
};

static void print_help(void)
{
    puts("fathom check PROFILE [--against PROFILE...] --limit NAME=VALUE...: fail if a run breaks limits.\n"
         "\n"
         "  --limit N=V     a limit; may be given several times. N is one of:");
    for (const struct fm_limit_kind *kind = fm_limit_kinds; kind->name; kind++)
        printf("                    %-13s  %s %s%s\n", kind->name,
               kind->least ? "at least:" : "at most:", kind->meaning, kind->against ? " (--against)" : "");
    puts(
        "                  V is a number, a percentage (80%), a time (90s, 2min) or a size (4GiB)\n"
        "  --against P     profile of an earlier run to compare with; may be given several times, and further\n"
        "                  profiles after PROFILE count as well. Several of them show how much repeated runs differ\n"
        "  --from-first N  efficiency from the first entry of region or timer N on, without the initialisation\n"
        "  --badge F       also write an SVG badge with the parallel efficiency to file F: green if all limits hold\n"
        "  -o, --output F  write to file F instead of standard output\n"
        "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
        "  -h, --help      show this help\n"
        "\n"
        "Exit status: 0 if all limits hold, 3 if one does not or its value is unknown, 1 if a profile cannot be read,\n"
        "2 for incorrect usage.\n"
        "\n"
        "Example:\n"
        "  fathom check new.fathom --against old.fathom --limit parallel=0.8 --limit slower=5%");
}

/* ---- options ---- */

static int parse_limits(struct check_request *request)
{
    struct fm_error error = {0};
    bool against = false;
    for (size_t i = 0; i < request->limit_texts.n; i++) {
        if (fm_limit_parse(request->limit_texts.items[i], &request->limits[i], &error))
            return fm_usage_error("check", "%s", error.text);
        against |= request->limits[i].kind->against;
        if (request->limits[i].kind->against && !request->against.n)
            return fm_usage_error("check", "--limit %s needs --against", request->limits[i].kind->name);
    }
    if (request->against.n && !against)
        return fm_usage_error("check", "--against needs a limit that compares, such as --limit slower=5%%");
    if (!request->limit_texts.n && !request->badge)
        return fm_usage_error("check", "no limit given");
    return FM_EXIT_NOT_YET;
}

static bool make_room(struct check_request *request, size_t n)
{
    request->limit_texts.items = fm_arena_alloc(&request->arena, n * sizeof *request->limit_texts.items);
    request->against.items = fm_arena_alloc(&request->arena, n * sizeof *request->against.items);
    request->limits = fm_arena_alloc(&request->arena, n * sizeof *request->limits);
    request->others = fm_arena_alloc(&request->arena, n * sizeof *request->others);
    return request->limit_texts.items && request->against.items && request->limits && request->others;
}

static int parse(struct check_request *request, int argc, char **argv)
{
    *request = (struct check_request){.debug_path = getenv("FATHOM_DEBUG_PATH")};
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"limit", .texts = &request->limit_texts},
        {"against", .texts = &request->against},
        {"from-first", .text = &request->from_first},
        {"badge", .text = &request->badge},
        {"debug-path", .text = &request->debug_path},
        {0},
    };
    if (!make_room(request, (size_t)argc))
        return fm_command_error("check", &(struct fm_error){FM_ERR_MEMORY, "not enough memory"});
    int status = fm_parse_options("check", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind == argc)
        return fm_usage_error("check", "no profile given");
    request->profile = argv[optind++];
    if (optind < argc && !request->against.n)
        return fm_usage_error("check", "unexpected argument '%s': give one profile, and others with --against",
                              argv[optind]);
    while (optind < argc) /* --against old*.fathom */
        request->against.items[request->against.n++] = argv[optind++];
    return parse_limits(request);
}

/* ---- checking ---- */

struct checking {
    const struct check_request *request;
    struct fm_checked checked;
    size_t broken;
};

static enum fm_status check_limits(void *context, FILE *out, struct fm_error *error)
{
    (void)error;
    struct checking *checking = context;
    const struct check_request *request = checking->request;
    struct fm_arena *arena = &checking->checked.report->arena;
    const char *held = fm_format(arena, "%zu limit%s", request->limit_texts.n,
                                 request->limit_texts.n == 1 ? " holds" : "s hold");
    for (size_t i = 0; i < request->limit_texts.n; i++) {
        struct fm_limit_result result = fm_limit_check(&request->limits[i], &checking->checked);
        checking->broken += !result.holds;
        if (!result.holds)
            fm_print_line(out, "%s: %s\n", request->profile, result.text);
        held = fm_format(arena, "%s%s %s", held, i ? "," : ":", result.text);
    }
    const struct fm_core_use *cores = &checking->checked.efficiency.of.cores;
    if (checking->broken && cores->lack)
        fm_print_line(out, "%s: note: ranks had no cores of their own (%s)\n", request->profile,
                      fm_lack_text(arena, cores));
    if (!checking->broken && request->limit_texts.n)
        fm_print_line(out, "%s: %s\n", request->profile, held);
    return FM_OK;
}

static enum fm_status write_badge(void *context, FILE *out, struct fm_error *error)
{
    (void)error;
    const struct checking *checking = context;
    const struct fm_factors *run = &checking->checked.efficiency.of.run;
    bool good = !checking->broken;
    char percent[FM_UNIT_CHARS];
    if (run->known)
        fm_badge_svg(out, "parallel efficiency", fm_percent_whole(percent, run->parallel), good);
    else
        fm_badge_svg(out, "performance", good ? "limits hold" : "limits broken", good);
    return FM_OK;
}

/* The limits are checked nevertheless: how far such runs can be compared is for the user to say. */
static void tell_difference(const struct check_request *request, struct fm_report *report)
{
    const char *difference = "";
    for (size_t i = 0; i < request->n_others && !difference[0]; i++)
        difference = fm_run_difference(&report->arena, &report->profile->job, request->profile,
                                       &request->others[i]->job, request->against.items[i]);
    if (difference[0])
        fm_say("check", fm_format(&report->arena, "these runs differ: %s", difference));
}

static enum fm_status check_report(struct check_request *request, struct fm_report *report, size_t *broken,
                                   struct fm_error *error)
{
    struct checking checking = {
        .request = request,
        .checked = {.report = report,
                    .against = request->others,
                    .against_files = request->against.items,
                    .n_against = request->n_others},
    };
    enum fm_status status = fm_report_efficiency(report, &checking.checked.efficiency, error);
    if (!status)
        status = fm_print_to(request->output, check_limits, &checking, error);
    if (!status && request->badge)
        status = fm_print_to(request->badge, write_badge, &checking, error);
    *broken = checking.broken;
    return status;
}

static enum fm_status check(struct check_request *request, size_t *broken, struct fm_error *error)
{
    struct fm_profile *profile, *other;
    struct fm_report report;
    const struct fm_report_options options = {.from_first = request->from_first};
    enum fm_status status = FM_OK;
    while (request->n_others < request->against.n && !status) {
        status = fm_open_profile("check", request->against.items[request->n_others], NULL, &other, error);
        if (!status)
            request->others[request->n_others++] = other;
    }
    if (status || (status = fm_open_profile("check", request->profile, NULL, &profile, error)))
        return status;
    struct fm_symbols *symbols = fm_symbols_for(profile, request->debug_path, NULL, NULL);
    status = fm_report_open(&report, profile, symbols, &options, error);
    if (!status) {
        tell_difference(request, &report);
        status = check_report(request, &report, broken, error);
        fm_report_close(&report);
    }
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    return status;
}

int fm_cmd_check(int argc, char **argv)
{
    struct check_request request;
    struct fm_error error = {0};
    size_t broken = 0;
    int exit_status = parse(&request, argc, argv);
    if (exit_status == FM_EXIT_NOT_YET) {
        enum fm_status status = check(&request, &broken, &error);
        exit_status = status ? fm_command_error("check", &error) : broken ? FM_EXIT_LIMIT : FM_EXIT_OK;
    }
    for (size_t i = 0; i < request.n_others; i++)
        fm_profile_destroy((struct fm_profile *)request.others[i]);
    fm_arena_destroy(&request.arena);
    return exit_status;
}
