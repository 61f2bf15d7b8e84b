/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of a model over several runs, as a rule on more and more ranks: work, transfer, waiting and who has called
 * for it, and the run time (after Figure 5 of Li and Luan). Each module is added up over all its calls. */
#ifndef FM_REPORT_MODULE_COMPARISON_H
#define FM_REPORT_MODULE_COMPARISON_H

#include "analyse/scaling/scale_advice.h"
#include "report/report_modules.h"
#include "report/run_notes.h"

struct fm_comparison_run {
    const char *profile; /* its file */
    struct fm_report *report;
    struct fm_module_breakdown modules;
};

/* A module in each of the runs; all zero where it is not there. */
struct fm_comparison_series {
    const char *name, *group; /* group: or NULL */
    struct fm_module_cost *own, sum;
    uint64_t *causes_ns, sum_causes_ns; /* as in struct fm_module_item */
};

struct fm_module_comparison {
    struct fm_comparison_run *items; /* by ranks, else as they were given */
    size_t n;
    struct fm_comparison_series *series; /* most cost in all runs first */
    size_t n_series;
    enum fm_scale_mode mode; /* how the runs are meant */
    /* Where to run; NULL: that takes three runs or more, each on ranks of its own number. */
    struct fm_scale_advice *advice;
    struct fm_run_notes notes;
    struct fm_arena arena;
};

/* Reports (of profiles with call paths) and the file names must outlive it; all have the same options.modules. */
enum fm_status fm_module_comparison_make(struct fm_report *const *reports, const char *const *profiles, size_t n,
                                         enum fm_scale_mode mode, struct fm_module_comparison *runs,
                                         struct fm_error *error);
void fm_module_comparison_destroy(struct fm_module_comparison *runs);

typedef enum fm_status fm_module_comparison_print(struct fm_module_comparison *runs, FILE *out, struct fm_error *error);
fm_module_comparison_print fm_module_comparison_text, fm_module_comparison_json, fm_module_comparison_csv,
    fm_module_comparison_svg;

#endif
