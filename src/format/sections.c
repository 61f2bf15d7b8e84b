#include "format/sections.h"

/* What a section holds: a list of the schema, or what its own functions write and read. */
static const struct {
    const struct fm_list *list;
    void (*put)(struct fm_writer *w);
    void (*get)(struct fm_reader *r);
} sections[FM_SECTIONS_END] = {
    [FM_FILE_STRINGS] = {NULL, fm_put_strings, fm_get_strings},
    [FM_FILE_JOB] = {NULL, fm_put_job, fm_get_job},
    [FM_FILE_HOSTS] = {&fm_list_hosts, NULL, NULL},
    [FM_FILE_PROCESSES] = {NULL, fm_put_processes, fm_get_processes},
    [FM_FILE_ROUTINES] = {&fm_list_routines, NULL, NULL},
    [FM_FILE_PER_RANK] = {NULL, fm_put_per_rank, fm_get_per_rank},
    [FM_FILE_EVENTS] = {&fm_list_events, NULL, NULL},
    [FM_FILE_REGIONS] = {&fm_list_regions, NULL, NULL},
    [FM_FILE_EDGES] = {NULL, fm_put_edges, fm_get_edges},
    [FM_FILE_SNAPSHOTS] = {NULL, fm_put_snapshots, fm_get_snapshots},
    [FM_FILE_NOTES] = {NULL, fm_put_notes, fm_get_notes},
    [FM_FILE_TIMERS] = {NULL, fm_put_timers, fm_get_timers},
    [FM_FILE_TIMER_MISUSES] = {NULL, fm_put_timer_misuses, fm_get_timer_misuses},
    [FM_FILE_GRID] = {NULL, fm_put_grid, fm_get_grid},
    [FM_FILE_PATHS] = {NULL, fm_put_paths, fm_get_paths},
    [FM_FILE_SEQUENCE] = {NULL, fm_put_sequence, fm_get_sequence},
};

void fm_put_section(struct fm_writer *w, enum fm_file_section id)
{
    if (sections[id].list)
        fm_put_list(w, sections[id].list);
    else
        sections[id].put(w);
}

void fm_get_section(struct fm_reader *r, enum fm_file_section id)
{
    if (sections[id].list)
        fm_get_list(r, sections[id].list);
    else
        sections[id].get(r);
}
