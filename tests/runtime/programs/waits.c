/* Waits in libc, over and over, while it is sampled: waits THEME [CALLS]. Says how many were broken by a signal that the
 * program knows nothing of, how many did a part of their work only, and how many ended before their time. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "raw_sleep.h"

enum { WAIT_NS = 600000, BLOCK = 200000 };
static const struct timespec wait_time = {0, WAIT_NS};
static int broken, partial, early;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct timespec after(clockid_t clock, long ns)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ns;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* A call that must end by its limit of time and with this result. */
static void timed_out(int result, int wanted, int error, long long started, long ns)
{
    if (result < 0 && errno == EINTR)
        broken++;
    else if (result != wanted || (wanted < 0 && errno != error))
        partial++;
    if (now_ns() - started < ns)
        early++;
}

/* ---- waits for a time ---- */

static void do_poll(void)
{
    long long t = now_ns();
    timed_out(poll(NULL, 0, 1), 0, 0, t, 1000000);
}

static void do_poll_now(void)
{
    for (int i = 0; i < 300; i++)
        timed_out(poll(NULL, 0, 0), 0, 0, 0, 0);
}

static void do_ppoll(void)
{
    sigset_t none;
    sigemptyset(&none);
    long long t = now_ns();
    timed_out(ppoll(NULL, 0, &wait_time, NULL), 0, 0, t, WAIT_NS);
    t = now_ns();
    timed_out(ppoll(NULL, 0, &wait_time, &none), 0, 0, t, WAIT_NS);
}

/* Linux says how much is left: nothing. */
static void do_select(void)
{
    struct timeval time = {0, WAIT_NS / 1000}, no_time = {0, 0};
    long long t = now_ns();
    timed_out(select(0, NULL, NULL, NULL, &time), 0, 0, t, WAIT_NS);
    partial += time.tv_sec || time.tv_usec;
    for (int i = 0; i < 100; i++)
        timed_out(select(0, NULL, NULL, NULL, &no_time), 0, 0, 0, 0);
}

static void do_pselect(void)
{
    long long t = now_ns();
    timed_out(pselect(0, NULL, NULL, NULL, &wait_time, NULL), 0, 0, t, WAIT_NS);
}

static void do_epoll(void)
{
    static int fd = -1;
    struct epoll_event event;
    if (fd < 0)
        fd = epoll_create1(0);
    long long t = now_ns();
    timed_out(epoll_wait(fd, &event, 1, 1), 0, 0, t, 0);
    timed_out(epoll_pwait(fd, &event, 1, 1, NULL), 0, 0, t, 0);
    t = now_ns();
    timed_out(epoll_pwait2(fd, &event, 1, &wait_time, NULL), 0, 0, t, WAIT_NS);
    for (int i = 0; i < 100; i++)
        timed_out(epoll_wait(fd, &event, 1, 0), 0, 0, 0, 0);
}

static void do_nanosleep(void)
{
    struct timespec rest = {7, 7};
    long long t = now_ns();
    timed_out(nanosleep(&wait_time, &rest), 0, 0, t, WAIT_NS);
    partial += rest.tv_sec != 7 || rest.tv_nsec != 7;
}

static void do_clock_nanosleep(void)
{
    struct timespec until = after(CLOCK_MONOTONIC, WAIT_NS);
    long long t = now_ns();
    broken += clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR;
    timed_out(0, 0, 0, t, WAIT_NS - 100000);
}

static void do_usleep(void)
{
    long long t = now_ns();
    timed_out(usleep(WAIT_NS / 1000), 0, 0, t, WAIT_NS);
}

static void do_sleep(void)
{
    long long t = now_ns();
    timed_out((int)sleep(1), 0, 0, t, 1000000000);
}

static void do_thrd_sleep(void)
{
    long long t = now_ns();
    broken += thrd_sleep(&wait_time, NULL) != 0;
    timed_out(0, 0, 0, t, WAIT_NS);
}

static void do_sem(void)
{
    static sem_t semaphore;
    struct timespec until = after(CLOCK_REALTIME, WAIT_NS);
    timed_out(sem_timedwait(&semaphore, &until), -1, ETIMEDOUT, 0, 0);
    until = after(CLOCK_MONOTONIC, WAIT_NS);
    timed_out(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until), -1, ETIMEDOUT, 0, 0);
}

static void do_semtimedop(void)
{
    static int set = -1;
    if (set < 0) {
        set = semget(IPC_PRIVATE, 1, 0600);
        semctl(set, 0, SETVAL, 0);
    }
    struct sembuf take = {0, -1, 0}, give = {0, 1, 0}, test = {0, 0, 0};
    long long t = now_ns();
    timed_out(semtimedop(set, &take, 1, &wait_time), -1, EAGAIN, t, WAIT_NS);
    timed_out(semop(set, &give, 1), 0, 0, 0, 0);
    timed_out(semop(set, &take, 1), 0, 0, 0, 0);
    timed_out(semop(set, &test, 1), 0, 0, 0, 0);
}

/* ---- waits for another thread ---- */

static int queue, pair[2], feeds;

static void *send_messages(void *unused)
{
    struct {
        long type;
        char text[8];
    } message = {1, "hello"};
    for (int i = 0; i < feeds; i++) {
        usleep(WAIT_NS / 1000);
        timed_out(msgsnd(queue, &message, sizeof message.text, 0), 0, 0, 0, 0);
    }
    return unused;
}

static void messages(int calls)
{
    pthread_t thread;
    struct {
        long type;
        char text[8];
    } message;
    queue = msgget(IPC_PRIVATE, 0600);
    feeds = calls;
    pthread_create(&thread, NULL, send_messages, NULL);
    for (int i = 0; i < calls; i++)
        timed_out((int)msgrcv(queue, &message, sizeof message.text, 0, 0), 8, 0, 0, 0);
    pthread_join(thread, NULL);
    msgctl(queue, IPC_RMID, NULL);
}

/* Reads slowly, so that the writer is interrupted in the middle. */
static void *drain(void *unused)
{
    static char buffer[BLOCK];
    for (long left = (long)feeds * BLOCK, n; left > 0; left -= n) {
        n = read(pair[0], buffer, 30000);
        if (n <= 0)
            abort();
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    return unused;
}

static char block[BLOCK];

static long by_write(void)
{
    return write(pair[1], block, BLOCK);
}

static long by_writev(void)
{
    struct iovec parts[] = {{block, 1000}, {block + 1000, BLOCK - 1000}};
    return writev(pair[1], parts, 2);
}

static long by_pwritev2(void)
{
    struct iovec part = {block, BLOCK};
    return pwritev2(pair[1], &part, 1, -1, 0);
}

static long by_send(void)
{
    return send(pair[1], block, BLOCK, 0);
}

static long by_sendto(void)
{
    return sendto(pair[1], block, BLOCK, 0, NULL, 0);
}

static long by_sendmsg(void)
{
    struct iovec part = {block, BLOCK};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return sendmsg(pair[1], &message, 0);
}

static void writes(int calls, long (*one)(void), int is_socket)
{
    pthread_t thread;
    if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, pair) : pipe(pair)) != 0)
        abort();
    feeds = calls;
    pthread_create(&thread, NULL, drain, NULL);
    for (int i = 0; i < calls; i++) {
        long n = one();
        broken += n < 0 && errno == EINTR;
        for (partial += n >= 0 && n < BLOCK; n < BLOCK;)
            n += write(pair[1], block + n, (size_t)(BLOCK - n));
    }
    pthread_join(thread, NULL);
}

static void *feed(void *unused)
{
    for (int i = 0; i < feeds; i++)
        for (int part = 0; part < 4; part++) {
            usleep(300);
            if (write(pair[1], block, 1000) != 1000)
                abort();
        }
    return unused;
}

enum { TERMINAL_BYTES = 10 };
static void *feed_bytes(void *data)
{
    (void)data;
    for (int i = 0; i < feeds * TERMINAL_BYTES; i++) {
        nanosleep(&wait_time, NULL);
        (void)!write(pair[1], "x", 1);
    }
    return NULL;
}

static void receive_all(int calls)
{
    pthread_t thread;
    static char buffer[4000];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    feeds = calls;
    pthread_create(&thread, NULL, feed, NULL);
    for (int i = 0; i < calls; i++) {
        long n = recv(pair[0], buffer, sizeof buffer, MSG_WAITALL);
        broken += n < 0;
        partial += n != (long)sizeof buffer;
        for (n = n < 0 ? 0 : n; n < (long)sizeof buffer;)
            n += recv(pair[0], buffer, sizeof buffer - (size_t)n, 0);
    }
    pthread_join(thread, NULL);
}

/* So many bytes are waited for, and then for a time. */
static void terminal(int calls)
{
    pthread_t thread;
    struct termios mode;
    char buffer[64];
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(master);
    unlockpt(master);
    pair[0] = open(ptsname(master), O_RDWR | O_NOCTTY);
    pair[1] = master;
    tcgetattr(pair[0], &mode);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = TERMINAL_BYTES;
    mode.c_cc[VTIME] = 0;
    tcsetattr(pair[0], TCSANOW, &mode);
    feeds = calls;
    pthread_create(&thread, NULL, feed_bytes, NULL);
    for (int i = 0; i < calls; i++)
        partial += read(pair[0], buffer, TERMINAL_BYTES) != TERMINAL_BYTES;
    pthread_join(thread, NULL);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 1;
    tcsetattr(pair[0], TCSAFLUSH, &mode);
    alarm(60); /* it would never end */
    partial += read(pair[0], buffer, 1) != 0;
}

static void receive_some(int calls)
{
    pthread_t thread;
    char buffer[64];
    int bytes = TERMINAL_BYTES;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
    feeds = calls;
    pthread_create(&thread, NULL, feed_bytes, NULL);
    for (int i = 0; i < calls; i++)
        partial += recv(pair[0], buffer, TERMINAL_BYTES, 0) != TERMINAL_BYTES;
    pthread_join(thread, NULL);
}

/* A limit of time, also by way of a copy of the descriptor and of a connection that was accepted. */
static void limits(int calls)
{
    struct timeval limit = {0, 1000};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct iovec part = {block, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&address, sizeof address);
    getsockname(listener, (struct sockaddr *)&address, &length);
    listen(listener, 1);
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (int i = 0; i < calls / 4; i++)
        timed_out(accept(listener, NULL, NULL), -1, EAGAIN, 0, 0);
    connect(client, (struct sockaddr *)&address, sizeof address);
    int server = accept(listener, NULL, NULL), fds[] = {server, dup(server), fcntl(server, F_DUPFD, 10), 0};
    fds[3] = dup2(server, 50);
    for (int i = 0; i < calls; i++) {
        int fd = fds[i % 4];
        long n = i % 5 == 0   ? recv(fd, block, 1, 0)
                 : i % 5 == 1 ? read(fd, block, 1)
                 : i % 5 == 2 ? recvfrom(fd, block, 1, 0, NULL, NULL)
                 : i % 5 == 3 ? recvmsg(fd, &message, 0)
                              : readv(fd, &part, 1);
        timed_out((int)n, -1, EAGAIN, 0, 0);
    }
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    while (send(client, block, BLOCK, 0) > 0)
        ;
    for (int i = 0; i < calls / 4; i++) /* now and then there is room */
        broken += (i % 2 ? send(client, block, 1, 0) : write(client, block, 1)) < 0 && errno == EINTR;
}

static void do_random(void)
{
    static char buffer[2000000];
    partial += getrandom(buffer, sizeof buffer, 0) != sizeof buffer;
}

/* A device gives piece by piece, and looks for signals in between. */
static void do_read(void)
{
    static char buffer[4000000];
    static int device = -1;
    if (device < 0 && (device = open("/dev/urandom", O_RDONLY)) < 0)
        abort();
    partial += read(device, buffer, sizeof buffer) != sizeof buffer;
}

static void do_fallocate(void)
{
    static int file = -1;
    if (file < 0 && (file = memfd_create("waits", 0)) < 0)
        abort();
    broken += posix_fallocate(file, 0, 8000000) != 0;
    broken += ftruncate(file, 0) != 0;
}

static void nothing(int signal)
{
    (void)signal;
}

/* Waits for a signal, and for no other. */
static void do_sigpause(void)
{
    const struct itimerval soon = {.it_value.tv_usec = 1000};
    long long t = now_ns();
    signal(SIGALRM, nothing);
    sighold(SIGALRM);
    setitimer(ITIMER_REAL, &soon, NULL);
    partial += sigpause(SIGALRM) != -1 || errno != EINTR;
    early += now_ns() - t < 900000;
    sigrelse(SIGALRM);
}

/* A wrong address is an error, and no end of the program. */
static void do_wrong(void)
{
    struct iovec *nowhere = (struct iovec *)16;
    partial += writev(1, nowhere, 2) != -1 || errno != EFAULT;
    partial += readv(0, nowhere, 2) != -1 || (errno != EFAULT && errno != EBADF);
    sigset_t *no_mask = (sigset_t *)16;
    struct timespec at_once = {0};
    partial += ppoll(NULL, 0, &at_once, no_mask) != -1 || errno != EFAULT;
    partial += pselect(0, NULL, NULL, NULL, &at_once, no_mask) != -1 || errno != EFAULT;
    partial += sigsuspend(no_mask) != -1 || errno != EFAULT;
    partial += sigtimedwait(no_mask, NULL, &at_once) != -1 || errno != EFAULT;
    partial += signalfd(-1, no_mask, 0) != -1 || errno != EFAULT;
}

/* The limit that is documented: what goes past libc. It shows that samples do come. */
static void do_raw(void)
{
    struct timespec time = wait_time;
    broken += raw_sleep(&time);
}

/* ---- cancellation ---- */

static void *wait_long(void *data)
{
    struct timespec time = {1000, 0};
    char byte;
    switch (*(int *)data % 6) {
    case 0:
        nanosleep(&time, NULL);
        break;
    case 1:
        poll(NULL, 0, -1);
        break;
    case 2:
        select(0, NULL, NULL, NULL, NULL);
        break;
    case 3:
        pause();
        break;
    case 4:
        (void)!read(pair[0], &byte, 1);
        break;
    default:
        sleep(1000);
    }
    return data;
}

static void cancellation(int calls)
{
    if (pipe(pair) != 0)
        abort();
    for (int i = 0; i < calls; i++) {
        pthread_t thread;
        void *result;
        int kind = i;
        pthread_create(&thread, NULL, wait_long, &kind);
        usleep(500);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        partial += result != PTHREAD_CANCELED;
    }
}

static void repeat(void (*one)(void), int calls)
{
    for (int i = 0; i < calls; i++)
        one();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*one)(void);
    } themes[] = {{"poll", do_poll},
                  {"poll-now", do_poll_now},
                  {"ppoll", do_ppoll},
                  {"select", do_select},
                  {"pselect", do_pselect},
                  {"epoll", do_epoll},
                  {"nanosleep", do_nanosleep},
                  {"clock_nanosleep", do_clock_nanosleep},
                  {"usleep", do_usleep},
                  {"sleep", do_sleep},
                  {"thrd_sleep", do_thrd_sleep},
                  {"sem", do_sem},
                  {"semtimedop", do_semtimedop},
                  {"random", do_random},
                  {"read", do_read},
                  {"fallocate", do_fallocate},
                  {"sigpause", do_sigpause},
                  {"wrong", do_wrong},
                  {"raw", do_raw}};
    const char *theme = argc > 1 ? argv[1] : "";
    int calls = argc > 2 ? atoi(argv[2]) : 1000;
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        if (strcmp(theme, themes[i].name) == 0)
            repeat(themes[i].one, calls);
    if (strcmp(theme, "messages") == 0)
        messages(calls);
    if (strcmp(theme, "write") == 0)
        writes(calls, by_write, 0);
    if (strcmp(theme, "writev") == 0)
        writes(calls, by_writev, 0);
    if (strcmp(theme, "send") == 0)
        writes(calls, by_send, 1);
    if (strcmp(theme, "sendto") == 0)
        writes(calls, by_sendto, 1);
    if (strcmp(theme, "sendmsg") == 0)
        writes(calls, by_sendmsg, 1);
    if (strcmp(theme, "receive-all") == 0)
        receive_all(calls);
    if (strcmp(theme, "receive-some") == 0)
        receive_some(calls);
    if (strcmp(theme, "terminal") == 0)
        terminal(calls);
    if (strcmp(theme, "pwritev2") == 0)
        writes(calls, by_pwritev2, 0);
    if (strcmp(theme, "limits") == 0)
        limits(calls);
    if (strcmp(theme, "cancellation") == 0)
        cancellation(calls);
    printf("%s: %d broken, %d wrong, %d early\n", theme, broken, partial, early);
    return 0;
}
