/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/findings_text.h"

#include <string.h>

#include "base/units.h"

enum { SUMMARY_FINDINGS = 5, SHARE_COLUMNS = 6 };

const char *fm_finding_share_text(struct fm_report *report, const struct fm_finding *finding)
{
    char share[FM_UNIT_CHARS];
    if (finding->cost_ns <= 0)
        return "";
    return fm_format(&report->arena, "%s",
                     fm_percent_whole(share, fm_ratio(finding->cost_ns, (double)report->summary.wall_sum_ns)));
}

enum fm_status fm_print_findings(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_findings *found;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status || !found->n)
        return status;
    size_t shown = fm_report_rows(report, found->n, SUMMARY_FINDINGS);
    fm_print_sentence(out, "Findings, with the share of the time that they cost (--view findings):");
    for (size_t i = 0; i < shown; i++)
        fm_print_hanging(
            out, fm_format(&report->arena, "%*s  ", SHARE_COLUMNS, fm_finding_share_text(report, &found->items[i])),
            fm_format(&report->arena, "%s.", found->items[i].text));
    if (shown < found->n)
        fprintf(out, "  + %zu more (--view findings)\n", found->n - shown);
    fputc('\n', out);
    return FM_OK;
}

bool fm_summary_has_finding(struct fm_report *report, const char *rule)
{
    const struct fm_findings *found;
    struct fm_error error;
    if (fm_report_findings(report, &found, &error))
        return false;
    size_t shown = fm_report_rows(report, found->n, SUMMARY_FINDINGS);
    for (size_t i = 0; i < shown; i++)
        if (!strcmp(found->items[i].rule, rule))
            return true;
    return false;
}
