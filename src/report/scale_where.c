/* SPDX-License-Identifier: BSD-3-Clause */
/* The compared runs side by side, and the recommended number of ranks. */
#include "report/advice.h"
#include "report/scaling.h"

static void print_table(struct fm_scaling *scaling, const struct fm_scale_advice *advice, FILE *out)
{
    const char *before = advice->n > 2 ? "to previous" : NULL;
    const struct fm_column columns[] = {
        {"ranks", NULL, FM_COLUMN_RANK},      {"time", NULL, FM_COLUMN_TIME}, {"speed-up", NULL, FM_COLUMN_MEAN},
        {"efficiency", NULL, FM_COLUMN_MEAN}, {before, NULL, FM_COLUMN_MEAN}, {"% in MPI", NULL, FM_COLUMN_PERCENT},
    };
    struct fm_table table;
    fm_table_start(&table, &scaling->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < advice->n; i++) {
        const struct fm_scale_point *point = &advice->points[i];
        fm_cell_whole(&table, point->processes);
        fm_cell_number(&table, point->total_ns);
        fm_cell_text(&table, fm_format(&scaling->arena, "%.2f", point->speedup));
        fm_cell_text(&table, fm_format(&scaling->arena, "%.2f", point->efficiency));
        if (i)
            fm_cell_text(&table, fm_format(&scaling->arena, "%.2f", fm_scale_efficiency(scaling->judged, i - 1, i)));
        else
            fm_cell_none(&table);
        fm_cell_number(&table, point->waiting);
    }
    fm_table_print(&table, out);
}

static const char *projection_text(struct fm_scaling *scaling)
{
    struct fm_projection projection;
    uint32_t ranks = scaling->options.project;
    if (!fm_scale_project(scaling->judged, ranks, &projection))
        return "No projection: it needs runs at three different rank counts.";
    const char *work = scaling->options.mode == FM_SCALE_STRONG ? "work of all ranks" : "time of a rank";
    const char *how = projection.trend.form == FM_TREND_CONSTANT
                          ? fm_format(&scaling->arena, "the %s stays constant", work)
                          : fm_format(&scaling->arena, "the %s grows as %s", work,
                                      fm_trend_text(projection.trend.form));
    return fm_format(&scaling->arena, "Projection, not measured: on %u ranks efficiency %.2f (%.2f to %.2f), if %s.",
                     ranks, projection.efficiency, projection.low, projection.high, how);
}

void fm_scaling_print_runs(struct fm_scaling *scaling, FILE *out)
{
    struct fm_scale_advice advice;
    fm_scale_advise(scaling->judged, scaling->options.threshold, &advice);
    print_table(scaling, &advice, out);
    if (advice.n > 2)
        fm_print_folded(out, fm_advice_text(&advice, scaling->options.threshold, "time in MPI", &scaling->arena), 2);
    if (scaling->options.project)
        fm_print_folded(out, projection_text(scaling), 2);
}
