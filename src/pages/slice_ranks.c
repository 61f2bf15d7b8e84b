/* SPDX-License-Identifier: BSD-3-Clause */
/* The slice `ranks`: everything that grows with the number of ranks, one list per figure instead of one object per
 * process, which takes a third of the bytes. */
#include "pages/slice_kinds.h"
#include "render/json.h"
#include "report/json_parts.h"
#include "report/report_json.h"

static void write_ends(const struct fm_profile *profile, struct fm_json *json)
{
    char how[128];
    fm_json_array(json, "end", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_text(json, NULL,
                     fm_end_text(profile->processes[i].end, profile->processes[i].end_code, how, sizeof how));
    fm_json_end(json);
    fm_json_array(json, "inside", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_text_or_null(json, NULL, profile->processes[i].inside);
    fm_json_end(json);
}

/* Which process it is, and where it ran; hosts are indices into job.hosts_list. */
static void write_places(const struct fm_profile *profile, struct fm_json *json)
{
    const struct fm_process *processes = profile->processes;
    fm_json_array(json, "rank", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_whole_or_null(json, NULL, processes[i].rank != FM_NO_RANK, processes[i].rank);
    fm_json_end(json);
    fm_json_array(json, "host", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_whole_or_null(json, NULL, processes[i].end != FM_END_MISSING && processes[i].host < profile->n_hosts,
                              processes[i].host);
    fm_json_end(json);
    fm_json_array(json, "core", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_whole_or_null(json, NULL, processes[i].end != FM_END_MISSING, processes[i].core);
    fm_json_end(json);
    fm_json_array(json, "pid", FM_JSON_INLINE);
    for (size_t i = 0; i < profile->n_processes; i++)
        fm_json_whole_or_null(json, NULL, processes[i].end != FM_END_MISSING, (uint64_t)processes[i].pid);
    fm_json_end(json);
}

enum fm_status fm_slice_ranks(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    const struct fm_profile *profile = slices->report->profile;
    struct fm_json json = {.out = out};
    if (*rest)
        return fm_no_slice(error);
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_object(&json, "processes", FM_JSON_INLINE);
    write_places(profile, &json);
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++) {
        fm_json_array(&json, fm_figures[figure].key, FM_JSON_INLINE);
        for (size_t i = 0; i < profile->n_processes; i++)
            fm_json_figure(&json, NULL, &profile->processes[i], figure);
        fm_json_end(&json);
    }
    write_ends(profile, &json);
    fm_json_end(&json);
    enum fm_status status = fm_json_split(slices->report, &json, error);
    if (status)
        return status;
    fm_json_balance(slices->report, &json);
    fm_json_end(&json);
    return FM_OK;
}
