/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are accessed with MPI-IO: a call on a handle is counted for the file that the handle was opened for. The
 * entries in the segment are separate from those of other calls on the same file (io.h): their time is MPI time. */
#ifndef FM_RUNTIME_IO_MPI_FILES_H
#define FM_RUNTIME_IO_MPI_FILES_H

#include "mpi/abi.h"
#include "runtime/runtime.h"

enum fm_mpi_file_call {
    FM_MPI_FILE_READ,
    FM_MPI_FILE_WRITE,
    FM_MPI_FILE_READ_END,
    FM_MPI_FILE_WRITE_END,
    FM_MPI_FILE_SEEK,
    FM_MPI_FILE_SYNC,
    FM_MPI_FILE_CLOSE,
    FM_MPI_FILE_OTHER
};

void fm_mpi_file_opened(const char *name, fm_word handle, uint64_t ns);
void fm_mpi_file_count(fm_word handle, enum fm_mpi_file_call what, uint64_t bytes, uint64_t ns);

#endif
