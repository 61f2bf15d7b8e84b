/* Threads and children, while it is sampled: children THEME. A child says what it has been left: a timer, a blocked
 * signal, a handler. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "raw_sleep.h"

extern char **environ;

static int timers(void)
{
    char line[200];
    int n = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    while (file && fgets(line, sizeof line, file))
        n += strncmp(line, "ID:", 3) == 0;
    if (file)
        fclose(file);
    return n;
}

static int blocked(void)
{
    sigset_t mask;
    int n = 0;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int s = 1; s <= SIGRTMAX; s++)
        n += sigismember(&mask, s) == 1;
    return n;
}

/* As the kernel has it: bits in a line of /proc/self/status. */
static int bits(const char *what)
{
    char line[200];
    unsigned long long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            value = strtoull(line + strlen(what), NULL, 16);
    if (file)
        fclose(file);
    return __builtin_popcountll(value >> 33); /* real-time signals that the program may use */
}

static int report(void)
{
    char text[200];
    struct timespec time = {0, 3000000};
    int broken = raw_sleep(&time);
    int n = snprintf(text, sizeof text, "%d timers, %d blocked, %d caught, %d ignored, %d pending, sleep %d\n",
                     timers(), blocked(), bits("SigCgt:"), bits("SigIgn:"), bits("SigPnd:"), broken);
    return write(1, text, (size_t)n) == n ? 0 : 1;
}

static void wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        printf("child ended with %d\n", status);
}

static void forks(char *self)
{
    char *words[] = {self, "report", NULL};
    char command[PATH_MAX + 20];
    pid_t child;
    snprintf(command, sizeof command, "%s report", self);
    for (int i = 0; i < 3; i++) {
        if ((child = fork()) == 0)
            _exit(report());
        wait_for(child);
        if ((child = _Fork()) == 0)
            execv(self, words);
        wait_for(child);
        if ((child = vfork()) == 0) {
            execv(self, words);
            _exit(1);
        }
        wait_for(child);
        if (posix_spawn(&child, self, NULL, NULL, words, environ) != 0)
            abort();
        wait_for(child);
        if (system(command) != 0)
            abort();
        char line[200];
        FILE *out = popen(command, "r");
        while (fgets(line, sizeof line, out))
            fputs(line, stdout);
        pclose(out);
        fflush(stdout);
    }
    /* what a handler sees that a child of fork asks for, and what it sets */
    if ((child = fork()) == 0) {
        struct sigaction action;
        int defaults = 0;
        for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
            defaults += sigaction(s, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
        printf("%d defaults\n", defaults);
        fflush(stdout);
        _exit(0);
    }
    wait_for(child);
    unsetenv("FATHOM_NAMED"); /* or what comes now is measured too */
    execv(self, words);
}

/* ---- threads ---- */

static pthread_key_t key;
static int destroyed, cleaned;

static void destroy(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
}

static void clean(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

static void *work(void *data)
{
    long kind = (long)data;
    jmp_buf buffer;
    pthread_setspecific(key, &key);
    pthread_cleanup_push(clean, NULL);
    if (setjmp(buffer) == 0)
        longjmp(buffer, 1);
    for (volatile int i = 0; i < 50000; i++)
        ;
    if (kind % 4 == 1)
        pthread_exit(data);
    if (kind % 4 == 2)
        pthread_cancel(pthread_self());
    if (kind % 4 == 2)
        sleep(100);
    pthread_cleanup_pop(1);
    return data;
}

static int c11_work(void *data)
{
    return (int)(long)data + 1;
}

static void threads(void)
{
    int good = 0, before = timers();
    pthread_attr_t small, detached;
    pthread_key_create(&key, destroy);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < 4000; i += 8) {
        pthread_t ids[8];
        for (long k = 0; k < 8; k++)
            if (pthread_create(&ids[k], k % 2 ? &small : NULL, work, (void *)(i + k)) != 0)
                abort();
        for (long k = 0; k < 8; k++) {
            void *result;
            pthread_join(ids[k], &result);
            good += result == ((i + k) % 4 == 2 ? PTHREAD_CANCELED : (void *)(i + k));
        }
        pthread_t one;
        pthread_create(&one, &detached, work, NULL);
        thrd_t c11;
        int result = 0;
        thrd_create(&c11, c11_work, (void *)i);
        thrd_join(c11, &result);
        good += result == i + 1;
    }
    while (__atomic_load_n(&destroyed, __ATOMIC_RELAXED) < 4500)
        usleep(1000);
    printf("%d good, %d destroyed, %d cleaned\n", good, destroyed, cleaned);
    /* the last detached threads may still be at their end */
    for (int i = 0; i < 1000 && timers() != before; i++)
        usleep(1000);
    printf("%d timers too many\n", timers() - before);
}

static atomic_int ready, go;

static void *stand(void *unused)
{
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&go))
        usleep(1000);
    return unused;
}

/* More than can be sampled. */
static void many(void)
{
    enum { MANY = 600 };
    static pthread_t ids[MANY];
    int made = 0, before = timers();
    for (int i = 0; i < MANY; i++)
        made += pthread_create(&ids[i], NULL, stand, NULL) == 0;
    while (atomic_load(&ready) < made)
        usleep(1000);
    atomic_store(&go, 1);
    for (int i = 0; i < made; i++)
        pthread_join(ids[i], NULL);
    printf("%d threads, %d timers too many\n", made, timers() - before);
}

/* ---- threads that do nothing, or block all signals ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static void *stand_idle(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&go))
        pthread_cond_wait(&woken, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void idle(void)
{
    enum { IDLE = 200 };
    static pthread_t ids[IDLE];
    for (int i = 0; i < IDLE; i++)
        if (pthread_create(&ids[i], NULL, stand_idle, NULL) != 0)
            abort();
    usleep(500000);
    pthread_mutex_lock(&mutex);
    atomic_store(&go, 1);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < IDLE; i++)
        pthread_join(ids[i], NULL);
    printf("done\n");
}

static void spin_ms(int ms)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void *spin(void *unused)
{
    spin_ms(50);
    return unused;
}

static void deaf(void)
{
    sigset_t all, before;
    pthread_t id;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&id, NULL, spin, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_join(id, NULL);
    printf("done\n");
}

/* ---- a child with the same memory and the same handlers, which only asks for them ---- */

static int ask(void *unused)
{
    (void)unused;
    int handlers = 0;
    for (int i = 1; i <= SIGRTMAX; i++) {
        struct sigaction action;
        handlers += sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    }
    return handlers;
}

static void shared(void)
{
    static _Alignas(16) char stack[65536];
    int status = 0;
    pid_t child = clone(ask, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | SIGCHLD, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    spin_ms(50);
    printf("%d handlers\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const char *theme = argc > 1 ? argv[1] : "";
    if (strcmp(theme, "report") == 0)
        return report();
    if (strcmp(theme, "forks") == 0)
        forks(argv[0]);
    if (strcmp(theme, "threads") == 0)
        threads();
    if (strcmp(theme, "many") == 0)
        many();
    if (strcmp(theme, "idle") == 0)
        idle();
    if (strcmp(theme, "deaf") == 0)
        deaf();
    if (strcmp(theme, "shared") == 0)
        shared();
    return 0;
}
