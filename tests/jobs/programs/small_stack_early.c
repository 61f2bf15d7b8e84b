/* A thread that cannot be sampled, for its stack for handlers is too small, beside another one that was there before
 * MPI_Init. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int tube[2];

static void *wait(void *unused)
{
    char byte;
    return read(tube[0], &byte, 1) == 1 ? unused : tube;
}

int main(int argc, char **argv)
{
    static char room[16384];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    pthread_t other;
    void *failed = tube;
    if (pipe(tube) != 0 || sigaltstack(&stack, NULL) != 0 || pthread_create(&other, NULL, wait, NULL) != 0)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    if (write(tube[1], "", 1) == 1)
        pthread_join(other, &failed);
    puts(failed ? "the other thread failed" : "done");
    return failed != NULL;
}
