/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank of `fathom calibrate`: measures MPI routines together with the other ranks. Rank 0 writes what was measured as
 * lines of text, which the launcher passes on to the `fathom calibrate` that has started it:
 *
 *   fathom-calibrate: machine RANKS HOSTS CORES MOST HOST CPU     MOST: ranks on a host per core, in thousandths
 *   fathom-calibrate: mpi NAME
 *   fathom-calibrate: group RANKS PLACE SECONDS                   what is measured now, and the time since the start
 *   fathom-calibrate: point ROUTINE PLACE RANKS BYTES MIN MEDIAN CALLS
 *   fathom-calibrate: end SECONDS
 *
 * Ranks that do not take part in a measurement sleep. */
#ifndef FM_SITE_MEASURE_MEASURE_H
#define FM_SITE_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FM_MEASURE_MARK "fathom-calibrate: "

struct fm_measure_options {
    double seconds;      /* to measure for */
    bool quick;          /* only three sizes */
    const char *library; /* or NULL */
};

/* The whole life of a rank, from MPI_Init to MPI_Finalize. */
enum fm_status fm_measure_rank(const struct fm_measure_options *options, struct fm_error *error);

enum fm_measure_kind {
    FM_MEASURE_OTHER, /* not one of these lines */
    FM_MEASURE_MACHINE,
    FM_MEASURE_MPI,
    FM_MEASURE_GROUP,
    FM_MEASURE_POINT,
    FM_MEASURE_END,
};
struct fm_measure_line {
    enum fm_measure_kind kind;
    uint32_t ranks, hosts, cores;
    bool oversubscribed, between; /* between: hosts */
    uint64_t bytes, calls;
    double seconds, min_s, median_s;
    char name[128]; /* routine, MPI or host */
    char cpu[128];
};
/* The launcher may put its own marks in front of a line. */
void fm_measure_parse(const char *line, struct fm_measure_line *parsed);

#endif
