/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules that views, pictures and JSON show, according to the options of the report. */
#ifndef FM_REPORT_REPORT_MODULES_H
#define FM_REPORT_REPORT_MODULES_H

#include "analyse/modules/module_breakdown.h"
#include "analyse/modules/module_sequence.h"
#include "render/json.h"
#include "report/report_calls.h"

/* The module file of the report, or the default map. */
enum fm_status fm_report_module_map(struct fm_report *report, struct fm_module_map *map, struct fm_error *error);
/* `calls` returns the tree that they are made from. */
enum fm_status fm_report_modules(struct fm_report *report, struct fm_calltree *calls,
                                 struct fm_module_breakdown *modules, struct fm_error *error);
/* The activity of ranks over time; without rows if unknown. */
enum fm_status fm_report_sequence(struct fm_report *report, struct fm_module_sequence *sequence,
                                  struct fm_error *error);
/* The tree of modules as a tree of contexts, so that it can be drawn like other trees; marks are node indices. */
enum fm_status fm_module_contexts(struct fm_report *report, const struct fm_module_breakdown *modules,
                                  struct fm_calltree *tree, struct fm_error *error);
/* Writes the times of a module as keys of the current object. */
void fm_json_module_cost(struct fm_json *json, const struct fm_module_cost *cost);

#endif
