/* Timers on bad days, by the first argument:
 *   signals  a handler uses the timer that it interrupts
 *   threads  more threads at once than have room, with one handle for all
 *   child    a child that no atfork handler sees goes on with its parent's timers
 *   crossed  stopped in another order than started, then started elsewhere
 *   names    that cannot be shown as they are, or only differ where nobody looks
 *   comms    reports of communicators that have none */
#define _GNU_SOURCE
#include <mpi.h>

#include <fathom.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 300, EVENTS = 10 };

/* ---- signals ---- */

static int interrupted;
static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
    (void)signal;
    fathom_timer_start(interrupted);
    fathom_timer_stop(interrupted);
    handled++;
}

static void with_signals(void)
{
    int outer = 0;
    struct itimerval every = {{0, 50}, {0, 50}};
    fathom_timer_get(&interrupted, "interrupted");
    fathom_timer_get(&outer, "outer");
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    while (handled < 3000) {
        fathom_timer_start(outer);
        for (int i = 0; i < 1000; i++) {
            fathom_timer_start(interrupted);
            fathom_timer_stop(interrupted);
        }
        fathom_timer_stop(outer);
    }
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- threads ---- */

static int shared;
static pthread_barrier_t all;

static void *in_thread(void *unused)
{
    fathom_timer_get(&shared, "shared");
    pthread_barrier_wait(&all);
    for (int i = 0; i < EVENTS; i++) {
        fathom_timer_get(&shared, "shared");
        fathom_timer_start(shared);
        fathom_timer_stop(shared);
    }
    pthread_barrier_wait(&all);
    return unused;
}

static void with_threads(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, in_thread, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- the others ---- */

static void events(const char *name, int n)
{
    int t = 0;
    fathom_timer_get(&t, name);
    for (int i = 0; i < n; i++) {
        fathom_timer_start(t);
        fathom_timer_stop(t);
    }
}

static void with_child(void)
{
    events("parent's", 11);
    pid_t child = _Fork();
    if (child == 0) {
        events("parent's", 1000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void crossed(void)
{
    int a = 0, b = 0;
    fathom_timer_get(&a, "a");
    fathom_timer_get(&b, "b");
    fathom_timer_start(a);
    fathom_timer_start(b);
    fathom_timer_stop(a);
    fathom_timer_stop(b);
    events("b", 100);
}

static void with_names(void)
{
    char longer[200];
    events("a\nb", 3);
    events("a\tb", 4);
    events("*", 1);
    events("b\xff\xfe", 1);
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    events(longer, 2);
    longer[sizeof longer - 2] = 'y';
    events(longer, 2);
}

static void with_comms(void)
{
    MPI_Comm half, between;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    events("mine", 1 + rank);
    fathom_timers_report(stdout, MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 7, &between);
    fathom_timers_report(stdout, between);
    fathom_timers_report_comm(NULL, MPI_Comm_c2f(MPI_COMM_WORLD));
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    if (strcmp(what, "signals") == 0)
        with_signals();
    else if (strcmp(what, "threads") == 0)
        with_threads();
    else if (strcmp(what, "child") == 0)
        with_child();
    else if (strcmp(what, "crossed") == 0)
        crossed();
    else if (strcmp(what, "names") == 0)
        with_names();
    else
        with_comms();
    MPI_Finalize();
    fathom_timers_report_comm(stdout, 0); /* MPI is over: nothing */
    return 0;
}
