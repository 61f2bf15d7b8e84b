/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits the model of a routine (calibration.h) to what was measured. Pure function.
 *
 * Relative deviations count, so that small messages matter as much as large ones, and large deviations count less than
 * their square (Huber), so that a few disturbed measurements do not. No coefficient is negative: all subsets of the
 * coefficients are tried, and the one that fits best by its degrees of freedom is taken. What the measurements cannot tell
 * apart is zero: the dependence on the number of ranks if there is only one, the time per byte if there is only one
 * size. */
#ifndef FM_SITE_CALIBRATION_FIT_H
#define FM_SITE_CALIBRATION_FIT_H

#include "site/calibration/calibration.h"

/* Returns false if no point has a time above zero and at least two ranks. */
bool fm_fit(const struct fm_calibration_point *points, size_t n, struct fm_model *model);

#endif
