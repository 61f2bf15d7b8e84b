/* many_timers TIMERS EVENTS:  that many timers, all got anew for each event as programs do. The first event of a timer is
 * short, the next ones last at least 2 us, 200 us, 5 ms. "spent.RANK" gets what is known of their totals: at least the
 * time spent inside, at most the time around. */
#define _GNU_SOURCE
#include <mpi.h>

#include <fathom.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

int main(int argc, char **argv)
{
    static const long lasting[] = {0, 2000, 200000, 5000000};
    int rank, timers = atoi(argv[1]), events = atoi(argv[2]);
    long inside = 0, around = 0;
    char name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int event = 0; event < events; event++) {
        for (int i = 0; i < timers; i++) {
            int t = 0;
            snprintf(name, sizeof name, "timer %d", i);
            fathom_timer_get(&t, name);
            long before = now();
            fathom_timer_start(t);
            long from = now(), until = from;
            while (until - from < lasting[event])
                until = now();
            fathom_timer_stop(t);
            around += now() - before;
            inside += until - from;
        }
    }
    snprintf(name, sizeof name, "spent.%d", rank);
    FILE *file = fopen(name, "w");
    fprintf(file, "%ld %ld\n", inside, around);
    fclose(file);
    MPI_Finalize();
    return 0;
}
