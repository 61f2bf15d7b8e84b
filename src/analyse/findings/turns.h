/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting although the ranks have the same work in total: they wait for each other in turns, or for messages that are
 * sent in an unfortunate order. Waiting that follows from differences in work is not counted: it goes away with them. */
#ifndef FM_ANALYSE_FINDINGS_TURNS_H
#define FM_ANALYSE_FINDINGS_TURNS_H

#include "analyse/findings/search.h"

/* The part of all waiting that neither differences in work nor the lack of a CPU can explain, 0 to 1. */
double fm_turns_part(const struct fm_finding_search *search);

/* A finding if the waiting of this kind, as far as it is unexplained, is at least `least` of the time; NULL if not.
 * Everything but its text is set. *heaviest: the call site with most of it. */
struct fm_finding *fm_turns_find(struct fm_finding_search *search, enum fm_wait_kind kind, double least,
                                 const struct fm_wait **heaviest);
/* ": 2.1 ms a call, 1.9 ms of it waiting" */
const char *fm_turns_times(struct fm_finding_search *search, const struct fm_wait *wait);

#endif
