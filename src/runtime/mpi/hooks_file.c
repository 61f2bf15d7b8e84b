/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-IO: counted as MPI routines, and for their files. */
#include "runtime/io/mpi_files.h"
#include "runtime/mpi/hooks.h"

void fm_after_file_open(struct fm_call *call, int result, fm_word comm, fm_word filename, fm_word newfile)
{
    if (result == 0 && filename && newfile)
        fm_mpi_file_opened((const char *)filename, *(const fm_word *)newfile, call->ns);
    fm_after_plain(call, result, comm);
}

/* The handle is gone after the call. */
void fm_before_file_close(struct fm_call *call, fm_word file)
{
    call->handle = file ? *(const fm_word *)file : 0;
}

void fm_after_file_close(struct fm_call *call, int result)
{
    fm_mpi_file_count(call->handle, FM_MPI_FILE_CLOSE, 0, call->ns);
    fm_after_plain(call, result, 0);
}

void fm_before_file_read(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

/* A read may be short, so its length is taken from the status; without a status (nonblocking) the requested size is
 * counted. */
void fm_after_file_read(struct fm_call *call, int result, int64_t count, fm_word type, fm_word file)
{
    uint64_t bytes = result != 0      ? 0
                     : call->statuses ? fm_status_outcome((const void *)call->statuses).bytes
                                      : fm_bytes_of(count, type);
    struct fm_event_data event = {call->ns, count > 0 ? (uint64_t)count : 0, bytes, 0, bytes, 0};
    fm_mpi_file_count(file, FM_MPI_FILE_READ, bytes, call->ns);
    fm_call_finish(call, FM_PEER_NONE, result == 0 ? fm_size_bin(bytes) : FM_SIZE_NONE, &event);
}

void fm_after_file_write(struct fm_call *call, int result, int64_t count, fm_word type, fm_word file)
{
    uint64_t bytes = result == 0 ? fm_bytes_of(count, type) : 0;
    struct fm_event_data event = {call->ns, count > 0 ? (uint64_t)count : 0, bytes, bytes, 0, 0};
    fm_mpi_file_count(file, FM_MPI_FILE_WRITE, bytes, call->ns);
    fm_call_finish(call, FM_PEER_NONE, result == 0 ? fm_size_bin(bytes) : FM_SIZE_NONE, &event);
}

/* The end of a split collective belongs to the request that began it. */
static enum fm_mpi_file_call kind_of(unsigned routine)
{
    switch (routine) {
    case FM_R_MPI_File_read_at_all_end:
    case FM_R_MPI_File_read_all_end:
    case FM_R_MPI_File_read_ordered_end:
        return FM_MPI_FILE_READ_END;
    case FM_R_MPI_File_write_at_all_end:
    case FM_R_MPI_File_write_all_end:
    case FM_R_MPI_File_write_ordered_end:
        return FM_MPI_FILE_WRITE_END;
    case FM_R_MPI_File_sync:
        return FM_MPI_FILE_SYNC;
    case FM_R_MPI_File_seek:
    case FM_R_MPI_File_seek_shared:
        return FM_MPI_FILE_SEEK;
    default:
        return FM_MPI_FILE_OTHER;
    }
}

void fm_after_file_other(struct fm_call *call, int result, fm_word file)
{
    fm_mpi_file_count(file, kind_of(call->routine), 0, call->ns);
    fm_after_plain(call, result, 0);
}
