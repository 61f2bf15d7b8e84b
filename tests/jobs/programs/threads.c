/* threads WAVES THREADS CALLS: in each wave THREADS threads live at the same time, each with CALLS rounds of messages
 * to its own process (the tag is the thread's). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static int rank, rounds;
static pthread_barrier_t all_live;

static void *work(void *data)
{
    const int tag = (int)(long)data;
    pthread_barrier_wait(&all_live);
    for (int i = 0; i < rounds; i++) {
        int out[8] = {tag}, in[20], n, flag;
        MPI_Request request[2];
        MPI_Comm_rank(MPI_COMM_WORLD, &n);
        MPI_Sendrecv(out, 3, MPI_INT, 0, tag, in, 20, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 20, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_SELF, &request[0]);
        MPI_Isend(out, 1 + i % 8, MPI_INT, 0, tag, MPI_COMM_SELF, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (in[0] != tag)
            abort();
        MPI_Iprobe(0, tag, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    pthread_barrier_wait(&all_live); /* nobody ends before all have finished: no slot is free early */
    return NULL;
}

static void write_tally(long calls)
{
    char name[32];
    snprintf(name, sizeof name, "tally.%d", rank);
    FILE *file = fopen(name, "w");
    if (!file)
        abort();
    long bytes = 0;
    for (int i = 0; i < rounds; i++)
        bytes += 4 * (1 + i % 8);
    bytes *= calls / rounds;
    fprintf(file, "MPI_Comm_rank %ld 0 0 0\n", calls + 1);
    fprintf(file, "MPI_Sendrecv %ld %ld %ld %ld\n", calls, 12 * calls, 12 * calls, 12 * calls);
    fprintf(file, "MPI_Irecv %ld %ld 0 %ld\n", calls, bytes, bytes);
    fprintf(file, "MPI_Isend %ld %ld %ld 0\n", calls, bytes, bytes);
    fprintf(file, "MPI_Waitall %ld 0 0 0\nMPI_Iprobe %ld 0 0 0\n", calls, calls);
    fprintf(file, "MPI_Init_thread 1 0 0 0\nMPI_Finalize 1 0 0 0\n");
    if (fclose(file) != 0)
        abort();
}

int main(int argc, char **argv)
{
    const int waves = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 8;
    int provided;
    rounds = argc > 3 ? atoi(argv[3]) : 100;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&all_live, NULL, (unsigned)threads);
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (int wave = 0; wave < waves; wave++) {
        for (long i = 0; i < threads; i++)
            if (pthread_create(&thread[i], &small, work, (void *)i) != 0)
                abort();
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
    }
    MPI_Finalize();
    write_tally((long)waves * threads * rounds);
    return 0;
}
