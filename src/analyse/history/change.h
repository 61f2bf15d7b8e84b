/* SPDX-License-Identifier: BSD-3-Clause */
/* When a figure of repeated runs has changed: its values in the order of time are divided into parts of equal level (least
 * squares, with a penalty for each part), and a division counts if the means before and after it differ by more than
 * values vary within the parts (Student's t; the chance that noise does this, at the best of all places, is below 1 %). So
 * a single slow run is not a change, and neither is what varies from run to run. */
#ifndef FM_ANALYSE_HISTORY_CHANGE_H
#define FM_ANALYSE_HISTORY_CHANGE_H

#include <stddef.h>

enum { FM_CHANGE_VALUES = 400 }; /* of a longer series only the last ones are looked at */

struct fm_change {
    size_t at;            /* index of the first run after the change */
    double before, after; /* means of the runs up to the changes before and after this one */
    double certainty;     /* 0 to 1: that it is not noise */
};

/* Writes the changes in the order of time, the latest `max` at most, and returns their number. A change is at least `least` of the
 * mean before it: 0.01 is 1 %. At least 3 values are needed before a change, and 3
 * after it, 2 if they are the last ones. */
size_t fm_changes_find(const double *values, size_t n, double least, struct fm_change *changes, size_t max);

/* The probability that Student's t with this many degrees of freedom is farther from 0 than `t`. */
double fm_student_beyond(double t, double freedom);

#endif
