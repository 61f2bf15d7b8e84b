/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program reads and writes files, from its call paths: contexts are recognized by the names of the functions of
 * libc, libgfortran, netCDF and HDF5. */
#ifndef FM_ANALYSE_FINDINGS_IO_PLACE_H
#define FM_ANALYSE_FINDINGS_IO_PLACE_H

#include "analyse/calls/calltree.h"
#include "analyse/findings/finding.h"

bool fm_context_reads(const struct fm_context *context);
bool fm_context_does_io(const struct fm_context *context); /* reads, writes, opens, closes */

/* The time of a context in such functions; counted once if one calls another. */
double fm_io_below_ns(const struct fm_context *context, bool (*is)(const struct fm_context *));
/* The time of a context in functions that format numbers or read formatted ones, without the system calls below them. */
double fm_formatting_below_ns(const struct fm_context *context);

/* The function with most time in I/O that it calls itself, and the line of the call. Unknown if nothing was sampled. */
struct fm_finding_place fm_io_place(const struct fm_calltree *calls);

#endif
