/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_json.h"

#include "render/json.h"
#include "report/json_parts.h"

enum fm_status fm_report_json(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    enum fm_status status = fm_json_job(report, &json, error);
    fm_json_processes(report, &json);
    if (!status)
        status = fm_json_mpi(report, &json, error);
    if (!status)
        status = fm_json_timers(report, &json, error);
    if (!status)
        status = fm_json_efficiency(report, &json, error);
    if (!status)
        status = fm_json_split(report, &json, error);
    if (!status)
        status = fm_json_io(report, &json, error);
    if (!status)
        status = fm_json_counters(report, &json, error);
    if (status)
        return status;
    fm_json_memory(report, &json);
    fm_json_network(report, &json);
    status = fm_json_findings(report, &json, error);
    if (!status)
        status = fm_json_calls(report, &json, error);
    if (!status)
        status = fm_json_modules(report, &json, error);
    if (!status)
        status = fm_json_sequence(report, &json, error);
    if (status)
        return status;
    fm_json_end(&json);
    return FM_OK;
}
