/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to run (analyse/scaling/scale_advice.h), for people and for machines. */
#ifndef FM_REPORT_ADVICE_H
#define FM_REPORT_ADVICE_H

#include "analyse/scaling/scale_advice.h"
#include "base/arena.h"
#include "render/json.h"

/* "Efficiency is 0.80 or more up to 16 ranks; waiting jumps after 8 ranks, from 3 to 12 % of the run." waiting: what it
 * is called. */
const char *fm_advice_text(const struct fm_scale_advice *advice, double least, const char *waiting,
                           struct fm_arena *arena);
/* "where_to_run", as an object with the key `jumps` for the ranks after which waiting does; advice NULL: null. */
void fm_advice_json(const struct fm_scale_advice *advice, double least, const char *jumps, struct fm_json *json);

#endif
