/* MPI-IO: each rank has its own part of a common file; reads at its end get what there is. */
#include <stdio.h>

#include "all.h"

#define W MPI_COMM_WORLD

void all_files(void)
{
    char name[64];
    int out[32] = {rank}, in[32] = {-1};
    const MPI_Offset mine = 128 * rank;
    MPI_Offset bytes;
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    snprintf(name, sizeof name, "all_files.data");
    Y(File_open, W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    Y(File_set_size, file, 0);
    Y(Barrier, W);
    X(File_write_at, 40, 40, 0, file, mine, out, 10, MPI_INT, MPI_STATUS_IGNORE);
    X(File_write_at_all, 128, 128, 0, file, mine, out, 32, MPI_INT, &status);
    Y(File_sync, file);
    Y(Barrier, W);
    Y(File_get_size, file, &bytes);
    require(bytes == 128 * size, "the size of a file");
    X(File_read_at, 24, 0, 24, file, mine, in, 6, MPI_INT, &status);
    require(in[0] == rank, "a read");
    X(File_read_at, 24, 0, 24, file, mine, in, 6, MPI_INT, MPI_STATUS_IGNORE);
    X(File_read_at_all, 128, 0, 128, file, mine, in, 32, MPI_INT, &status);
    /* beyond the end: the last 20 bytes only */
    X(File_read_at, 20, 0, 20, file, 128 * size - 20, in, 32, MPI_INT, MPI_STATUS_IGNORE);
    Y(File_seek, file, mine, MPI_SEEK_SET);
    X(File_write, 8, 8, 0, file, out, 2, MPI_INT, &status);
    Y(File_seek, file, mine, MPI_SEEK_SET);
    X(File_read, 8, 0, 8, file, in, 2, MPI_INT, &status);
    Y(File_get_position, file, &bytes);
    X(File_iwrite_at, 12, 12, 0, file, mine, out, 3, MPI_INT, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    X(File_iread_at, 12, 0, 12, file, mine, in, 3, MPI_INT, &request);
    Y(Wait, &request, &status);
    Y(File_set_view, file, mine, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    X(File_write_all, 16, 16, 0, file, out, 4, MPI_INT, &status);
    X(File_read_all, 16, 0, 16, file, in, 4, MPI_INT, &status);
    X(File_write_all_begin, 16, 16, 0, file, out, 4, MPI_INT);
    Y(File_write_all_end, file, out, &status);
    Y(File_close, &file);
    if (rank == 0)
        Y(File_delete, name, MPI_INFO_NULL);
}
