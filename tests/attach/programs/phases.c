/* Spends its time, seconds by its argument or until SIGUSR1, in three functions on after the other, 60, 30 and 10 % by the clock on the
 * wall, in as many threads as its second argument says. With a third one it also gets a signal 1,000 times a second
 * from a child, with a number each, and says if one was lost or came in another order. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Not to be one function for the compiler. */
#define PHASE(name, k)                                       \
    static __attribute__((noinline)) void name(double until) \
    {                                                        \
        volatile double sum = k;                             \
        while (now() < until)                                \
            for (int i = 0; i < 1000; i++)                   \
                sum += i;                                    \
    }
PHASE(ocean, 1)
PHASE(atmosphere, 2)
PHASE(coupler, 3)

static double seconds;
static volatile sig_atomic_t told_to_end;

static void end_early(int number)
{
    told_to_end = number;
}

static void *model(void *argument)
{
    const double period = 0.05;
    double start = now(), end = start + seconds;
    for (double t = start; t < end && !told_to_end; t += period) {
        ocean(t + 0.6 * period);
        atmosphere(t + 0.9 * period);
        coupler(t + period);
    }
    return argument;
}

static volatile sig_atomic_t got, wrong;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    wrong += info->si_value.sival_int != got;
    got++;
}

static int send_signals(int n)
{
    for (int i = 0; i < n; i++) {
        while (sigqueue(getppid(), SIGRTMIN, (union sigval){.sival_int = i}) != 0)
            usleep(100);
        usleep(1000);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 1, signals = argc > 3 ? atoi(argv[3]) : 0, status = 0;
    pthread_t threads[64];
    seconds = argc > 1 ? atof(argv[1]) : 1;
    sigaction(SIGRTMIN, &(struct sigaction){.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART}, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = end_early, .sa_flags = SA_RESTART}, NULL);
    pid_t child = signals ? fork() : -1;
    if (child == 0)
        _exit(send_signals(signals));
    sigset_t first; /* signals are for the first thread alone: their order is the sender's then */
    sigemptyset(&first);
    sigaddset(&first, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &first, NULL);
    for (int i = 1; i < n && i < 64; i++)
        pthread_create(&threads[i], NULL, model, NULL);
    pthread_sigmask(SIG_UNBLOCK, &first, NULL);
    model(NULL);
    for (int i = 1; i < n && i < 64; i++)
        pthread_join(threads[i], NULL);
    if (child > 0)
        while (waitpid(child, &status, 0) != child)
            ;
    printf("%d signals, %d wrong, status %d\n", (int)got, (int)wrong, status);
    return got == signals && !wrong ? 7 : 8;
}
