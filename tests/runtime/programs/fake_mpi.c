#include "fake_mpi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char fake_buffer[16];

static void expect(int fact, const char *what)
{
    if (!fact) {
        printf("%s: an argument is not what was given\n", what);
        exit(1);
    }
}

#define BOTH(type, name, parameters)                                  \
    type P##name parameters __attribute__((alias("real_" #name)));    \
    type name parameters __attribute__((alias("real_" #name), weak)); \
    type real_##name parameters;                                      \
    type real_##name parameters

BOTH(double, MPI_Wtime, (void))
{
    return 1234.5678;
}

BOTH(int, MPI_Init, (int *argc, char ***argv))
{
    expect(argc && argv && *argc == 1 && !strcmp((*argv)[1] ? (*argv)[1] : "", ""), "MPI_Init");
    return 0;
}

BOTH(int, MPI_Finalize, (void))
{
    return 0;
}

BOTH(int, MPI_Barrier, (int comm))
{
    expect(comm == MPI_COMM_WORLD, "MPI_Barrier");
    return 0;
}

BOTH(int, MPI_Allreduce, (const void *from, void *to, int count, int type, int op, int comm))
{
    expect(from == fake_buffer && to == fake_buffer + 1 && count == 3 && type == MPI_DOUBLE && op == MPI_SUM &&
               comm == MPI_COMM_WORLD,
           "MPI_Allreduce");
    return 0;
}

/* A status of MPICH: bytes, upper bytes, source, tag, error. */
BOTH(int, MPI_Sendrecv,
     (const void *from, int count, int type, int dest, int tag, void *to, int room, int to_type, int source, int to_tag,
      int comm, void *status))
{
    expect(from == fake_buffer && count == 4 && type == MPI_INT && dest == 0 && tag == 11 && to == fake_buffer + 2 &&
               room == 5 && to_type == MPI_DOUBLE && source == 0 && to_tag == 12 && comm == MPI_COMM_WORLD && status,
           "MPI_Sendrecv");
    if (status != (void *)1)
        memcpy(status, (int[]){16, 0, 0, 12, 0}, 20);
    return 0;
}

BOTH(int, MPI_Alltoallw,
     (const void *from, const int *counts, const int *places, const int *types, void *to, const int *to_counts,
      const int *to_places, const int *to_types, int comm))
{
    expect(from == fake_buffer && to == fake_buffer + 3 && *counts == 1 && *places == 2 && *types == MPI_INT &&
               *to_counts == 3 && *to_places == 4 && *to_types == MPI_DOUBLE && comm == MPI_COMM_WORLD,
           "MPI_Alltoallw");
    return 0;
}

BOTH(int, MPI_Get_accumulate,
     (const void *from, int count, int type, void *result, int result_count, int result_type, int target, long place,
      int target_count, int target_type, int op, int win))
{
    expect(from == fake_buffer && count == 1 && type == MPI_INT && result == fake_buffer + 4 && result_count == 2 &&
               result_type == MPI_INT && target == 0 && place == 0x123456789abcdefL && target_count == 3 &&
               target_type == MPI_DOUBLE && op == MPI_SUM && win == (int)WIN,
           "MPI_Get_accumulate");
    return 0;
}

/* More than there are registers, of both kinds. */
BOTH(int, MPI_Pcontrol, (int level, ...))
{
    va_list list;
    va_start(list, level);
    for (int i = 0; level == 7 && i < 10; i++) {
        long word = va_arg(list, long);
        double number = va_arg(list, double);
        expect(word == 0x100000001L * i && number == i + 0.25, "MPI_Pcontrol");
    }
    va_end(list);
    return 0;
}

/* ---- what Fathom asks itself ---- */

BOTH(int, MPI_Comm_rank, (int comm, int *rank))
{
    *rank = 0;
    return comm == 0;
}

BOTH(int, MPI_Comm_size, (int comm, int *size))
{
    *size = 1;
    return comm == 0;
}

BOTH(int, MPI_Comm_test_inter, (int comm, int *flag))
{
    *flag = 0;
    return comm == 0;
}

BOTH(int, MPI_Query_thread, (int *level))
{
    *level = 0;
    return 0;
}

BOTH(int, MPI_Get_library_version, (char *text, int *length))
{
    *length = sprintf(text, "MPICH Version: 4.0");
    return 0;
}

BOTH(int, MPI_Type_size_x, (int type, long long *size))
{
    *size = type == MPI_DOUBLE ? 8 : 4;
    return 0;
}

BOTH(int, MPI_Initialized, (int *flag))
{
    *flag = 1;
    return 0;
}

BOTH(int, MPI_Finalized, (int *flag))
{
    *flag = 0;
    return 0;
}

/* Those that are looked for and not called here, or may fail. */
#define FAILS(name)         \
    BOTH(int, name, (void)) \
    {                       \
        return 15;          \
    }
FAILS(MPI_Comm_remote_size)
FAILS(MPI_Comm_compare)
FAILS(MPI_Comm_group)
FAILS(MPI_Comm_remote_group)
FAILS(MPI_Comm_split)
FAILS(MPI_Comm_split_type)
FAILS(MPI_Comm_free)
FAILS(MPI_Comm_get_errhandler)
FAILS(MPI_Comm_set_errhandler)
FAILS(MPI_Errhandler_free)
FAILS(MPI_Comm_get_parent)
FAILS(MPI_Group_translate_ranks)
FAILS(MPI_Group_free)
FAILS(MPI_Win_get_group)
FAILS(MPI_Topo_test)
FAILS(MPI_Cartdim_get)
FAILS(MPI_Cart_shift)
FAILS(MPI_Graph_neighbors_count)
FAILS(MPI_Dist_graph_neighbors_count)
FAILS(MPI_Bcast)
FAILS(MPI_Isend)
FAILS(MPI_Irecv)
FAILS(MPI_Iprobe)
FAILS(MPI_Test)
FAILS(MPI_Cancel)
FAILS(MPI_Wait)
FAILS(MPI_Request_free)

/* By this it is known for MPICH. */
int MPIR_Err_create_code(void);
int MPIR_Err_create_code(void)
{
    return 0;
}
