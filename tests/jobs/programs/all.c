/* Nearly every routine of MPI with what is known of it. Needs at least 2 ranks and at most 8. */
#include "all.h"

#if MPI_VERSION >= 4
/* A session beside the world. */
static void a_session(void)
{
    int n, length = MPI_MAX_PSET_NAME_LEN;
    char name[MPI_MAX_PSET_NAME_LEN];
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    Y(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    Y(Session_get_num_psets, session, MPI_INFO_NULL, &n);
    Y(Session_get_nth_pset, session, MPI_INFO_NULL, 0, &length, name);
    Y(Group_from_session_pset, session, "mpi://WORLD", &group);
    Y(Comm_create_from_group, group, "a", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    int one = 1, sum = 0;
    X(Allreduce, 4, 4, 4, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    require(sum == size, "a communicator of a session");
    Y(Comm_free, &comm);
    Y(Group_free, &group);
    Y(Session_finalize, &session);
}
#endif

int main(int argc, char **argv)
{
    int flag;
    Y(Initialized, &flag);
    Y(Init, &argc, &argv);
    Y(Comm_rank, MPI_COMM_WORLD, &rank);
    Y(Comm_size, MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    all_messages();
    all_collectives();
    all_neighbours();
    all_objects();
    all_memory();
    all_files();
#if MPI_VERSION >= 4
    a_session();
#endif
    Y(Finalize);
    tally_write();
    return 0;
}
