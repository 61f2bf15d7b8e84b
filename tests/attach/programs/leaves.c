/* Its first thread leaves by pthread_exit as soon as others run: one works for the seconds of its argument and then ends
 * the program; one works for half as long and ends by itself; one sleeps until the end. Seconds are CPU time: on a busy
 * machine those who look on need longer to begin, too. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static __attribute__((noinline)) void work(double until)
{
    volatile double sum = 0;
    while (now() < until)
        for (int i = 0; i < 1000; i++)
            sum += i;
}

static void *short_work(void *argument)
{
    work(now() + seconds / 2);
    return argument;
}

static void *rest(void *argument)
{
    pause();
    return argument;
}

static void *long_work(void *argument)
{
    work(now() + seconds);
    puts("worked");
    exit(7);
    return argument;
}

int main(int argc, char **argv)
{
    void *(*const others[])(void *) = {short_work, rest, long_work};
    pthread_t thread;
    seconds = argc > 1 ? atof(argv[1]) : 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        pthread_create(&thread, NULL, others[i], NULL);
    pthread_exit(NULL);
}
