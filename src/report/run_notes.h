/* SPDX-License-Identifier: BSD-3-Clause */
/* What does not fit between runs that are compared: other programs, builds, arguments or MPIs, ranks that were lost, cores
 * that ranks shared. The runs are compared all the same; sentences without a full stop say it. */
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
};

/* Each run against the one before it, so that a change is told once. Memory is the arena's. */
void fm_run_notes_find(struct fm_run_notes *notes, const struct fm_noted_run *runs, size_t n, enum fm_scale_mode mode,
                       struct fm_arena *arena);
void fm_run_notes_add(struct fm_run_notes *notes, struct fm_arena *arena, const char *sentence);

/* "Note: ..." for people; before what is concluded in spite of them. */
void fm_run_notes_print(const struct fm_run_notes *notes, struct fm_arena *arena, FILE *out);
/* Where a format has no place for them: a line of stderr each, after the name of the command. */
void fm_run_notes_warn(const struct fm_run_notes *notes, const char *command);

#endif
