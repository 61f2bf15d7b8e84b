/* What reading four counters around an MPI call costs, on the way of the runtime: in user space, through pages made up
 * here, whose hardware counters are in memory; and with a system call, for four software events.
 *
 *   counters BATCHES    prints the least ns per call of each: nothing, user_space, system_call */
#define _GNU_SOURCE
#include <stdint.h>

static volatile uint64_t made_up_pmcs[8];
#define FM_PMC_READ(counter) made_up_pmcs[counter]
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/counters/mpi_calls.h"
#include "runtime/counters/open.h"
#include "runtime/counters/read.h"

enum { CALLS = 10000 };

static struct perf_event_mmap_page pages[4];
static struct fm_segment_counters segment;
static struct fm_counted_thread threads[1];

/* Stands for the MPI routine: the compiler must not move anything across it. */
static __attribute__((noinline)) void routine(void)
{
    __asm__ volatile("" : : : "memory");
}

static void nothing(void)
{
    routine();
}

static void user_space(void)
{
    fm_counters_enter_call();
    routine();
    fm_counters_leave_call();
}

static void system_call(void)
{
    fm_counters_update(threads, true);
    routine();
    fm_counters_update(threads, true);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_least(const char *name, void (*call)(void), int batches)
{
    double least = 1e9;
    for (int i = 0; i < batches; i++) {
        double start = seconds();
        for (int k = 0; k < CALLS; k++)
            call();
        double ns = (seconds() - start) * 1e9 / CALLS;
        least = ns < least ? ns : least;
    }
    printf("%s %.2f\n", name, least);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    struct fm_perf_event dropped;
    fm_counting.threads = fm_counted = threads;
    fm_counting.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    threads[0] = (struct fm_counted_thread){.n = 4, .split = 4, .seg = &segment};
    for (uint32_t i = 0; i < 4; i++) {
        pages[i] = (struct perf_event_mmap_page){.index = i + 1, .pmc_width = 48};
        threads[0].pages[i] = &pages[i];
    }
    print_least("nothing", nothing, batches);
    print_least("user_space", user_space, batches);
    fm_perf_events_software(&fm_counting.events);
    if (fm_counters_probe(&fm_counting.events, &dropped) == 0 && fm_counters_open(threads, 0) == 0)
        print_least("system_call", system_call, batches / 10 + 1);
    return 0;
}
