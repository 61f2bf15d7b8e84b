/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/html_scale.h"

#include <string.h>

#include "pages/html.h"
#include "pages/slice_scale.h"
#include "render/json.h"
#include "report/report_json.h"

struct scale_page {
    FILE *out;
    const struct fm_scaling_run *given;
    size_t n;
    struct fm_scaling_run runs[FM_SCALE_RUNS]; /* of the view that is being written */
    struct fm_scaling scaling;                 /* the same */
    enum fm_scaling_view views[FM_SCALING_SPLIT];
    size_t n_views;
};

/* Each view is opened from the runs in the order in which they were given: which of two versions is A depends on it. */
static enum fm_status open_view(struct scale_page *page, const struct fm_scaling_options *options,
                                struct fm_error *error)
{
    memcpy(page->runs, page->given, page->n * sizeof *page->runs);
    return fm_scaling_open(&page->scaling, page->runs, page->n, options, error);
}

static enum fm_status write_view(void *context, FILE *out, struct fm_error *error)
{
    struct scale_page *page = context;
    return fm_slice_scale(&page->scaling, out, error);
}

static enum fm_status print_view(struct scale_page *page, struct fm_error *error)
{
    char name[64];
    enum fm_scaling_view view = page->scaling.options.view;
    page->views[page->n_views++] = view;
    snprintf(name, sizeof name, "scale/%s", fm_scaling_views[view]);
    return fm_html_slice(page->out, name, write_view, page, error);
}

static enum fm_status write_views(void *context, FILE *out, struct fm_error *error)
{
    const struct scale_page *page = context;
    struct fm_json json = {.out = out};
    (void)error;
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_array(&json, "views", FM_JSON_INLINE);
    for (size_t i = 0; i < page->n_views; i++)
        fm_json_text(&json, NULL, fm_scaling_views[page->views[i]]);
    fm_json_end(&json);
    fm_json_end(&json);
    return FM_OK;
}

static bool is_written(const struct scale_page *page, enum fm_scaling_view view)
{
    for (size_t i = 0; i < page->n_views; i++)
        if (page->views[i] == view)
            return true;
    return false;
}

/* The views besides the first one. What cannot be shown of these runs is left out. */
static enum fm_status print_others(struct scale_page *page, const struct fm_scaling_options *options,
                                   struct fm_error *error)
{
    bool of_paths = options->focus || options->inside_mpi || options->fold_recursion;
    enum fm_scaling_view last = of_paths ? FM_SCALING_FLAT : FM_SCALING_TIMERS;
    enum fm_status status = FM_OK;
    for (enum fm_scaling_view view = FM_SCALING_CALLS; view <= last && !status; view++) {
        struct fm_scaling_options other = *options;
        struct fm_error why = {0};
        other.view = view;
        if (is_written(page, view))
            continue;
        status = open_view(page, &other, &why);
        if (status == FM_ERR_USAGE || status == FM_ERR_INPUT)
            status = FM_OK;
        else if (status)
            *error = why;
        else
            status = print_view(page, error);
        fm_scaling_close(&page->scaling);
    }
    return status;
}

enum fm_status fm_html_scale(const struct fm_scaling_run *runs, size_t n, const struct fm_scaling_options *options,
                             FILE *out, struct fm_error *error)
{
    struct scale_page page = {.out = out, .given = runs, .n = n};
    struct fm_scaling_options first = *options;
    if (first.view == FM_SCALING_COSTS || first.view == FM_SCALING_EFFICIENCY) /* all pages have them */
        first.view = FM_SCALING_USUAL;
    enum fm_status status = open_view(&page, &first, error);
    const char *name = status ? "" : page.runs[0].report.summary.name;
    if (!status)
        status = fm_html_begin(out, name, "A comparison of runs.", error);
    if (!status)
        status = print_view(&page, error);
    fm_scaling_close(&page.scaling);
    if (!status)
        status = print_others(&page, options, error);
    if (!status)
        status = fm_html_slice(out, "scale", write_views, &page, error);
    if (!status)
        fm_html_end(out);
    return status;
}
