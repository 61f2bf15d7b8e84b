/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of a model over several runs, usually with increasing numbers of ranks: work, transfer, waiting and its
 * cause, and the run time (after Figure 5 of Li and Luan). Each module is summed over all its calls. */
#ifndef FM_REPORT_MODULE_COMPARISON_H
#define FM_REPORT_MODULE_COMPARISON_H

#include "analyse/scaling/scale_advice.h"
#include "report/report_modules.h"
#include "report/run_notes.h"

struct fm_comparison_run {
    const char *profile; /* file name */
    struct fm_report *report;
    struct fm_module_breakdown modules;
};

/* A module in each of the runs; all zero if it does not occur. */
struct fm_comparison_series {
    const char *name, *group; /* group may be NULL */
    struct fm_module_cost *own, sum;
    uint64_t *causes_ns, sum_causes_ns; /* as in struct fm_module_item */
};

struct fm_module_comparison {
    struct fm_comparison_run *items; /* by number of ranks, otherwise in the given order */
    size_t n;
    struct fm_comparison_series *series; /* by total cost over all runs, largest first */
    size_t n_series;
    enum fm_scale_mode mode; /* kind of comparison */
    /* NULL unless there are at least three runs, all with different numbers of ranks. */
    struct fm_scale_advice *advice;
    struct fm_run_notes notes;
    struct fm_arena arena;
};

/* Reports (of profiles with call paths) and file names must outlive it; all reports have the same options.modules. */
enum fm_status fm_module_comparison_make(struct fm_report *const *reports, const char *const *profiles, size_t n,
                                         enum fm_scale_mode mode, struct fm_module_comparison *runs,
                                         struct fm_error *error);
void fm_module_comparison_destroy(struct fm_module_comparison *runs);

typedef enum fm_status fm_module_comparison_print(struct fm_module_comparison *runs, FILE *out, struct fm_error *error);
fm_module_comparison_print fm_module_comparison_text, fm_module_comparison_json, fm_module_comparison_csv,
    fm_module_comparison_svg;

#endif
