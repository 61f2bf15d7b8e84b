/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of a program with their MPI time, including nested regions. */
#ifndef FM_ANALYSE_BALANCE_REGIONS_H
#define FM_ANALYSE_BALANCE_REGIONS_H

#include "model/profile.h"

struct fm_region_routine {
    const char *name;
    uint64_t calls, time_ns, bytes;
};

struct fm_region_total {
    const char *path;               /* "a/b"; "" = the whole program */
    const char *name;               /* the part of `path` below its parent; can contain a '/' */
    size_t parent;                  /* index of the region that it is nested in; of the whole program: 0 */
    unsigned depth;                 /* 0 for the whole program, 1 for "a", 2 for "a/b" */
    const struct fm_region *region; /* NULL if it occurs only in events */
    uint64_t entries, wall_ns;      /* sums over ranks */
    uint64_t calls, mpi_ns;
    struct fm_region_routine *routines; /* longest time first, then by name */
    size_t n_routines;
};

/* The first one is always the whole program; the others are sorted by path, parents before children. */
struct fm_region_totals {
    struct fm_region_total *items;
    size_t n;
};

enum fm_status fm_regions_find(const struct fm_profile *profile, struct fm_arena *arena,
                               struct fm_region_totals *totals, struct fm_error *error);
/* The index of a region of the profile or of one of its events; 0 if there is none with this path. */
size_t fm_regions_index(const struct fm_region_totals *totals, const char *path);

#endif
