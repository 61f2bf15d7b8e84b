/* Calls with many arguments, in registers and beyond them, of MPI and of libc; timers and regions. What a call does to the
 * registers of a number in flight would show in the sum. */
#include <fathom.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fake_mpi.h"

enum { TIMES = 1000 };

#define WORDS(i) (0x100000001L * (i)), ((i) + 0.25)

static double routines(void)
{
    static const int ones[] = {1}, twos[] = {2}, threes[] = {3}, fours[] = {4}, ints[] = {MPI_INT},
                     doubles[] = {MPI_DOUBLE};
    double sum = 0;
    for (int i = 0; i < TIMES; i++) {
        char *b = fake_buffer;
        int status[5] = {0};
        int failed = MPI_Allreduce(b, b + 1, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) + MPI_Barrier(MPI_COMM_WORLD) +
                     MPI_Sendrecv(b, 4, MPI_INT, 0, 11, b + 2, 5, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD, status) +
                     MPI_Alltoallw(b, ones, twos, ints, b + 3, threes, fours, doubles, MPI_COMM_WORLD) +
                     MPI_Get_accumulate(b, 1, MPI_INT, b + 4, 2, MPI_INT, 0, 0x123456789abcdefL, 3, MPI_DOUBLE, MPI_SUM,
                                        (int)WIN) +
                     MPI_Pcontrol(7, WORDS(0), WORDS(1), WORDS(2), WORDS(3), WORDS(4), WORDS(5), WORDS(6), WORDS(7),
                                  WORDS(8), WORDS(9));
        sum += failed || status[0] != 16 ? 1e9 : MPI_Wtime();
    }
    return sum;
}

/* The first calls of functions that samples are held back in are looked for with their arguments in the registers. */
static int waits(void)
{
    int pair[2];
    char text[] = "hello", got[8] = "";
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    struct timespec now, soon = {0, 1000};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 ||
        sendto(pair[0], text, sizeof text, 0, NULL, 0) != sizeof text ||
        recvfrom(pair[1], got, sizeof got, 0, (struct sockaddr *)&from, &length) != sizeof text)
        return -1;
    return strcmp(got, text) || clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, &now) || usleep(10) || write(1, "", 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int timer = 0;
    fathom_timer_get(&timer, "work");
    fathom_timer_start(timer);
    double sum = routines();
    fathom_timer_stop(timer);
    printf("%.4f %d\n", sum, waits());
    return MPI_Finalize();
}
