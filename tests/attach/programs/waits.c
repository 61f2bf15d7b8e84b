/* Sleeps for seconds (its argument) in every kind of system call that sleeps, each in a thread of its own, and prints how
 * many of them ended with EINTR, which they never should. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct timespec ms = {0, 1000000};
static int epoll_fd, receiver, semaphores;
static sem_t semaphore;
static sigset_t blocked;

static int call_poll(void)
{
    return poll(NULL, 0, 1);
}

static int call_select(void)
{
    return select(0, NULL, NULL, NULL, &(struct timeval){0, 1000});
}

static int call_nanosleep(void)
{
    return nanosleep(&ms, NULL);
}

static int call_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(epoll_fd, &event, 1, 1);
}

static int call_futex(void)
{
    static int word;
    return (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ms, NULL, 0);
}

static int call_semaphore(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return sem_timedwait(&semaphore, &until);
}

static int call_semop(void)
{
    struct sembuf down = {.sem_op = -1};
    return semtimedop(semaphores, &down, 1, &ms);
}

static int call_sigtimedwait(void)
{
    return sigtimedwait(&blocked, NULL, &ms);
}

static int call_recv(void)
{
    char byte;
    return (int)recv(receiver, &byte, 1, 0);
}

static struct kind {
    const char *name;
    int (*call)(void);
    long calls, interrupted;
} kinds[] = {
    {"poll", call_poll, 0, 0},           {"select", call_select, 0, 0},
    {"nanosleep", call_nanosleep, 0, 0}, {"epoll_wait", call_epoll, 0, 0},
    {"futex", call_futex, 0, 0},         {"sem_timedwait", call_semaphore, 0, 0},
    {"semtimedop", call_semop, 0, 0},    {"sigtimedwait", call_sigtimedwait, 0, 0},
    {"recv", call_recv, 0, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static time_t end;
enum { ENOUGH = 100 };

static void *sleep_often(void *argument)
{
    struct kind *kind = argument;
    while (time(NULL) < end || kind->calls <= ENOUGH) {
        kind->calls++;
        kind->interrupted += kind->call() < 0 && errno == EINTR;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[KINDS];
    int pair[2];
    end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
    epoll_fd = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 1000}, sizeof(struct timeval));
    receiver = pair[0];
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    for (int i = 0; i < KINDS; i++)
        pthread_create(&threads[i], NULL, sleep_often, &kinds[i]);
    for (int i = 0; i < KINDS; i++)
        pthread_join(threads[i], NULL);
    semctl(semaphores, 0, IPC_RMID);
    for (int i = 0; i < KINDS; i++)
        printf("%s %d %ld\n", kinds[i].name, kinds[i].calls > ENOUGH, kinds[i].interrupted);
    return 0;
}
