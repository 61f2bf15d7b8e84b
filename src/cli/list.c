/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom list`: the profiles in directories, one line each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "render/text.h"
#include "report/listing.h"
#include "report/profile_files.h"

enum list_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct list_request {
    const char *output; /* NULL: stdout */
    const char *program, *user, *since;
    uint64_t since_ns;
    bool recursive, incomplete, no_findings;
    size_t top;
    enum list_format format;
    enum fm_listing_order order;
    char **places; /* directories and files */
    size_t n_places;
};

struct list_search {
    const struct list_request *request;
    struct fm_listing listing;
    size_t failed; /* files and directories that cannot be read */
    struct fm_error error;
};

static void print_help(void)
{
    puts("fathom list [DIR...] [OPTION...]: the profiles in directories (default: this one), one line each.\n"
         "\n"
         "  --sort ORDER    time (default, newest first), program, ranks, wall (longest first), efficiency (lowest\n"
         "                  first), user or file\n"
         "  --program P     only programs of this name, or that match this pattern: 'ocean*'\n"
         "  --user U        only jobs of this user\n"
         "  --since T       only jobs started since then: 2026-11-15, '2026-11-15 02:00' (UTC), 12h, 7d\n"
         "  --incomplete    only jobs that did not end normally\n"
         "  --recursive     also in directories below\n"
         "  --top N         at most N profiles\n"
         "  --no-findings   without the first finding: faster if there are many profiles\n"
         "  --format F      text (default), json or csv\n"
         "  -o, --output F  write to file F instead of standard output\n"
         "  -h, --help      show this help\n"
         "\n"
         "A file that cannot be read is reported on standard error, and the others are listed; the exit status is 1.\n"
         "\n"
         "Example:\n"
         "  fathom list runs --program miniocean --sort efficiency --top 10");
}

/* ---- options ---- */

/* "12h", "7d": before now. */
static bool parse_ago(const char *text, time_t *when)
{
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    double unit = strcmp(end, "h") == 0 ? 3600 : strcmp(end, "d") == 0 ? 86400 : strcmp(end, "min") == 0 ? 60 : 0;
    if (end == text || errno || !(number >= 0) || number * unit > 1e10 || unit == 0)
        return false;
    *when = time(NULL) - (time_t)(number * unit);
    return true;
}

static bool parse_date(const char *text, time_t *when)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                                        "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm date = {0};
        const char *end = strptime(text, forms[i], &date);
        if (!end || *end)
            continue;
        *when = timegm(&date);
        return *when >= 0;
    }
    return false;
}

static int settle(struct list_request *request)
{
    time_t when = 0;
    if (request->since && !parse_ago(request->since, &when) && !parse_date(request->since, &when))
        return fm_usage_error("list", "--since needs a date such as 2026-11-15 or a time such as 12h or 7d, not '%s'",
                              request->since);
    request->since_ns = (uint64_t)(when < 0 ? 0 : when) * 1000000000u;
    return FM_EXIT_NOT_YET;
}

static int parse(struct list_request *request, int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const orders[] = {"time", "program", "ranks", "wall", "efficiency", "user", "file", NULL};
    *request = (struct list_request){0};
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"sort", .word = &request->order, FM_WORDS(orders), .what = "order"},
        {"program", .text = &request->program},
        {"user", .text = &request->user},
        {"since", .text = &request->since},
        {"incomplete", .on = &request->incomplete},
        {"recursive", .on = &request->recursive},
        {"top", .count = &request->top},
        {"no-findings", .on = &request->no_findings},
        {"format", .word = &request->format, FM_WORDS(formats)},
        {0},
    };
    int status = fm_parse_options("list", options, print_help, argc, argv);
    request->places = argv + optind;
    request->n_places = (size_t)(argc - optind);
    return status == FM_EXIT_NOT_YET ? settle(request) : status;
}

/* ---- searching ---- */

static void cannot_read(struct list_search *search, const char *file, const char *why)
{
    search->failed++;
    fm_print_line(stderr, "fathom list: %s.\n", why);
    fm_listing_add_unreadable(&search->listing, file, why);
}

static bool is_wanted(const struct list_request *request, const struct fm_listed *item)
{
    return (!request->program || fnmatch(request->program, item->program, 0) == 0) &&
           (!request->user || strcmp(request->user, item->user) == 0) && item->started_ns >= request->since_ns &&
           !(request->incomplete && item->complete);
}

static enum fm_status add_file(struct list_search *search, const char *path)
{
    struct fm_error error = {0};
    struct fm_profile *profile;
    enum fm_status status = fm_profile_read_overview(path, &profile, &error);
    if (status) {
        cannot_read(search, path, error.text);
        return status == FM_ERR_MEMORY ? fm_fail(&search->error, status, "%s", error.text) : FM_OK;
    }
    status = fm_listing_add(&search->listing, path, profile, &search->error);
    fm_profile_destroy(profile);
    if (!status && !is_wanted(search->request, &search->listing.items[search->listing.n - 1]))
        search->listing.n--;
    return status;
}

static enum fm_status found_file(void *context, const char *path, const struct stat *st)
{
    (void)st;
    return add_file(context, path);
}

static void failed_directory(void *context, const char *path, const char *why)
{
    cannot_read(context, path, why);
}

static enum fm_status add_place(struct list_search *search, const char *place)
{
    const struct fm_profile_files files = {
        .recursive = search->request->recursive, .found = found_file, .failed = failed_directory, .context = search};
    struct stat st;
    return stat(place, &st) == 0 && S_ISDIR(st.st_mode) ? fm_profile_files_walk(place, &files)
                                                        : add_file(search, place);
}

/* ---- findings ---- */

static enum fm_status find_one(struct list_search *search, struct fm_listed *item)
{
    struct fm_error error = {0};
    struct fm_profile *profile;
    enum fm_status status = fm_profile_read(item->file, &profile, &error);
    if (status) { /* only its overview can be read, or it has just been removed */
        cannot_read(search, item->file, error.text);
        return status == FM_ERR_MEMORY ? fm_fail(&search->error, status, "%s", error.text) : FM_OK;
    }
    struct fm_symbols *symbols = fm_symbols_for(profile, getenv("FATHOM_DEBUG_PATH"), NULL, NULL);
    status = fm_listing_find(&search->listing, item, profile, symbols, &search->error);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    return status;
}

/* Only of what is shown: a whole profile and the symbols of its program take longer than all of its line. */
static enum fm_status find_findings(struct list_search *search)
{
    enum fm_status status = FM_OK;
    size_t rows = search->request->no_findings ? 0 : fm_listing_rows(&search->listing, search->request->top);
    for (size_t i = 0; i < rows && !status; i++)
        status = find_one(search, &search->listing.items[i]);
    return status;
}

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    (void)error;
    struct list_search *search = context;
    const struct list_request *request = search->request;
    (request->format == FORMAT_JSON  ? fm_listing_json
     : request->format == FORMAT_CSV ? fm_listing_csv
                                     : fm_listing_text)(&search->listing, request->top, out);
    return FM_OK;
}

int fm_cmd_list(int argc, char **argv)
{
    struct list_request request;
    struct list_search search = {.request = &request};
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    enum fm_status status = request.n_places ? FM_OK : add_place(&search, ".");
    for (size_t i = 0; i < request.n_places && !status; i++)
        status = add_place(&search, request.places[i]);
    if (!status && !fm_listing_sort(&search.listing, request.order))
        status = fm_fail(&search.error, FM_ERR_MEMORY, "not enough memory to sort the list");
    if (!status)
        status = find_findings(&search);
    if (!status)
        status = fm_print_to(request.output, print, &search, &search.error);
    fm_listing_close(&search.listing);
    if (status)
        return fm_command_error("list", &search.error);
    return search.failed ? FM_EXIT_FAILED : FM_EXIT_OK;
}
