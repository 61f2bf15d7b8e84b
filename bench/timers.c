/* SPDX-License-Identifier: BSD-3-Clause */
/* What a start and a stop of a timer cost, measured by the program itself:   timers BATCHES
 *
 * Beside them stands a bare pair of clock reads. All loops take turns, batch by batch, and of each the fastest batch
 * counts, in the CPU time of its thread; of several threads the mean. Prints "how/loop nanoseconds", per pair; then
 * with 1,000 timers instead of 100, what memory the further 900 took, and how many of the timers were measured. After
 * its batches each loop is run once more between brackets for callgrind. */
#include <fathom.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "instructions.h"
#include "status.h"
#include "timers.h"

enum { THREADS = 8 };

static int timers[BENCH_TIMERS];
static struct fm_clock clock_of_processor; /* zero: the cycle counter */

static void bare(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        uint64_t start = fm_clock_ticks(&clock_of_processor);
        sum += fm_clock_ticks(&clock_of_processor) - start;
    }
    __asm__ volatile("" : : "r"(sum));
}

static void one(void)
{
    for (int i = 0; i < BENCH_PAIRS; i++) {
        fathom_timer_start(timers[0]);
        fathom_timer_stop(timers[0]);
    }
}

static void in_turn(int n)
{
    for (int i = 0; i < BENCH_PAIRS / n; i++) {
        for (int t = 0; t < n; t++) {
            fathom_timer_start(timers[t]);
            fathom_timer_stop(timers[t]);
        }
    }
}

static void hundred(void)
{
    in_turn(BENCH_HUNDRED);
}

static void thousand(void)
{
    in_turn(BENCH_TIMERS);
}

static void nested(void)
{
    for (int i = 0; i < BENCH_PAIRS / BENCH_DEPTH; i++) {
        for (int t = 0; t < BENCH_DEPTH; t++)
            fathom_timer_start(timers[t]);
        for (int t = BENCH_DEPTH; t-- > 0;)
            fathom_timer_stop(timers[t]);
    }
}

struct loop {
    const char *name;
    int threads; /* 0: on the main thread */
    void (*run)(void);
    double best_ns;
};
static struct loop loops[] = {
    {"bare/one", 0, bare, 0},
    {"C/one", 0, one, 0},
    {"Fortran/one", 0, bench_fortran_one, 0},
    {"C/hundred", 0, hundred, 0},
    {"Fortran/hundred", 0, bench_fortran_hundred, 0},
    {"C/nested", 0, nested, 0},
    {"Fortran/nested", 0, bench_fortran_nested, 0},
    {"bare/threads", THREADS, bare, 0},
    {"C/threads", THREADS, one, 0},
    {"Fortran/threads", THREADS, bench_fortran_one, 0},
};
static struct loop last_loop[] = {{"C/thousand", 0, thousand, 0}};

struct team {
    const struct loop *loop;
    pthread_barrier_t barrier;
    double ns[THREADS];
};
struct member {
    struct team *team;
    int number;
};

static double run_timed(const struct loop *loop)
{
    uint64_t start = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    loop->run();
    return (double)(fm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start);
}

/* Runs warm, then, when all are, once more. */
static void *work(void *argument)
{
    const struct member *self = argument;
    struct team *team = self->team;
    team->loop->run();
    pthread_barrier_wait(&team->barrier);
    pthread_barrier_wait(&team->barrier);
    team->ns[self->number] = run_timed(team->loop);
    pthread_barrier_wait(&team->barrier);
    return NULL;
}

/* The main thread waits at each barrier, so that what it does between them is between theirs. */
static double run_team(const struct loop *loop, bool counted)
{
    struct team team = {.loop = loop};
    struct member members[THREADS];
    pthread_t threads[THREADS];
    double sum = 0;
    pthread_barrier_init(&team.barrier, NULL, (unsigned)loop->threads + 1);
    for (int i = 0; i < loop->threads; i++) {
        members[i] = (struct member){&team, i};
        if (pthread_create(&threads[i], NULL, work, &members[i]))
            exit(1);
    }
    pthread_barrier_wait(&team.barrier);
    if (counted)
        bench_instructions_begin();
    pthread_barrier_wait(&team.barrier);
    pthread_barrier_wait(&team.barrier);
    if (counted)
        bench_instructions_end(loop->name);
    for (int i = 0; i < loop->threads; i++) {
        pthread_join(threads[i], NULL);
        sum += team.ns[i];
    }
    pthread_barrier_destroy(&team.barrier);
    return sum / loop->threads;
}

/* Nanoseconds of a batch; if `counted` its instructions go to callgrind. */
static double run(const struct loop *loop, bool counted)
{
    if (loop->threads)
        return run_team(loop, counted);
    loop->run();
    if (counted)
        bench_instructions_begin();
    double ns = run_timed(loop);
    if (counted)
        bench_instructions_end(loop->name);
    return ns;
}

static void measure(struct loop *all, int n, int batches)
{
    for (int i = 0; i < batches; i++) {
        for (struct loop *loop = all; loop < all + n; loop++) {
            double ns = run(loop, false);
            loop->best_ns = i == 0 || ns < loop->best_ns ? ns : loop->best_ns;
        }
    }
    for (struct loop *loop = all; loop < all + n; loop++) {
        run(loop, true);
        printf("%s %.3f\n", loop->name, loop->best_ns / BENCH_PAIRS);
    }
}

static void make_timers(int n)
{
    char name[16];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "timer %d", i);
        fathom_timer_get(&timers[i], name);
    }
}

/* How many timers have been measured, by their own report. */
static int measured(void)
{
    int n = 0, no_comm = 0;
    char *text = fathom_timers_text(&no_comm);
    for (const char *at = text; at && (at = strstr(at, "\n*** ")); at++)
        n++;
    free(text);
    return n;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 1;
    make_timers(BENCH_HUNDRED);
    bench_fortran_make();
    measure(loops, sizeof loops / sizeof *loops, batches);
    long shared = status_kb("RssShmem"), own = status_kb("RssAnon");
    make_timers(BENCH_TIMERS);
    measure(last_loop, 1, batches);
    printf("shared_kb %ld\nown_kb %ld\n", status_kb("RssShmem") - shared, status_kb("RssAnon") - own);
    printf("measured %d\n", measured());
    return 0;
}
