/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries for files in the segment, by name. When all are in use, those with the least time that are not open are
 * combined with others of their class, and these into the first entry, for all other files. The caller holds the lock
 * of fm_rt.io. */
#ifndef FM_RUNTIME_IO_FILES_H
#define FM_RUNTIME_IO_FILES_H

#include "runtime/runtime.h"

/* The number of the entry for a name; mpi: accessed with MPI-IO. 0: the entry for all other files, which is not for
 * MPI-IO. */
uint32_t fm_io_file_find(const char *name, bool mpi);

#endif
