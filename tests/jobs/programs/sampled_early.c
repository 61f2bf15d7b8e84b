/* Threads that were there before MPI_Init, and so before samples: what they wait for is not broken, and one that computes
 * is sampled, which shows by a system call past libc that is. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "raw_sleep.h"

static atomic_int ready, measured, broken, sampled;
static int tube[2];

static void *wait_in_poll(void *unused)
{
    struct pollfd fd = {.fd = tube[0], .events = POLLIN};
    atomic_fetch_add(&ready, 1);
    if (poll(&fd, 1, -1) != 1)
        atomic_fetch_add(&broken, 1);
    for (int i = 0; i < 100; i++)
        if (poll(NULL, 0, 1) != 0)
            atomic_fetch_add(&broken, 1);
    return unused;
}

static void *wait_in_sleep(void *unused)
{
    struct timespec time = {1, 500000000};
    atomic_fetch_add(&ready, 1);
    if (nanosleep(&time, NULL) != 0)
        atomic_fetch_add(&broken, 1);
    return unused;
}

static void *wait_for_semaphore(void *unused)
{
    static sem_t semaphore;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    atomic_fetch_add(&ready, 1);
    if (sem_timedwait(&semaphore, &until) != -1 || errno != ETIMEDOUT)
        atomic_fetch_add(&broken, 1);
    return unused;
}

/* For a while after MPI_Init, far down its stack. */
__attribute__((noinline)) static void compute_deep_down(void)
{
    volatile char room[300000];
    struct timespec now, end;
    room[0] = 0;
    while (!atomic_load(&measured))
        ;
    clock_gettime(CLOCK_MONOTONIC, &end);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - end.tv_sec + (now.tv_nsec - end.tv_nsec) / 1e9 < 0.3);
    room[1] = room[0];
}

static void *compute(void *unused)
{
    atomic_fetch_add(&ready, 1);
    compute_deep_down();
    for (int i = 0; i < 50; i++) {
        struct timespec time = {0, 2000000};
        atomic_fetch_add(&sampled, raw_sleep(&time));
    }
    return unused;
}

int main(int argc, char **argv)
{
    static void *(*const routines[])(void *) = {wait_in_poll, wait_in_sleep, wait_for_semaphore, compute};
    pthread_t threads[4];
    int provided;
    if (pipe(tube) != 0)
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    while (atomic_load(&ready) < 4)
        usleep(1000);
    usleep(20000);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    atomic_store(&measured, 1);
    usleep(200000);
    if (write(tube[1], "x", 1) != 1)
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d broken, %s\n", atomic_load(&broken), atomic_load(&sampled) > 10 ? "sampled" : "not sampled");
    MPI_Finalize();
    return 0;
}
