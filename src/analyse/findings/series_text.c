/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/series_text.h"

#include <inttypes.h>
#include <string.h>

#include "analyse/calls/routine_sites.h"
#include "base/basename.h"
#include "base/units.h"
#include "base/writer.h"

static const struct fm_symbol *place_of(const struct fm_mergeable *series, size_t i, struct fm_symbols *symbols)
{
    bool there = symbols && i < series->n_sites;
    const struct fm_symbol *place = there ? fm_routine_place(symbols, series->sites[i], series->routine) : NULL;
    return place && place->line ? place : NULL;
}

const char *fm_series_places(const struct fm_mergeable *series, struct fm_symbols *symbols, struct fm_arena *arena)
{
    struct fm_writer writer = {.arena = arena};
    for (size_t i = 0; i < series->n_sites; i++) {
        const struct fm_symbol *place = place_of(series, i, symbols), *after = place_of(series, i + 1, symbols);
        const struct fm_symbol *before = i ? place_of(series, i - 1, symbols) : NULL;
        fm_write(&writer, "%s", i == 0 ? "" : i + 1 < series->n_sites ? ", " : " and ");
        if (!place) {
            const struct fm_symbol *named = symbols ? fm_routine_place(symbols, series->sites[i], series->routine)
                                                    : NULL;
            if (named && named->function[0] != '[')
                fm_write(&writer, "%s", named->function);
            else
                fm_write(&writer, "%s+0x%" PRIx64, fm_basename(series->sites[i]->module), series->sites[i]->offset);
            continue;
        }
        bool same_file = before && !strcmp(before->file, place->file);
        fm_write(&writer, "%s:%u", same_file ? "" : place->file, place->line);
        if (!after || strcmp(after->function, place->function) != 0)
            fm_write(&writer, " (%s)", place->function);
    }
    return fm_writer_text(&writer);
}

const char *fm_series_times(const struct fm_mergeable *series, struct fm_arena *arena)
{
    char times[FM_UNIT_CHARS];
    return fm_written(arena, "%s %s times per rank, often within 2 us",
                      series->n_sites == 1 ? "follows itself" : "follow each other",
                      fm_count_text(times, (uint64_t)(series->times + 0.5)));
}
