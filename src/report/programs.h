/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of a job in a report: each with the figures of its ranks, and reports of a single program.
 *
 * A view that groups ranks groups them by program if report->programs.n: load imbalance is meaningful only within a
 * program, since different programs have different work. */
#ifndef FM_REPORT_PROGRAMS_H
#define FM_REPORT_PROGRAMS_H

#include "report/report.h"

/* A report of one program of `report`, whose arena it uses, with as much as `extent` says. Must not be closed: it owns
 * nothing. */
enum fm_status fm_report_program(struct fm_report *report, size_t program, enum fm_part_extent extent,
                                 struct fm_report *one, struct fm_error *error);

const char *fm_report_label(struct fm_report *report, size_t program); /* "ocean" */
/* "atm, ocean": the programs with at least one of the ranks; *n: their number. */
const char *fm_report_labels(struct fm_report *report, const struct fm_rankset *ranks, size_t *n);
uint32_t fm_report_rank(const struct fm_report *report, uint32_t rank); /* rank of call paths -> rank of the job */

/* Prints a table with a row per program. */
enum fm_status fm_print_programs(struct fm_report *report, FILE *out, struct fm_error *error);
/* Prints a sentence about the load balance within each program. */
enum fm_status fm_print_programs_balance(struct fm_report *report, FILE *out, struct fm_error *error);
/* "; atm waits most (83 % in MPI)", for the headline. */
const char *fm_programs_headline(struct fm_report *report);
/* "atm 83 % in MPI, load balance 95 %; ocean ..." */
const char *fm_programs_line(struct fm_report *report);

/* ---- a report of one program ---- */

/* Data that a view shows and that cannot always be attributed to one program. */
enum fm_report_shows {
    FM_SHOWS_CALLS = 1, /* MPI calls other than by routine */
    FM_SHOWS_PATHS = 2,
    FM_SHOWS_TIMERS = 4,
    FM_SHOWS_REGIONS = 8,
    FM_SHOWS_SNAPSHOTS = 16,
    FM_SHOWS_THREADS = 32, /* call paths of threads of MPI */
    FM_SHOWS_ROUTINES = 64,
};

const char *fm_part_headline(struct fm_report *report); /* "Program ocean: ranks 2-4 of 5"; "" for a whole job */
/* What is not included because several programs share it; "" if nothing. */
const char *fm_part_left_out(struct fm_report *report, unsigned shows);
/* FM_ERR_INPUT: none of it can be shown for a single program. */
enum fm_status fm_part_check(struct fm_report *report, unsigned shows, struct fm_error *error);

#endif
