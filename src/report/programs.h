/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of a job in a report: each with the figures of its ranks, and reports of one of them alone.
 *
 * A view that groups ranks groups them by program if report->programs.n: load imbalance is a matter of one program, since
 * different programs have different work. */
#ifndef FM_REPORT_PROGRAMS_H
#define FM_REPORT_PROGRAMS_H

#include "report/report.h"

/* A report of one program of `report`, whose arena it uses; made as far as `extent` says. It is not closed, as it has
 * nothing of its own. */
enum fm_status fm_report_program(struct fm_report *report, size_t program, enum fm_part_extent extent,
                                 struct fm_report *one, struct fm_error *error);

const char *fm_report_label(struct fm_report *report, size_t program); /* "ocean" */
/* "atm, ocean": those that have one of the ranks, and how many they are. */
const char *fm_report_labels(struct fm_report *report, const struct fm_rankset *ranks, size_t *n);
uint32_t fm_report_rank(const struct fm_report *report, uint32_t rank); /* of a rank that call paths name, in the job */

/* A table with a row for each program. */
enum fm_status fm_print_programs(struct fm_report *report, FILE *out, struct fm_error *error);
/* What is said about load balance within each program. */
enum fm_status fm_print_programs_balance(struct fm_report *report, FILE *out, struct fm_error *error);
/* "; atm waits most (83 % in MPI)" for the first line. */
const char *fm_programs_headline(struct fm_report *report);
/* "atm 83 % in MPI, load balance 95 %; ocean ..." */
const char *fm_programs_line(struct fm_report *report);

/* ---- a report of one program ---- */

/* What a view shows that cannot always be attributed to one program. */
enum fm_report_shows {
    FM_SHOWS_CALLS = 1, /* MPI calls other than by routine */
    FM_SHOWS_PATHS = 2,
    FM_SHOWS_TIMERS = 4,
    FM_SHOWS_REGIONS = 8,
    FM_SHOWS_SNAPSHOTS = 16,
    FM_SHOWS_THREADS = 32, /* call paths of threads of MPI */
};

const char *fm_part_headline(struct fm_report *report); /* "Program ocean: ranks 2-4 of 5"; "" of a whole job */
/* What is not included of all this, because several programs share it; "": nothing. */
const char *fm_part_left_out(struct fm_report *report, unsigned shows);
/* FM_ERR_INPUT: nothing of it can be shown for one program. */
enum fm_status fm_part_check(struct fm_report *report, unsigned shows, struct fm_error *error);

#endif
