/* SPDX-License-Identifier: BSD-3-Clause */
/* The factors of the efficiency of each run (analyse/efficiency/factors.h), relative to the first one. */
#include "report/scaling.h"

struct fm_scaling_factors fm_scaling_factors(const struct fm_scaling *scaling, size_t run)
{
    const struct fm_profile *first = scaling->runs[scaling->options.mode == FM_SCALE_SAME ? scaling->base : 0].profile;
    const struct fm_profile *profile = scaling->runs[run].profile;
    struct fm_scaling_factors factors = {.own = scaling->runs[run].report.factors};
    factors.own.known &= profile->n_routines > 0;
    factors.computation = fm_computation_scaling(first, profile, scaling->options.mode != FM_SCALE_WEAK);
    factors.global = factors.own.parallel * factors.computation.scaling;
    return factors;
}

static const struct fm_column columns[] = {
    {"", NULL, FM_COLUMN_BAR},
    {NULL, "profile", FM_COLUMN_TEXT},
    {NULL, "ranks", FM_COLUMN_RANK},
    {"% global", "global", FM_COLUMN_PERCENT},
    {"= computation", "computation", FM_COLUMN_PERCENT},
    {"x parallel", "parallel", FM_COLUMN_PERCENT},
    {"= load balance", "load_balance", FM_COLUMN_PERCENT},
    {"x communication", "communication", FM_COLUMN_PERCENT},
    {NULL, "instructions", FM_COLUMN_PERCENT},
    {NULL, "ipc", FM_COLUMN_PERCENT},
    {NULL, "frequency", FM_COLUMN_PERCENT},
};

static void computation_cells(struct fm_table *table, const struct fm_computation *computation)
{
    bool known = computation->instructions > 0;
    fm_cell_number_or_none(table, computation->instructions, known);
    fm_cell_number_or_none(table, computation->ipc, known);
    fm_cell_number_or_none(table, computation->frequency, known);
}

static void fill(struct fm_scaling *scaling, struct fm_table *table)
{
    fm_table_start(table, &scaling->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < scaling->n; i++) {
        struct fm_scaling_factors factors = fm_scaling_factors(scaling, i);
        fm_cell_text(table, fm_scaling_run_text(scaling, i));
        fm_cell_text(table, scaling->runs[i].file);
        fm_cell_whole(table, fm_scaling_ranks(scaling, i));
        bool known = factors.computation.scaling > 0;
        fm_cell_number_or_none(table, factors.global, factors.own.known && known);
        fm_cell_number_or_none(table, factors.computation.scaling, known);
        fm_cell_number_or_none(table, factors.own.parallel, factors.own.known);
        fm_cell_number_or_none(table, factors.own.load_balance, factors.own.known);
        fm_cell_number_or_none(table, factors.own.communication, factors.own.known);
        computation_cells(table, &factors.computation);
    }
}

void fm_scaling_print_factors(struct fm_scaling *scaling, FILE *out)
{
    struct fm_table table;
    fill(scaling, &table);
    fm_table_print(&table, out);
}

static bool has_computation(const struct fm_scaling *scaling)
{
    for (size_t i = 0; i < scaling->n; i++)
        if (fm_scaling_factors(scaling, i).computation.instructions > 0)
            return true;
    return false;
}

/* The factors of computation scaling, which need counters. */
static void print_computation(struct fm_scaling *scaling, FILE *out)
{
    static const struct fm_column of_computation[] = {
        {"", NULL, FM_COLUMN_BAR},
        {"% computation", NULL, FM_COLUMN_PERCENT},
        {"= instructions", NULL, FM_COLUMN_PERCENT},
        {"x IPC", NULL, FM_COLUMN_PERCENT},
        {"x frequency", NULL, FM_COLUMN_PERCENT},
    };
    struct fm_table table;
    fm_table_start(&table, &scaling->arena, of_computation, sizeof of_computation / sizeof *of_computation);
    for (size_t i = 0; i < scaling->n; i++) {
        struct fm_computation computation = fm_scaling_factors(scaling, i).computation;
        fm_cell_text(&table, fm_scaling_run_text(scaling, i));
        fm_cell_number_or_none(&table, computation.scaling, computation.scaling > 0);
        computation_cells(&table, &computation);
    }
    fputc('\n', out);
    fm_table_print(&table, out);
}

enum fm_status fm_scaling_factors_text(struct fm_scaling *scaling, FILE *out)
{
    bool weak = scaling->options.mode == FM_SCALE_WEAK;
    fm_scaling_print_factors(scaling, out);
    fm_print_sentence(out,
                      "computation: time outside MPI of %s in the first run / in this one; parallel: mean time outside "
                      "MPI / wall time; load balance: mean / longest time outside MPI; communication: longest time "
                      "outside MPI / wall time.",
                      weak ? "a rank" : "all ranks");
    if (!has_computation(scaling)) {
        fm_print_sentence(out, "The scaling of instructions, IPC and frequency is unknown: it needs hardware counters "
                               "in all runs.");
        return FM_OK;
    }
    print_computation(scaling, out);
    fm_print_sentence(out,
                      "Outside MPI: instructions of %s in the first run / in this one; instructions per cycle, and "
                      "cycles per second, in this run / in the first one.",
                      weak ? "a rank" : "all ranks");
    return FM_OK;
}

enum fm_status fm_scaling_factors_csv(struct fm_scaling *scaling, FILE *out)
{
    struct fm_table table;
    fill(scaling, &table);
    fm_table_csv(&table, out);
    return FM_OK;
}
