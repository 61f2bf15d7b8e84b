/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program works, from its call paths: functions that call no MPI, as a whole; of functions that do, what they do
 * themselves. MPI is left out, because in it the ranks with less work wait. */
#ifndef FM_ANALYSE_FINDINGS_WORK_PLACE_H
#define FM_ANALYSE_FINDINGS_WORK_PLACE_H

#include "analyse/calls/calltree.h"
#include "analyse/findings/finding.h"

/* Marks the contexts that lead to MPI, in their scratch member `mark`; before the functions below. */
void fm_work_mark(struct fm_calltree *calls);

/* The function in which one of these ranks works longer than the mean of all, most of all functions. Unknown if there is
 * none, or nothing was sampled. */
struct fm_finding_place fm_work_uneven_place(const struct fm_calltree *calls, const struct fm_rankset *ranks);

/* Work that a single rank does: functions and lines in which no other rank was sampled. */
struct fm_lone_work {
    double ns;
    double reading_ns;             /* part of it: below functions that read files */
    double io_ns;                  /* part of it: below functions that read or write files */
    double formatting_ns;          /* part of io_ns: not in the system calls below them, but converting numbers */
    struct fm_finding_place place; /* the most expensive */
};
struct fm_lone_work fm_work_alone(const struct fm_calltree *calls, uint32_t rank, double least_ns);

#endif
