/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of `fathom report --format json` cut into slices, which web pages ask for one by one: the server answers
 * with a slice (http/), the single HTML file contains all of them (html.h). doc/API.md describes them.
 *
 *   summary                    the job, findings, efficiency, split, memory, network: all that the first page shows
 *   ranks                      figures of processes, one list per figure
 *   mpi, timers, io, counters, modules, sequence
 *                              the parts of the document with these names (mpi without its topology)
 *   topology                   size of the matrix of communication and number of its levels
 *   topology/LEVEL/ROW/COLUMN  a tile of it: sums over 2^LEVEL x 2^LEVEL ranks per cell
 *   tree/calls, tree/callers, tree/flat
 *                              the outermost levels of a tree of call paths
 *   tree/calls/NODE            what is below a node of it
 *   tree/calls/rows/FIRST/N    nodes that follow each other in depth-first order
 *   tree/calls/find/HEX        nodes with a text in their names
 *   tree/calls/ranks           the values by rank of its heaviest nodes
 *   sources                    the source files that may be shown
 *   sources/N                  the text of one of them
 *
 * A name of a slice never contains a path of a file. Not thread-safe: one thread at a time for each struct. */
#ifndef FM_PAGES_SLICES_H
#define FM_PAGES_SLICES_H

#include "report/report.h"

struct fm_slices {
    struct fm_report *report;
    size_t tree_nodes;            /* nodes of one slice of a tree; 0: all */
    const char *const *sources;   /* directories whose files may be shown, ends with NULL; NULL: none */
    struct fm_slice_trees *trees; /* made when first asked for; in the report's arena */
    struct fm_slice_tiles *tiles;
    struct fm_slice_files *files;
};

/* Writes the JSON of a slice. Returns FM_ERR_USAGE if there is none of this name; then nothing was written. */
enum fm_status fm_slice_write(struct fm_slices *slices, const char *name, FILE *out, struct fm_error *error);

/* Calls `visit` with the name of every slice, until it fails. */
enum fm_status fm_slices_visit(struct fm_slices *slices,
                               enum fm_status (*visit)(void *context, const char *name, struct fm_error *error),
                               void *context, struct fm_error *error);

#endif
