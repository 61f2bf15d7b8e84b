/* Four threads at a time, each with a communicator of its own; a second set of threads takes the slots of the first. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, SETS = 2, ROUNDS = 300 };

static MPI_Comm comms[THREADS];

static void *run(void *comm_of)
{
    MPI_Comm comm = *(MPI_Comm *)comm_of;
    double a = 1, b, c;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, comm); /* first */
        MPI_Allreduce(&a, &c, 1, MPI_DOUBLE, MPI_MAX, comm); /* second */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return 77;
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, run, &comms[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
