/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/sections.h"

/* Sections that are not just a list of the schema. */
static const struct {
    void (*put)(struct fm_column_writer *w);
    void (*get)(struct fm_column_reader *r);
} sections[FM_SECTIONS_END] = {
    [FM_FILE_STRINGS] = {fm_put_strings, fm_get_strings},
    [FM_FILE_JOB] = {fm_put_job, fm_get_job},
    [FM_FILE_PROCESSES] = {fm_put_processes, fm_get_processes},
    [FM_FILE_PER_RANK] = {fm_put_per_rank, fm_get_per_rank},
    [FM_FILE_EDGES] = {fm_put_edges, fm_get_edges},
    [FM_FILE_SNAPSHOTS] = {fm_put_snapshots, fm_get_snapshots},
    [FM_FILE_NOTES] = {fm_put_notes, fm_get_notes},
    [FM_FILE_TIMERS] = {fm_put_timers, fm_get_timers},
    [FM_FILE_TIMER_MISUSES] = {fm_put_timer_misuses, fm_get_timer_misuses},
    [FM_FILE_GRID] = {fm_put_grid, fm_get_grid},
    [FM_FILE_PATHS] = {fm_put_paths, fm_get_paths},
    [FM_FILE_SEQUENCE] = {fm_put_sequence, fm_get_sequence},
};

bool fm_section_known(uint64_t id)
{
    return id && id < FM_SECTIONS_END && (sections[id].put || fm_list_of((unsigned)id));
}

void fm_put_section(struct fm_column_writer *w, unsigned id)
{
    if (sections[id].put)
        sections[id].put(w);
    else
        fm_put_list(w, fm_list_of(id));
}

void fm_get_section(struct fm_column_reader *r, unsigned id)
{
    if (sections[id].get)
        sections[id].get(r);
    else
        fm_get_list(r, fm_list_of(id));
}
