/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/views.h"

#include <string.h>

const struct fm_view fm_views[] = {
    {"summary", "overview: the job, min, avg and max over ranks, MPI routines", FM_SHOWS_ROUTINES, fm_view_summary_text,
     fm_view_summary_csv, NULL, NULL},
    {"findings", "what costs time, with evidence and what to try", FM_SHOWS_CALLS | FM_SHOWS_PATHS | FM_SHOWS_TIMERS,
     fm_view_findings_text, fm_view_findings_csv, NULL, NULL},
    {"efficiency", "parallel efficiency and its factors, for the run, its regions and timers; --from-first",
     FM_SHOWS_REGIONS, fm_view_efficiency_text, fm_view_efficiency_csv, fm_view_efficiency_graph, NULL},
    {"mpi", "MPI routines in detail; --by site, region, comm or program; --histogram", FM_SHOWS_ROUTINES,
     fm_view_mpi_text, fm_view_mpi_csv, NULL, NULL},
    {"sizes", "calls, bytes and time by message size", FM_SHOWS_CALLS, fm_view_sizes_text, fm_view_sizes_csv, NULL,
     NULL},
    {"balance", "load balance: ranks sorted by MPI time", 0, fm_view_balance_text, fm_view_balance_csv, NULL, NULL},
    {"split", "time of each rank: program, MPI, file I/O, no CPU", 0, fm_view_split_text, fm_view_split_csv, NULL,
     NULL},
    {"memory", "memory of ranks and hosts, and the network of the hosts", 0, fm_view_memory_text, fm_view_memory_csv,
     NULL, NULL},
    {"topology", "communication matrix and heaviest pairs", 0, fm_view_topology_text, fm_view_topology_csv, NULL, NULL},
    {"regions", "time and MPI in the regions of the program", FM_SHOWS_CALLS | FM_SHOWS_REGIONS, fm_view_regions_text,
     fm_view_regions_csv, NULL, NULL},
    {"timers", "timers of the program, with histograms", FM_SHOWS_TIMERS, fm_view_timers_text, fm_view_timers_csv, NULL,
     NULL},
    {"calls", "sampled call paths, outermost function first, down to source lines", FM_SHOWS_PATHS | FM_SHOWS_THREADS,
     fm_view_calls_text, fm_view_calls_csv, fm_view_calls_graph, NULL},
    {"callers", "functions by exclusive sampled time, with their callers", FM_SHOWS_PATHS | FM_SHOWS_THREADS,
     fm_view_callers_text, fm_view_callers_csv, NULL, NULL},
    {"flat", "sampled time by load module, file, function and line", FM_SHOWS_PATHS | FM_SHOWS_THREADS,
     fm_view_flat_text, fm_view_flat_csv, NULL, NULL},
    {"modules", "work, transfer and waiting by module (--modules FILE), and calls between modules", FM_SHOWS_PATHS,
     fm_view_modules_text, fm_view_modules_csv, fm_view_modules_graph, NULL},
    {"sequence", "modules of each rank over time (--modules FILE)", 0, fm_view_sequence_text, fm_view_sequence_csv,
     NULL, fm_view_sequence_svg},
    {"io", "file I/O: heaviest files and classes of files, sizes of requests", 0, fm_view_io_text, fm_view_io_csv, NULL,
     NULL},
    {"counters", "hardware or software counters, in the program and in MPI", 0, fm_view_counters_text,
     fm_view_counters_csv, NULL, NULL},
    {"snapshots", "totals at the snapshots the program takes", FM_SHOWS_SNAPSHOTS, fm_view_snapshots_text,
     fm_view_snapshots_csv, NULL, NULL},
    {0},
};

const struct fm_view *fm_view_find(const char *name)
{
    for (const struct fm_view *view = fm_views; view->name; view++)
        if (strcmp(view->name, name) == 0)
            return view;
    return NULL;
}
