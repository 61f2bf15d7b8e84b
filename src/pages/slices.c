/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/slices.h"

#include <string.h>

#include "base/names.h"
#include "pages/slice_kinds.h"
#include "render/json.h"
#include "report/json_parts.h"
#include "report/report_json.h"
#include "report/views.h"

/* ---- parts of the document ---- */

static void write_sentences(struct fm_report *report, struct fm_json *json)
{
    fm_json_text(json, "headline", fm_headline(report));
    fm_json_text(json, "balance_sentence", fm_balance_sentence(report));
    fm_json_bool(json, "sampled", fm_report_sampled(report)); /* whether there are trees */
}

static enum fm_status write_summary(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    write_sentences(report, json);
    enum fm_status status = fm_json_job(report, json, error);
    if (!status)
        status = fm_json_efficiency(report, json, error);
    if (!status)
        status = fm_json_findings(report, json, error);
    if (!status)
        status = fm_json_split_total(report, json, error);
    fm_json_memory(report, json);
    fm_json_network(report, json);
    return status;
}

static const struct slice_part {
    const char *name;
    enum fm_status (*write)(struct fm_report *report, struct fm_json *json, struct fm_error *error);
} parts[] = {
    {"summary", write_summary},     {"mpi", fm_json_mpi_tables},  {"timers", fm_json_timers},     {"io", fm_json_io},
    {"counters", fm_json_counters}, {"modules", fm_json_modules}, {"sequence", fm_json_sequence},
};

static enum fm_status write_part(struct fm_slices *slices, const struct slice_part *part, FILE *out,
                                 struct fm_error *error)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    enum fm_status status = part->write(slices->report, &json, error);
    if (!status)
        fm_json_end(&json);
    return status;
}

/* ---- all slices ---- */

static const struct slice_kind {
    const char *name;
    enum fm_status (*write)(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error);
    enum fm_status (*visit)(struct fm_slices *slices, fm_slice_visit visit, void *context, struct fm_error *error);
} kinds[] = {
    {"ranks", fm_slice_ranks, NULL},
    {"topology", fm_slice_topology, fm_slice_topology_visit},
    {"tree", fm_slice_tree, fm_slice_tree_visit},
    {"sources", fm_slice_sources, fm_slice_sources_visit},
};

enum { N_PARTS = sizeof parts / sizeof *parts, N_KINDS = sizeof kinds / sizeof *kinds };

enum fm_status fm_slice_write(struct fm_slices *slices, const char *name, FILE *out, struct fm_error *error)
{
    for (size_t i = 0; i < N_PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return write_part(slices, &parts[i], out, error);
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < N_KINDS; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, name, length) == 0)
            return kinds[i].write(slices, name + length + (name[length] == '/'), out, error);
    return fm_no_slice(error);
}

enum fm_status fm_slices_visit(struct fm_slices *slices, fm_slice_visit visit, void *context, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < N_PARTS && !status; i++)
        status = visit(context, parts[i].name, error);
    for (size_t i = 0; i < N_KINDS && !status; i++)
        status = kinds[i].visit ? kinds[i].visit(slices, visit, context, error) : visit(context, kinds[i].name, error);
    return status;
}
