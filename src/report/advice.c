/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/advice.h"

#include "base/units.h"
#include "render/text.h"

static const char *ranks_text(const struct fm_scale_advice *advice, size_t run, struct fm_arena *arena)
{
    uint32_t ranks = advice->points[run].processes;
    return fm_format(arena, "%u rank%s", ranks, ranks == 1 ? "" : "s");
}

const char *fm_advice_text(const struct fm_scale_advice *advice, double least, const char *waiting,
                           struct fm_arena *arena)
{
    char from[FM_UNIT_CHARS], to[FM_UNIT_CHARS];
    const char *text = advice->best + 1 == advice->n ? fm_format(arena, "Efficiency is %.2f or more in all runs", least)
                                                     : fm_format(arena, "Efficiency is below %.2f beyond %s", least,
                                                                 ranks_text(advice, advice->best, arena));
    if (advice->jump < advice->n)
        text = fm_format(arena, "%s; %s jumps after %s, from %s to %s of the run", text, waiting,
                         ranks_text(advice, advice->jump, arena),
                         fm_percent_whole(from, advice->points[advice->jump].waiting),
                         fm_percent_whole(to, advice->points[advice->jump + 1].waiting));
    return fm_format(arena, "%s.", text);
}

void fm_advice_json(const struct fm_scale_advice *advice, double least, const char *jumps, struct fm_json *json)
{
    if (!advice) {
        fm_json_null(json, "where_to_run");
        return;
    }
    fm_json_object(json, "where_to_run", FM_JSON_INLINE);
    fm_json_number(json, "threshold", least);
    fm_json_whole(json, "ranks", advice->points[advice->best].processes);
    if (advice->jump < advice->n)
        fm_json_whole(json, jumps, advice->points[advice->jump].processes);
    else
        fm_json_null(json, jumps);
    fm_json_end(json);
}
