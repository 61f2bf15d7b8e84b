/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of a file; the writer and the reader of each are next to each other in a section_*.c. */
#ifndef FM_FORMAT_SECTIONS_H
#define FM_FORMAT_SECTIONS_H

#include "format/column_reader.h"
#include "format/column_writer.h"
#include "model/lists.h"

enum { FM_SECTIONS_END = (int)FM_LISTS_END > (int)FM_FILE_SEQUENCE ? (int)FM_LISTS_END : (int)FM_FILE_SEQUENCE + 1 };

bool fm_section_known(uint64_t id);
void fm_put_section(struct fm_column_writer *w, unsigned id);
void fm_get_section(struct fm_column_reader *r, unsigned id);

/* A list of the schema: the number of items, the columns of their fields, the kinds of the compounds, the compounds. */
void fm_put_list(struct fm_column_writer *w, const struct fm_list *list);
void fm_put_items(struct fm_column_writer *w, const struct fm_list *list, const void *items,
                  size_t n); /* instead of the profile's items */
void fm_get_list(struct fm_column_reader *r, const struct fm_list *list);

/* Selects the call paths and the sequence to be written; once, before strings are collected. */
void fm_make_paths(struct fm_column_writer *w);

#define FM_SECTION(name)                            \
    void fm_put_##name(struct fm_column_writer *w); \
    void fm_get_##name(struct fm_column_reader *r)
FM_SECTION(strings);
FM_SECTION(job);
FM_SECTION(processes);
FM_SECTION(per_rank);
FM_SECTION(edges);
FM_SECTION(snapshots);
FM_SECTION(notes);
FM_SECTION(timers);
FM_SECTION(timer_misuses);
FM_SECTION(grid);
FM_SECTION(paths);
FM_SECTION(sequence);
#undef FM_SECTION

#endif
