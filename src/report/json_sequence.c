/* SPDX-License-Identifier: BSD-3-Clause */
/* The activity of ranks over time in JSON: doc/JSON.md. */
#include "report/json_parts.h"
#include "report/sequence_style.h"

static void write_modules(struct fm_json *json, const struct fm_module_sequence *s, const unsigned *colours)
{
    fm_json_array(json, "modules", FM_JSON_LINES);
    for (size_t i = 0; i < s->n_modules; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", s->modules[i].name);
        fm_json_whole(json, "colour", colours[i]);
        fm_json_whole(json, "work_moments", s->modules[i].in[FM_MODULE_WORK]);
        fm_json_whole(json, "transfer_moments", s->modules[i].in[FM_MODULE_TRANSFER]);
        fm_json_whole(json, "waiting_moments", s->modules[i].in[FM_MODULE_WAITING]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* Runs of equal moments: module or null, whether it is waiting, number of moments, whether it is transfer. */
static void write_row(struct fm_json *json, const struct fm_module_sequence *s, const struct fm_module_row *row)
{
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_whole(json, "rank", row->rank);
    fm_json_array(json, "runs", FM_JSON_INLINE);
    for (size_t at = 0, n; at < s->n_moments; at += n) {
        const struct fm_module_moment *moment = &row->moments[at];
        n = fm_module_run(s, row, at);
        fm_json_array(json, NULL, FM_JSON_INLINE);
        if (moment->module)
            fm_json_whole(json, NULL, moment->module - 1);
        else
            fm_json_null(json, NULL);
        fm_json_bool(json, NULL, moment->state == FM_MODULE_WAITING);
        fm_json_whole(json, NULL, n);
        fm_json_bool(json, NULL, moment->state == FM_MODULE_TRANSFER);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

enum fm_status fm_json_sequence(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_module_sequence s;
    enum fm_status status = fm_report_sequence(report, &s, error);
    if (status)
        return status;
    if (!s.n_rows) {
        fm_json_null(json, "sequence");
        return FM_OK;
    }
    unsigned *colours = fm_arena_alloc(&report->arena, (s.n_named + 1) * sizeof *colours);
    if (!colours || !fm_sequence_colours(&s, &report->arena, colours))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the sequence");
    fm_json_object(json, "sequence", FM_JSON_LINES);
    fm_json_seconds(json, "start_s", s.start_ns);
    fm_json_seconds(json, "moment_s", s.moment_ns);
    fm_json_whole(json, "moments", s.n_moments);
    fm_json_whole(json, "rank_step", s.rank_step);
    write_modules(json, &s, colours);
    fm_json_array(json, "ranks", FM_JSON_LINES);
    for (size_t i = 0; i < s.n_rows; i++)
        write_row(json, &s, &s.rows[i]);
    fm_json_end(json);
    fm_json_end(json);
    return FM_OK;
}
