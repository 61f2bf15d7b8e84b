/* Timers, case by case:   timers CASE
 *   plain    20 steps, 40 inner ones in them, and a timer that only odd ranks have
 *   misuse   stopped without being started, started twice, a handle of another name, by another thread, never stopped;
 *            "WRONG timer: what" is what the report is to say of that line
 *   kill     as plain, but rank 1 kills itself after 10 steps; a timer runs from the beginning
 *   threads  four threads, each with events of its own
 *   alone    without MPI; misuse-alone is misuse without it
 *   grid     as plain, on a grid of 2 x 2
 *   report   as plain, with reports of all and of the odd ranks to files
 *   nothing  these reports without any timer */
#include <mpi.h>

#include <fathom.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void steps(int n, int killed_after)
{
    static int life, step, odd;
    if (killed_after) {
        fathom_timer_get(&life, "life");
        fathom_timer_start(life); /* RUNNING */
    }
    for (int i = 0; i < n; i++) {
        fathom_timer_get(&step, "step");
        fathom_timer_start(step);
        FATHOM_TIME("inner")
        {
            __asm__ volatile("" ::: "memory");
        }
        FATHOM_TIME("inner")
        {
            __asm__ volatile("" ::: "memory");
        }
        fathom_timer_stop(step);
        if (i + 1 == killed_after && rank == 1) {
            MPI_Barrier(MPI_COMM_WORLD); /* the others have made their steps */
            raise(SIGKILL);
        }
    }
    for (int i = 0; i < 5 && rank % 2; i++) {
        fathom_timer_get(&odd, "odd");
        fathom_timer_start(odd);
        fathom_timer_stop(odd);
    }
    if (killed_after)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void *stop_it(void *timer)
{
    fathom_timer_stop(*(const int *)timer); /* WRONG fourth: stopped by a thread that did not start it */
    return NULL;
}

static void *never_stop_it(void *timer)
{
    fathom_timer_start(*(const int *)timer); /* WRONG fifth: never stopped */
    return NULL;
}

static void in_thread(void *(*function)(void *), int *timer)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, timer);
    pthread_join(thread, NULL);
}

static void misuse(void)
{
    int first = 0, second = 0, third = 0, fourth = 0, fifth = 0, wrong = 0;
    fathom_timer_get(&first, "first");
    fathom_timer_get(&second, "second");
    fathom_timer_get(&third, "third");
    fathom_timer_stop(first); /* WRONG first: stopped, but not running */
    fathom_timer_start(first);
    fathom_timer_start(first); /* WRONG first: started, but already running */
    fathom_timer_stop(first);
    wrong = first;
    fathom_timer_get(&wrong, "second"); /* WRONG second: obtained with another timer's handle */
    fathom_timer_start(wrong);
    fathom_timer_stop(wrong);
    fathom_timer_start(0);
    fathom_timer_stop(-7);
    fathom_timer_start(100000); /* WRONG (none): used without a handle: get it first */
    fathom_timer_get(&fourth, "fourth");
    fathom_timer_get(&fifth, "fifth");
    fathom_timer_start(fourth);
    in_thread(stop_it, &fourth);
    fathom_timer_stop(fourth);
    in_thread(never_stop_it, &fifth);
    fathom_timer_start(second); /* WRONG second: never stopped */
    fathom_timer_start(third);  /* WRONG third: never stopped */
}

/* None ends before all have made their events: a thread that has ended gives its place to the next. */
static void *work(void *barrier)
{
    int t = 0;
    fathom_timer_get(&t, "work");
    for (int i = 0; i < 100; i++) {
        fathom_timer_start(t);
        fathom_timer_stop(t);
    }
    pthread_barrier_wait(barrier);
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, work, &barrier);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

/* Each communicator's task 0 writes. */
static void report(const char *name, MPI_Comm comm)
{
    FILE *out = fopen(name, "a");
    fathom_timers_report(out, comm);
    fclose(out);
}

static void report_all_and_odd(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    report("all.txt", MPI_COMM_WORLD);
    if (rank % 2)
        report("odd.txt", half);
    MPI_Comm_free(&half);
}

static void make_grid(void)
{
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &grid);
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "plain";
    if (strcmp(what, "alone") == 0) {
        steps(20, 0);
        fathom_timers_report(stderr, MPI_COMM_WORLD);
        return 0;
    }
    if (strcmp(what, "misuse-alone") == 0) {
        misuse();
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "misuse") == 0)
        misuse();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "nothing") != 0)
        steps(20, strcmp(what, "kill") == 0 ? 10 : 0);
    if (strcmp(what, "grid") == 0)
        make_grid();
    if (strcmp(what, "report") == 0 || strcmp(what, "nothing") == 0)
        report_all_and_odd();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
