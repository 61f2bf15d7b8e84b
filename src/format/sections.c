#include "format/sections.h"

const struct fm_section fm_sections[FM_SECTIONS_END] = {
    [FM_FILE_STRINGS] = {fm_put_strings, fm_get_strings},
    [FM_FILE_JOB] = {fm_put_job, fm_get_job},
    [FM_FILE_HOSTS] = {fm_put_hosts, fm_get_hosts},
    [FM_FILE_PROCESSES] = {fm_put_processes, fm_get_processes},
    [FM_FILE_ROUTINES] = {fm_put_routines, fm_get_routines},
    [FM_FILE_PER_RANK] = {fm_put_per_rank, fm_get_per_rank},
    [FM_FILE_EVENTS] = {fm_put_events, fm_get_events},
    [FM_FILE_REGIONS] = {fm_put_regions, fm_get_regions},
    [FM_FILE_EDGES] = {fm_put_edges, fm_get_edges},
    [FM_FILE_SNAPSHOTS] = {fm_put_snapshots, fm_get_snapshots},
    [FM_FILE_NOTES] = {fm_put_notes, fm_get_notes},
    [FM_FILE_TIMERS] = {fm_put_timers, fm_get_timers},
    [FM_FILE_TIMER_MISUSES] = {fm_put_timer_misuses, fm_get_timer_misuses},
    [FM_FILE_GRID] = {fm_put_grid, fm_get_grid},
    [FM_FILE_PATHS] = {fm_put_paths, fm_get_paths},
    [FM_FILE_SEQUENCE] = {fm_put_sequence, fm_get_sequence},
};
