/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of a model that views, pictures and JSON show, as the options of the report ask for them. */
#ifndef FM_REPORT_REPORT_MODULES_H
#define FM_REPORT_REPORT_MODULES_H

#include "analyse/modules/module_breakdown.h"
#include "analyse/modules/module_sequence.h"
#include "render/json.h"
#include "report/report_calls.h"

/* `calls` is the tree that they are made from. */
enum fm_status fm_report_modules(struct fm_report *report, struct fm_calltree *calls,
                                 struct fm_module_breakdown *modules, struct fm_error *error);
/* What ranks did over time; without any rows when nothing is known of it. */
enum fm_status fm_report_sequence(struct fm_report *report, struct fm_module_sequence *sequence,
                                  struct fm_error *error);
/* Their tree as one of contexts, so that it is drawn as all trees are; marks are numbers of nodes. */
enum fm_status fm_module_contexts(struct fm_report *report, const struct fm_module_breakdown *modules,
                                  struct fm_calltree *tree, struct fm_error *error);
/* The times of a module as keys of the open object. */
void fm_json_module_cost(struct fm_json *json, const struct fm_module_cost *cost);

#endif
