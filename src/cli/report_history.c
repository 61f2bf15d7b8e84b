/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report_history.h"

#include "base/basename.h"
#include "cli/cli.h"
#include "cli/printing.h"
#include "format/encode.h"
#include "pages/html.h"
#include "render/text.h"
#include "report/history.h"
#include "report/profile_files.h"

struct history_search {
    struct fm_history history;
    const char *directory, *debug_path;
    bool html;
    size_t failed;
    struct fm_error error;
};

static void cannot_read(void *context, const char *path, const char *why)
{
    (void)path;
    struct history_search *search = context;
    search->failed++;
    fm_print_line(stderr, "fathom report: %s.\n", why);
}

static enum fm_status add_file(void *context, const char *path, const struct stat *st)
{
    (void)st;
    struct history_search *search = context;
    struct fm_profile *profile;
    struct fm_error error = {0};
    enum fm_status status = fm_profile_read(path, &profile, &error);
    if (status) {
        cannot_read(search, path, error.text);
        return status == FM_ERR_MEMORY ? fm_fail(&search->error, status, "%s", error.text) : FM_OK;
    }
    struct fm_symbols *symbols = fm_symbols_for(profile, search->debug_path, NULL, NULL);
    status = fm_history_add(&search->history, NULL, fm_basename(path), profile, symbols, &search->error);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    return status;
}

static enum fm_status write_json(void *context, FILE *out, struct fm_error *error)
{
    struct history_search *search = context;
    return fm_history_json(&search->history, out, error);
}

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    struct history_search *search = context;
    if (!search->html)
        return write_json(context, out, error);
    enum fm_status status = fm_html_begin(out, "History", "The history of the runs of programs.", error);
    if (!status)
        status = fm_html_slice(out, "history", write_json, search, error);
    if (!status)
        fm_html_end(out);
    return status;
}

int fm_report_history(const char *directory, bool html, const char *output, const char *debug_path)
{
    struct history_search search = {.directory = directory, .debug_path = debug_path, .html = html};
    const struct fm_profile_files files = {
        .recursive = true, .found = add_file, .failed = cannot_read, .context = &search};
    enum fm_status status = fm_profile_files_walk(directory, &files);
    if (!status && !search.history.n)
        status = fm_fail(&search.error, FM_ERR_INPUT, "there are no profiles in %s", directory);
    if (!status)
        status = fm_print_to(output, print, &search, &search.error);
    fm_history_close(&search.history);
    if (status)
        return fm_command_error("report", &search.error);
    return search.failed ? FM_EXIT_FAILED : FM_EXIT_OK;
}
