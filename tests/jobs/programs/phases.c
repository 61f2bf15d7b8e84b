/* Planted phases, each as long as the clock says. Rank 0: alpha, beta, then a receive; rank 1: beta, alpha, then a sleep,
 * and a send to rank 0. What else goes on (gamma) is in a thread, in a forked child, or nowhere.
 *
 *   phases [threads|fork|deep|kill|told]
 *
 * Each writes how long its phases were into a file "lengths.RANK", which on a busy machine is longer than they should be.
 * deep: beta is at the end of ever other calls, so that a small tree is full. kill: rank 1 kills itself at the end, when
 * both have written. told: makes a file "ready.RANK", and begins when there is a file "go". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double PHASE_S = 0.6;
static volatile double result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The loop is the function's own: what is inlined would be a function, too. */
#define PHASE(name)                                 \
    __attribute__((noinline)) void name(double end) \
    {                                               \
        while (now() < end)                         \
            for (int i = 0; i < 100000; i++)        \
                result = 0.5 * result + 1;          \
    }
PHASE(alpha)
PHASE(beta)
PHASE(gamma_)

/* Two call sites a level: another path for each number. */
__attribute__((noinline)) void descend(unsigned way, int levels)
{
    if (levels == 0)
        beta(now() + 0.001);
    else if (way & 1)
        descend(way >> 1, levels - 1);
    else
        descend(way >> 1, levels - 1);
    result = result + 1; /* no tail calls */
}

static void deep_phase(int deep)
{
    double end = now() + PHASE_S;
    for (unsigned way = 0; deep && now() < end; way += 977)
        descend(way, 14);
    beta(end);
}

static void wait_for_file(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(1000);
}

static void wait_until_told(int rank)
{
    char name[] = "ready.0";
    name[sizeof name - 2] = (char)('0' + rank);
    close(creat(name, 0600));
    wait_for_file("go");
}

/* It appears whole. */
static void write_lengths(int rank, double first, double second, double third)
{
    char name[32], unfinished[32];
    snprintf(name, sizeof name, "lengths.%d", rank);
    snprintf(unfinished, sizeof unfinished, "unfinished.%d", rank);
    FILE *file = fopen(unfinished, "w");
    fprintf(file, "%g %g %g\n", first, second, third);
    fclose(file);
    rename(unfinished, name);
}

static void *beside(void *nothing)
{
    gamma_(now() + 2 * PHASE_S);
    return nothing;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int rank, deep = !strcmp(mode, "deep"), threads = !strcmp(mode, "threads"), forks = !strcmp(mode, "fork");
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(mode, "told"))
        wait_until_told(rank);
    if (threads)
        pthread_create(&thread, NULL, beside, NULL);
    if (forks && fork() == 0) {
        gamma_(now() + 2 * PHASE_S);
        _exit(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double began = now(), first, second;
    if (rank == 0) {
        alpha(now() + PHASE_S);
        first = now();
        deep_phase(deep);
        second = now();
        MPI_Recv(&deep, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        deep_phase(deep);
        first = now();
        alpha(now() + PHASE_S);
        second = now();
        usleep((useconds_t)(PHASE_S * 1e6));
        MPI_Send(&deep, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (threads)
        pthread_join(thread, NULL);
    if (forks)
        wait(NULL);
    write_lengths(rank, first - began, second - first, now() - second);
    if (!strcmp(mode, "kill") && rank == 1) {
        wait_for_file("lengths.0");
        raise(SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
