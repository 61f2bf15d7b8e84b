/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between compared runs that affect the comparison: different programs, builds, arguments or MPI libraries,
 * lost ranks, ranks that share cores. They do not prevent the comparison. Sentences have no full stop. */
#ifndef FM_REPORT_RUN_NOTES_H
#define FM_REPORT_RUN_NOTES_H

#include "analyse/scaling/scale.h"
#include "report/views.h"

struct fm_noted_run {
    struct fm_report *report;
    const char *file, *label; /* label: "4 ranks" */
};

struct fm_run_notes {
    const char **items;
    size_t n, capacity;
    size_t n_doubts; /* the first ones: the times of the runs are not those of the program (core_use.h) */
};

/* compared: compares each run with the previous one, so that a change is reported once. Memory comes from the arena. */
void fm_run_notes_find(struct fm_run_notes *notes, const struct fm_noted_run *runs, size_t n, enum fm_scale_mode mode,
                       bool compared, struct fm_arena *arena);
void fm_run_notes_add(struct fm_run_notes *notes, struct fm_arena *arena, const char *sentence);

/* "4 ranks (new.fathom), 8 ranks (old.fathom); arguments ...": what makes their times incomparable; "" if nothing. */
const char *fm_run_difference(struct fm_arena *arena, const struct fm_job *a, const char *a_file,
                              const struct fm_job *b, const char *b_file);

/* Print "Note: ..." lines: the doubts, before the headline, and the others, before the conclusions. */
void fm_run_notes_print_doubts(const struct fm_run_notes *notes, struct fm_arena *arena, FILE *out);
void fm_run_notes_print(const struct fm_run_notes *notes, struct fm_arena *arena, FILE *out);
/* For formats without room for notes: prints one line per note to stderr, prefixed with the name of the command. */
void fm_run_notes_warn(const struct fm_run_notes *notes, const char *command);

#endif
