/* Sleeps in functions of the C library until its standard input ends: each in a thread of its own, below a function named
 * after it. Functions that hold their return address in a register as they sleep are not among them (semop,
 * pthread_rwlock_*, on aarch64): nobody can tell from outside who has called them. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec long_time = {1000000, 0};
static struct timespec end; /* far away */
static sigset_t blocked;
static int queue, full_queue, pair[2], epoll_fd;
static sem_t semaphore;
static pid_t child;
static pthread_t forever;
static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t timed_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static struct {
    long type;
    char text[1];
} message = {1, "x"};
static char byte;

/* What is left behind for the result to be used, so that the call is not the last thing in its function. */
static volatile long results;

#define IN(name, call)                                \
    static __attribute__((noinline)) void *name(void) \
    {                                                 \
        results += (long)(call);                      \
        return NULL;                                  \
    }
IN(in_poll, poll(NULL, 0, -1))
IN(in_ppoll, ppoll(NULL, 0, NULL, NULL))
IN(in_select, select(0, NULL, NULL, NULL, NULL))
IN(in_pselect, pselect(0, NULL, NULL, NULL, NULL, NULL))
IN(in_epoll_wait, epoll_wait(epoll_fd, &(struct epoll_event){0}, 1, -1))
IN(in_nanosleep, nanosleep(&long_time, NULL))
IN(in_clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL))
IN(in_sleep, sleep(1000000))
IN(in_pause, pause())
IN(in_sigsuspend, sigsuspend(&blocked))
IN(in_sigwait, sigwait(&blocked, &(int){0}))
IN(in_sigwaitinfo, sigwaitinfo(&blocked, NULL))
IN(in_sigtimedwait, sigtimedwait(&blocked, NULL, &long_time))
IN(in_sem_wait, sem_wait(&semaphore))
IN(in_sem_timedwait, sem_timedwait(&semaphore, &end))
IN(in_msgrcv, msgrcv(queue, &message, 1, 0, 0))
IN(in_msgsnd, msgsnd(full_queue, &message, 1, 0))
IN(in_recv, recv(pair[0], &byte, 1, 0))
IN(in_recvmsg, recvmsg(pair[0], &(struct msghdr){0}, MSG_PEEK))
IN(in_waitpid, waitpid(child, NULL, 0))
IN(in_waitid, waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT))
IN(in_pthread_join, pthread_join(forever, NULL))
IN(in_pthread_mutex_lock, pthread_mutex_lock(&taken))
IN(in_pthread_barrier_wait, pthread_barrier_wait(&barrier))
IN(in_pthread_cond_wait, (pthread_mutex_lock(&mutex), pthread_cond_wait(&condition, &mutex)))
IN(in_pthread_cond_timedwait,
   (pthread_mutex_lock(&timed_mutex), pthread_cond_timedwait(&condition, &timed_mutex, &end)))
IN(in_read, read(STDIN_FILENO, &byte, 1))

static void *(*const kinds[])(void) = {
    in_poll,
    in_ppoll,
    in_select,
    in_pselect,
    in_epoll_wait,
    in_nanosleep,
    in_clock_nanosleep,
    in_sleep,
    in_pause,
    in_sigsuspend,
    in_sigwait,
    in_sigwaitinfo,
    in_sigtimedwait,
    in_sem_wait,
    in_sem_timedwait,
    in_msgrcv,
    in_msgsnd,
    in_recv,
    in_recvmsg,
    in_waitpid,
    in_waitid,
    in_pthread_join,
    in_pthread_mutex_lock,
    in_pthread_barrier_wait,
    in_pthread_cond_wait,
    in_pthread_cond_timedwait,
};

static void *sleep_in(void *kind)
{
    void *result = (*(void *(*const *)(void))kind)();
    results++;
    return result;
}

static void prepare(void)
{
    end = (struct timespec){time(NULL) + 1000000, 0};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    queue = msgget(IPC_PRIVATE, 0600);
    full_queue = msgget(IPC_PRIVATE, 0600);
    while (msgsnd(full_queue, &message, 1, IPC_NOWAIT) == 0)
        ;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    epoll_fd = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&taken);
    pthread_barrier_init(&barrier, NULL, 2);
    child = fork();
    if (child == 0) {
        read(STDIN_FILENO, &byte, 1);
        _exit(0);
    }
}

int main(void)
{
    pthread_t thread;
    prepare();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pthread_create(&thread, NULL, sleep_in, (void *)&kinds[i]);
        if (kinds[i] == in_poll)
            forever = thread;
    }
    in_read();
    msgctl(queue, IPC_RMID, NULL);
    msgctl(full_queue, IPC_RMID, NULL);
    _exit(0);
}
