/* Busy threads, of which the first replaces the program by itself, again and again.
 *   execs N    so often, then it prints "done" */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, TURN_MS = 50 };

static void *work(void *unused)
{
    volatile unsigned long n = 0;
    (void)unused;
    for (;;)
        n++;
    return NULL;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char left[16];
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (!n) {
        puts("done");
        return 7;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, work, NULL);
    for (double end = now_ms() + TURN_MS; now_ms() < end;)
        ;
    snprintf(left, sizeof left, "%d", n - 1);
    execl("/proc/self/exe", argv[0], left, (char *)NULL);
    return 1;
}
