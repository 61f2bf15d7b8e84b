/* A library that is taken for MPICH: one process, and every argument must arrive as the program gave it. */
#ifndef FAKE_MPI_H
#define FAKE_MPI_H

enum {
    MPI_COMM_WORLD = 0x44000000,
    MPI_INT = 0x4c000405,
    MPI_DOUBLE = 0x4c00080b,
    MPI_SUM = 0x58000003,
    WIN = 0xa0000000
};

/* Where the arguments of the routines point to. */
extern char fake_buffer[16];

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
double MPI_Wtime(void);
int MPI_Barrier(int comm);
int MPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm);
int MPI_Sendrecv(const void *from, int count, int type, int dest, int tag, void *to, int room, int to_type, int source,
                 int to_tag, int comm, void *status);
int MPI_Alltoallw(const void *from, const int *counts, const int *places, const int *types, void *to,
                  const int *to_counts, const int *to_places, const int *to_types, int comm);
int MPI_Get_accumulate(const void *from, int count, int type, void *result, int result_count, int result_type,
                       int target, long place, int target_count, int target_type, int op, int win);
int MPI_Pcontrol(int level, ...);

#endif
