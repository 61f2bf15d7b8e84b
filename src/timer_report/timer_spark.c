/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer_report/timer_spark.h"

#include <stdio.h>

#include "base/saturate.h"
#include "base/units.h"

static const struct time_unit {
    const char *name;
    uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

/* The largest unit that is not larger than the duration. */
static const struct time_unit *unit_of(uint64_t ns)
{
    const struct time_unit *unit = &units[3];
    while (unit > units && ns < unit->ns)
        unit--;
    return unit;
}

/* The lower bound of a bin: one digit and zeros. After the last bin: UINT64_MAX. */
static const char *end_text(char *buffer, unsigned bin)
{
    uint64_t ns = bin < FM_DECIMAL_BINS ? fm_decimal_bin_from(bin) : UINT64_MAX;
    const struct time_unit *unit = unit_of(ns);
    snprintf(buffer, FM_UNIT_CHARS, "%lu %s", (unsigned long)(ns / unit->ns), ns ? unit->name : units[0].name);
    return buffer;
}

const char *fm_timer_bin_text(char *buffer, unsigned bin)
{
    uint64_t from = fm_decimal_bin_from(bin), to = fm_decimal_bin_to(bin);
    const struct time_unit *unit = unit_of(from);
    if (bin < 10)
        snprintf(buffer, FM_UNIT_CHARS, "%u ns", bin);
    else
        snprintf(buffer, FM_UNIT_CHARS, "%lu-%lu %s", (unsigned long)(from / unit->ns),
                 (unsigned long)(to / unit->ns + 1), unit->name);
    return buffer;
}

struct fm_timer_axis fm_timer_axis_of(const struct fm_timer_group *groups, size_t n)
{
    struct fm_timer_axis axis = {.from = FM_DECIMAL_BINS - 1, .to = 1};
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < groups[i].n_bins && groups[i].bins[b].bin < FM_DECIMAL_BINS; b++) {
            unsigned bin = groups[i].bins[b].bin;
            axis.from = bin < axis.from ? bin : axis.from;
            axis.to = bin >= axis.to ? bin + 1 : axis.to;
        }
    }
    axis.from = axis.from < axis.to ? axis.from : axis.to - 1;
    /* pad a few bins on both sides, to make room for the labels of both ends */
    unsigned missing = axis.to - axis.from < FM_SPARK_LEAST ? FM_SPARK_LEAST - (axis.to - axis.from) : 0;
    axis.from -= missing / 2 < axis.from ? missing / 2 : axis.from;
    if (axis.to - axis.from < FM_SPARK_LEAST)
        axis.to = axis.from + FM_SPARK_LEAST;
    if (axis.to > FM_DECIMAL_BINS) {
        axis.from -= axis.to - FM_DECIMAL_BINS;
        axis.to = FM_DECIMAL_BINS;
    }
    axis.bins = (axis.to - axis.from + FM_SPARK_MOST - 1) / FM_SPARK_MOST;
    axis.columns = (axis.to - axis.from + axis.bins - 1) / axis.bins;
    return axis;
}

void fm_write_axis(struct fm_writer *w, const struct fm_timer_axis *axis)
{
    char from[FM_UNIT_CHARS], to[FM_UNIT_CHARS];
    size_t start = w->n;
    fm_write(w, "%s ", end_text(from, axis->from));
    fm_write(w, "%*s", (int)axis->columns - (int)(w->n - start), end_text(to, axis->from + axis->columns * axis->bins));
}

void fm_write_spark(struct fm_writer *w, const struct fm_timer_group *group, const struct fm_timer_axis *axis,
                    bool ascii)
{
    static const char blocks[][4] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char signs[][4] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    uint64_t columns[FM_SPARK_MOST] = {0}, max = 1;
    for (size_t i = 0; i < group->n_bins && group->bins[i].bin < axis->to; i++)
        fm_add_saturating(&columns[(group->bins[i].bin - axis->from) / axis->bins], group->bins[i].sum);
    for (unsigned i = 0; i < axis->columns; i++)
        max = columns[i] > max ? columns[i] : max;
    for (unsigned i = 0; i < axis->columns; i++) {
        unsigned height = columns[i] ? 1 + (unsigned)((unsigned __int128)columns[i] * 7 / max) : 0;
        fm_write(w, "%s", ascii ? signs[height] : blocks[height]);
    }
}
