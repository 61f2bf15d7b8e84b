/* SPDX-License-Identifier: BSD-3-Clause */
/* How costs grow with the number of processes, and a projection to larger numbers.
 *
 * A trend is fitted to the work in a context, y(p) = p C (strong) or C (weak, same), over all runs by least squares:
 *
 *   y(p) = base + slope f(p)     f: 1/p, log p, p, p log p, p^2 with slope > 0; or no slope at all
 *
 * The form with the smallest residual is chosen; but a constant, unless the residual is clearly smaller than that of a
 * constant; and of forms that fit about equally well, the one that grows least. A projection extrapolates the trend of
 * the whole run. Its band covers all forms that fit about equally well, each with the 95 % interval of its fit and of
 * the sampling; with three or four runs it is wide, and rightly so. At least three different numbers of processes are
 * needed. */
#ifndef FM_ANALYSE_SCALING_SCALE_TREND_H
#define FM_ANALYSE_SCALING_SCALE_TREND_H

#include "analyse/scaling/scale.h"

enum fm_trend_form {
    FM_TREND_CONSTANT,
    FM_TREND_FALLING, /* 1/p */
    FM_TREND_LOG,
    FM_TREND_LINEAR,
    FM_TREND_LINEAR_LOG, /* p log2 p */
    FM_TREND_SQUARE,
    FM_TREND_FORMS
};

struct fm_trend {
    enum fm_trend_form form;
    double base_ns, slope_ns; /* y(p) = base + slope f(p) */
    double residual;          /* root mean square, relative to the mean of y */
};

/* Returns false if there are fewer than three different numbers of processes. */
bool fm_trend_fit(const struct fm_scale *scale, uint32_t node, bool own, struct fm_trend *trend);
double fm_trend_at(const struct fm_trend *trend, double processes); /* at least 0 */
const char *fm_trend_text(enum fm_trend_form form);                 /* "log p" */

struct fm_projection {
    struct fm_trend trend;        /* of the whole run */
    double efficiency, low, high; /* relative to the run with the fewest processes */
};
bool fm_scale_project(const struct fm_scale *scale, double processes, struct fm_projection *projection);

#endif
