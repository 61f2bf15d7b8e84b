/* Says what it computes, reads and waits for, on stdout and stderr, and ends with the status that it is given. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static double work(int n)
{
    double sum = 0;
    for (int i = 1; i <= n; i++)
        sum += sin(i) / i;
    return sum;
}

/* Everything that a sample could break: waits, reads and writes of a pipe. How many were. */
static int wait_often(void)
{
    int broken = 0, tube[2];
    char bytes[512] = "";
    if (pipe(tube) != 0)
        return -1;
    for (int i = 0; i < 40; i++) {
        struct timespec time = {0, 2000000};
        broken += nanosleep(&time, NULL) != 0;
        broken += poll(NULL, 0, 2) != 0;
        broken += usleep(1000) != 0;
        broken += write(tube[1], bytes, sizeof bytes) != sizeof bytes ||
                  read(tube[0], bytes, sizeof bytes) != sizeof bytes;
    }
    return broken;
}

/* An alarm of its own arrives while it sleeps, and breaks the sleep once. */
static int be_woken(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval when = {.it_value = {0, 100000}};
    struct timespec time = {5, 0};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &when, NULL);
    return nanosleep(&time, NULL) != 0 && errno == EINTR;
}

int main(int argc, char **argv)
{
    int rank, size;
    double mine, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++) {
        mine = work(500000 + rank + i);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    int broken = wait_often(), woken = be_woken();
    printf("rank %d of %d: %.15g, %d broken, %d woken, %d alarms\n", rank, size, all, broken, woken, (int)alarms);
    fprintf(stderr, "rank %d says so\n", rank);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
