/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/mergeable_text.h"

#include <string.h>

#include "analyse/balance/mergeable.h"
#include "base/units.h"

/* "pcg.f90:118 and :121 (pcg)", "a.c:3 (first) and b.c:7 (second)" */
static const char *places_text(struct fm_report *report, const struct fm_mergeable *series)
{
    const char *text = "";
    for (size_t i = 0; i < series->n_sites; i++) {
        const struct fm_symbol *place = fm_site_place(report, series->sites[i], series->routine);
        const struct fm_symbol *before = i ? fm_site_place(report, series->sites[i - 1], series->routine) : NULL;
        const struct fm_symbol *after = i + 1 < series->n_sites
                                            ? fm_site_place(report, series->sites[i + 1], series->routine)
                                            : NULL;
        const char *join = i == 0 ? "" : i + 1 < series->n_sites ? ", " : " and ";
        if (!place || !place->line) {
            text = fm_format(&report->arena, "%s%s%s", text, join,
                             fm_site_text(report, series->sites[i], series->routine));
            continue;
        }
        bool same_file = before && before->line && !strcmp(before->file, place->file);
        bool last = !after || !after->line || strcmp(after->function, place->function) != 0;
        text = fm_format(&report->arena, "%s%s%s:%u", text, join, same_file ? "" : place->file, place->line);
        if (last)
            text = fm_format(&report->arena, "%s (%s)", text, place->function);
    }
    return text;
}

const char *fm_mergeable_question(struct fm_report *report, const char *routine)
{
    char times[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
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
        return fm_format(&report->arena, "The %s at %s %s %s times per rank, often within 2 us: %s %% of the time. %s",
                         routine, places_text(report, series),
                         series->n_sites == 1 ? "follows itself" : "follow each other",
                         fm_count_text(times, (uint64_t)(series->times + 0.5)),
                         fm_percent_text(share, fm_ratio((double)series->cost_ns, (double)whole_ns)),
                         series->n_sites == 1 ? "Can several be one?" : "Can they be one?");
    }
    return "";
}
