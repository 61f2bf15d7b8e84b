/* A thread that computes while MPI_Init is called, on little stack: cramped_early stack BYTES (that it uses of the smallest
 * one) or alternate BYTES (of its own stack for handlers). */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 65536 };
static volatile int ready, stop;
static volatile unsigned long turns;

static void compute(void)
{
    ready = 1;
    while (!stop)
        turns++;
}

static void *use_stack(void *bytes)
{
    char *room = __builtin_alloca((size_t)bytes);
    memset(room, 1, (size_t)bytes);
    __asm__ volatile("" : : "r"(room) : "memory");
    compute();
    return NULL;
}

static void *set_alternate(void *bytes)
{
    char *map = mmap(NULL, (size_t)bytes + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = map + GUARD, .ss_size = (size_t)bytes};
    mprotect(map, GUARD, PROT_NONE);
    if (sigaltstack(&stack, NULL) != 0)
        exit(3);
    compute();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t smallest;
    pthread_t thread;
    pthread_attr_init(&smallest);
    pthread_attr_setstacksize(&smallest, PTHREAD_STACK_MIN);
    if (pthread_create(&thread, &smallest, strcmp(argv[1], "stack") == 0 ? use_stack : set_alternate,
                       (void *)atol(argv[2])) != 0)
        return 2;
    while (!ready)
        usleep(100);
    MPI_Init(&argc, &argv);
    usleep(100000);
    stop = 1;
    pthread_join(thread, NULL);
    MPI_Finalize();
    puts("done");
    return 0;
}
