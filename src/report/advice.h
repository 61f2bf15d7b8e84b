/* SPDX-License-Identifier: BSD-3-Clause */
/* The recommended number of ranks (analyse/scaling/scale_advice.h), as text and JSON. */
#ifndef FM_REPORT_ADVICE_H
#define FM_REPORT_ADVICE_H

#include "analyse/scaling/scale_advice.h"
#include "base/arena.h"
#include "render/json.h"

/* "Efficiency is below 0.80 beyond 16 ranks; waiting jumps after 8 ranks, from 3 % to 12 % of the run." waiting: the
 * word for it. */
const char *fm_advice_text(const struct fm_scale_advice *advice, double least, const char *waiting,
                           struct fm_arena *arena);
/* Writes "where_to_run" as an object; the key `jumps` has the number of ranks after which waiting jumps. Writes null if
 * advice is NULL. */
void fm_advice_json(const struct fm_scale_advice *advice, double least, const char *jumps, struct fm_json *json);

#endif
