/* Communicators, groups, datatypes, attributes, infos, error handlers: made, used, freed and made again, because a
 * library gives the handles of freed objects to new ones. */
#include <string.h>

#include "all.h"

#define W MPI_COMM_WORLD

/* The size of a message is that of its type without the gaps. Types of other sizes get the same handles. */
static void types_again_and_again(void)
{
    static int in[512], out[512];
    for (int turn = 1; turn <= 40; turn++) {
        MPI_Datatype type;
        if (turn % 2)
            Y(Type_vector, turn, 2, 5, MPI_INT, &type);
        else
            Y(Type_contiguous, turn, MPI_DOUBLE, &type);
        Y(Type_commit, &type);
        long bytes = 8 * turn;
        X(Sendrecv, bytes, bytes, bytes, out, 1, type, right, 0, in, 1, type, left, 0, W, MPI_STATUS_IGNORE);
        X(Bcast, bytes, rank ? 0 : bytes, rank ? bytes : 0, in, 1, type, 0, W);
        Y(Type_free, &type);
    }
}

static void types_of_all_kinds(void)
{
    int lengths[2] = {1, 2}, places[2] = {0, 4}, bytes, n, positions = 0;
    int sizes[2] = {4, 4}, part[2] = {2, 3}, start[2] = {1, 1};
    MPI_Aint where[2] = {0, 16}, low, extent;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type[8];
    static double out[64], in[64];
    char packed[64];
    Y(Type_create_hvector, 2, 1, 16, MPI_INT, &type[0]);
    Y(Type_indexed, 2, lengths, places, MPI_INT, &type[1]);
    Y(Type_create_hindexed, 2, lengths, where, MPI_INT, &type[2]);
    Y(Type_create_indexed_block, 2, 2, places, MPI_INT, &type[3]);
    Y(Type_create_struct, 2, lengths, where, types, &type[4]);
    Y(Type_create_subarray, 2, sizes, part, start, MPI_ORDER_C, MPI_INT, &type[5]);
    Y(Type_create_resized, MPI_INT, 0, 32, &type[6]);
    Y(Type_dup, MPI_DOUBLE, &type[7]);
    const long expected[8] = {8, 12, 12, 16, 20, 24, 4, 8};
    for (int i = 0; i < 8; i++) {
        Y(Type_commit, &type[i]);
        Y(Type_size, type[i], &bytes);
        require(bytes == expected[i], "the size of a type");
        Y(Type_get_extent, type[i], &low, &extent);
        X(Sendrecv, bytes, bytes, bytes, out, 1, type[i], right, i, in, 1, type[i], left, i, W, MPI_STATUS_IGNORE);
        Y(Type_free, &type[i]);
    }
    Y(Pack_size, 3, MPI_INT, W, &n);
    Y(Pack, out, 3, MPI_INT, packed, sizeof packed, &positions, W);
    X(Sendrecv, positions, positions, positions, packed, positions, MPI_PACKED, right, 9, in, 64, MPI_PACKED, left, 9,
      W, MPI_STATUS_IGNORE);
    positions = 0;
    Y(Unpack, packed, sizeof packed, &positions, in, 3, MPI_INT, W);
    Y(Get_address, in, &low);
}

/* Ranks reversed, halves, copies: partners keep their names in the world (the test looks at the topology). */
static void communicators(void)
{
    int n, value = 0, compared, color = rank % 2;
    for (int turn = 0; turn < 10; turn++) {
        MPI_Comm reversed, half, copy;
        Y(Comm_split, W, 0, size - rank, &reversed);
        X(Sendrecv_replace, 4, 4, 4, &value, 1, MPI_INT, (size - rank) % size, 0, (2 * size - rank - 2) % size, 0,
          reversed, MPI_STATUS_IGNORE);
        Y(Comm_split, W, color, rank, &half);
        Y(Comm_size, half, &n);
        X(Allreduce, 4, 4, 4, MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, half);
        Y(Comm_dup, half, &copy);
        X(Bcast, 4, rank < 2 ? 4 : 0, rank < 2 ? 0 : 4, &value, 1, MPI_INT, 0, copy);
        Y(Comm_compare, half, copy, &compared);
        Y(Comm_free, &copy);
        Y(Comm_free, &half);
        Y(Comm_free, &reversed);
    }
    MPI_Comm node, copy, few;
    MPI_Request request;
    MPI_Group world, first;
    int zero = 0;
    Y(Comm_split_type, W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    Y(Comm_idup, node, &copy, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    Y(Barrier, copy);
    Y(Comm_group, W, &world);
    Y(Group_incl, world, 1, &zero, &first);
    Y(Group_size, first, &n);
    Y(Group_rank, world, &n);
    require(n == rank, "a group");
    Y(Group_translate_ranks, first, 1, &zero, world, &n);
    Y(Comm_create, W, first, &few);
    if (rank == 0) {
        Y(Barrier, few);
        Y(Comm_free, &few);
        Y(Comm_create_group, W, first, 3, &few);
        Y(Comm_free, &few);
    }
    Y(Group_free, &first);
    Y(Group_free, &world);
    Y(Comm_free, &copy);
    Y(Comm_free, &node);
}

static void topologies(void)
{
    int dims[2] = {0, 0}, periodic[2] = {1, 1}, coords[2], from, to, n, keep[2] = {1, 0};
    MPI_Comm grid, row;
    Y(Dims_create, size, 2, dims);
    Y(Cart_create, W, 2, dims, periodic, 0, &grid);
    Y(Cart_coords, grid, rank, 2, coords);
    Y(Cart_rank, grid, coords, &n);
    require(n == rank, "a grid");
    Y(Cart_shift, grid, 0, 1, &from, &to);
    Y(Cartdim_get, grid, &n);
    Y(Topo_test, grid, &n);
    X(Sendrecv, 4, 4, 4, &n, 1, MPI_INT, to, 0, &from, 1, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
    Y(Cart_sub, grid, keep, &row);
    Y(Comm_free, &row);
    Y(Comm_free, &grid);
}

static void odds_and_ends(void)
{
    int key, flag, n, value = 7, *found, code;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Op op;
    void *memory;
    Y(Comm_create_keyval, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    Y(Comm_set_attr, W, key, &value);
    Y(Comm_get_attr, W, key, &found, &flag);
    require(flag && *found == 7, "an attribute");
    Y(Comm_delete_attr, W, key);
    Y(Comm_free_keyval, &key);
    Y(Info_create, &info);
    Y(Info_set, info, "a", "b");
    Y(Info_get_nkeys, info, &n);
    Y(Info_get, info, "a", 10, text, &flag);
    require(flag && strcmp(text, "b") == 0, "an info");
    Y(Info_free, &info);
    Y(Comm_get_errhandler, W, &handler);
    Y(Comm_set_errhandler, W, handler);
    Y(Errhandler_free, &handler);
    Y(Error_class, MPI_ERR_TRUNCATE, &code);
    Y(Error_string, MPI_ERR_TRUNCATE, text, &n);
    Y(Op_create, (MPI_User_function *)0x1000, 1, &op);
    Y(Op_free, &op);
    Y(Alloc_mem, 100, MPI_INFO_NULL, &memory);
    Y(Free_mem, memory);
    Y(Get_version, &n, &flag);
    Y(Get_library_version, text, &n);
    Y(Get_processor_name, text, &n);
    Y(Initialized, &flag);
    Y(Finalized, &flag);
    require(!flag, "finalized");
    Y(Query_thread, &n);
    Y(Is_thread_main, &flag);
    Y(Comm_set_name, W, "all");
    Y(Comm_get_name, W, text, &n);
    require(MPI_Wtime() >= 0 && MPI_Wtick() > 0, "a clock, which is not counted");
}

void all_objects(void)
{
    types_again_and_again();
    types_of_all_kinds();
    communicators();
    topologies();
    odds_and_ends();
}
