/* MPI without MPI_Init: a session only. Its ranks are those of its communicator. */
#include <stdio.h>

#include "tally.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum = 1;
    Y(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    Y(Group_from_session_pset, session, "mpi://WORLD", &group);
    Y(Comm_create_from_group, group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    Y(Comm_rank, comm, &rank);
    Y(Comm_size, comm, &size);
    for (int i = 0; i < 12; i++)
        X(Allreduce, 4, 4, 4, MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < 5; i++)
        X(Sendrecv_replace, 4, 4, 4, &sum, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, comm,
          MPI_STATUS_IGNORE);
    require(sum == 1, "messages of a session");
    Y(Comm_free, &comm);
    Y(Group_free, &group);
    Y(Session_finalize, &session);
    tally_write();
    return 0;
}
