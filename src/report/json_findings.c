/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/basename.h"
#include "report/json_parts.h"

enum fm_status fm_json_findings(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    const struct fm_findings *found;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status)
        return status;
    fm_json_array(json, "findings", found->n ? FM_JSON_LINES : FM_JSON_INLINE);
    for (size_t i = 0; i < found->n; i++) {
        const struct fm_finding *finding = &found->items[i];
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_text(json, "rule", finding->rule);
        fm_json_text(json, "text", finding->text);
        fm_json_text(json, "advice", finding->advice);
        fm_json_text_or_null(json, "trace", finding->trace);
        fm_json_number(json, "cost_s", finding->cost_ns / 1e9);
        fm_json_number(json, "cost_fraction", fm_ratio(finding->cost_ns, (double)report->summary.wall_sum_ns));
        fm_json_bool(json, "measured", finding->measured);
        fm_json_ranks(report, json, &finding->ranks);
        fm_json_text_or_null(json, "function", finding->place.function);
        fm_json_text_or_null(json, "file", fm_basename(finding->place.path));
        if (finding->place.line)
            fm_json_whole(json, "line", finding->place.line);
        else
            fm_json_null(json, "line");
        fm_json_text_or_null(json, "path", finding->place.path);
        fm_json_object(json, "evidence", FM_JSON_INLINE);
        for (size_t k = 0; k < finding->n_evidence; k++)
            fm_json_number(json, finding->evidence[k].name, finding->evidence[k].value);
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}
