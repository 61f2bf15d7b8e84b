/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/mergeable_text.h"

#include <string.h>

#include "analyse/findings/series_text.h"
#include "base/units.h"

const char *fm_mergeable_question(struct fm_report *report, const char *routine)
{
    char share[FM_UNIT_CHARS];
    struct fm_mergeables found;
    struct fm_error error = {0};
    uint64_t whole_ns = report->summary.wall_sum_ns;
    if (fm_mergeables_find(report->profile, whole_ns, &report->arena, &found, &error))
        return "";
    for (size_t i = 0; i < found.n; i++) {
        const struct fm_mergeable *series = &found.items[i];
        if (strcmp(series->routine, routine) != 0)
            continue;
        fm_report_resolve(report);
        const char *places = fm_series_places(series, report->symbols, &report->arena);
        const char *times = fm_series_times(series, &report->arena);
        return fm_format(&report->arena, "The %s at %s %s: %s %% of the time. %s", routine, places ? places : "?",
                         times ? times : "?",
                         fm_percent_text(share, fm_ratio((double)series->cost_ns, (double)whole_ns)),
                         series->n_sites == 1 ? "Can several be one?" : "Can they be one?");
    }
    return "";
}
