/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a process: everything that is one number per process, one line of the table for each.
 *
 *   X(column, since, member, unit, known, source, JSON key, heading)
 *
 * column   its number in the list of processes of a profile ; a new figure takes the highest one here + 1 (13 is taken, in
 *          model/schema.c)
 * since    1: in every profile; 2: added later, and unknown in files that do not have it
 * member   of struct fm_process, and of struct fm_segment_header if the source is HEADER
 * unit     NS, BYTES or COUNT
 * known    ALWAYS: for every measured process; NONZERO: unless it is 0; USAGE: if its resource usage was read
 *          (fm_process_has_usage)
 * source   HEADER: copied from the header of the segment; MADE: from elsewhere (merge/from_segment.c)
 * key      in the JSON of a process and of job.per_rank, at most 23 characters like the heading
 * heading  in the table of extremes over ranks of the summary, in this order; "": not shown. A figure added
 *          after format 1 is shown if it is known for any rank
 *
 * A figure that is unknown is null in JSON and left out of tables. In memory, an unknown figure added after format 1 is
 * FM_UNKNOWN. */
#ifndef FM_MODEL_FIGURES_H
#define FM_MODEL_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_UNKNOWN UINT64_MAX

/* clang-format off */
#define FM_PROCESS_FIGURES(X) \
    X( 7, 1, wall_ns,              NS,    ALWAYS, MADE,   "wall_s",               "wall")                    \
    X(10, 1, mpi_ns,               NS,    ALWAYS, MADE,   "mpi_s",                "in MPI")                  \
    X(18, 2, io_ns,                NS,    ALWAYS, MADE,   "io_s",                 "in I/O")                  \
    X( 8, 1, user_ns,              NS,    USAGE,  HEADER, "user_s",               "user")                    \
    X( 9, 1, system_ns,            NS,    USAGE,  HEADER, "system_s",             "system")                  \
    X(19, 2, runqueue_ns,          NS,    ALWAYS, MADE,   "runqueue_s",           "without a CPU")           \
    X(11, 1, max_rss_bytes,        BYTES, NONZERO, HEADER, "memory_bytes",        "memory")                  \
    X(20, 2, init_rss_bytes,       BYTES, ALWAYS, MADE,   "memory_init_bytes",    "")                        \
    X(21, 2, end_rss_bytes,        BYTES, ALWAYS, MADE,   "memory_end_bytes",     "")                        \
    X(14, 2, voluntary_switches,   COUNT, USAGE,  HEADER, "voluntary_switches",   "voluntary switches")      \
    X(15, 2, involuntary_switches, COUNT, USAGE,  HEADER, "involuntary_switches", "involuntary switches")    \
    X(16, 2, minor_faults,         COUNT, USAGE,  HEADER, "minor_faults",         "minor faults")            \
    X(17, 2, major_faults,         COUNT, USAGE,  HEADER, "major_faults",         "major faults")            \
    X(22, 2, read_bytes,           BYTES, ALWAYS, MADE,   "read_bytes",           "read")                    \
    X(23, 2, written_bytes,        BYTES, ALWAYS, MADE,   "written_bytes",        "written")                 \
    X(24, 2, allowed_cpus,         COUNT, ALWAYS, MADE,   "allowed_cpus",         "")                        \
    X(25, 2, first_cpu,            COUNT, ALWAYS, MADE,   "first_allowed_cpu",    "")                        \
    X(26, 2, numa_node,            COUNT, ALWAYS, MADE,   "numa_node",            "")                        \
    X(12, 1, overhead_ns,          NS,    ALWAYS, MADE,   "overhead_s",           "")
/* clang-format on */

enum { FM_FIGURE_CHARS = 24 };
enum fm_unit { FM_UNIT_NONE, FM_UNIT_NS, FM_UNIT_BYTES, FM_UNIT_COUNT };
enum fm_figure_known { FM_KNOWN_ALWAYS, FM_KNOWN_NONZERO, FM_KNOWN_USAGE };

#define X(column, since, member, ...) FM_FIGURE_##member,
enum fm_figure { FM_PROCESS_FIGURES(X) FM_FIGURES };
#undef X

struct fm_figure_meaning {
    char key[FM_FIGURE_CHARS], heading[FM_FIGURE_CHARS];
    size_t offset; /* in struct fm_process */
    enum fm_unit unit;
    enum fm_figure_known known;
    bool later; /* added after format 1 */
};
extern const struct fm_figure_meaning fm_figures[FM_FIGURES];

struct fm_process;
/* Returns false if unknown. */
bool fm_figure_get(const struct fm_process *process, enum fm_figure figure, uint64_t *value);

#endif
