/* The sections of a file, each with its writer and its reader side by side in a section_*.c. */
#ifndef FM_FORMAT_SECTIONS_H
#define FM_FORMAT_SECTIONS_H

#include "format/reader.h"
#include "format/writer.h"

enum { FM_SECTIONS_END = FM_FILE_SEQUENCE + 1 };

struct fm_section {
    void (*put)(struct fm_writer *w);
    void (*get)(struct fm_reader *r);
};
extern const struct fm_section fm_sections[FM_SECTIONS_END]; /* by enum fm_file_section */

/* What of call paths and of the sequence is written: made once, before the strings are collected. */
void fm_make_paths(struct fm_writer *w, bool exact);

#define FM_SECTION(name)                     \
    void fm_put_##name(struct fm_writer *w); \
    void fm_get_##name(struct fm_reader *r)
FM_SECTION(strings);
FM_SECTION(job);
FM_SECTION(hosts);
FM_SECTION(processes);
FM_SECTION(routines);
FM_SECTION(per_rank);
FM_SECTION(events);
FM_SECTION(regions);
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
