/* Calls that a signal of the program is to end, over and over, while it is sampled: ended_waits THEME [CALLS]. Says how many
 * it did not end at once, and how many ended otherwise. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int broken, partial;

static struct {
    int empty[2], socket[2], server, locked, queue;
    FILE *stream;
    pid_t child;
    sem_t never;
    char fifo[64];
} waited;

/* Shared with the child: the call that the parent makes now, and the last one that has ended, both from 1 on. */
static volatile int *begun, *over;

static bool is_asleep(pid_t process)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *state = n ? strrchr(text, ')') : NULL;
    return state && state[2] == 'S';
}

/* The child ends each call of its parent by one signal, when that is asleep in it. If the call goes on, a second signal
 * half a second later saves it from waiting for ever. */
static void end_waits(void)
{
    const pid_t parent = getppid();
    for (int call = 1;; call++) {
        while (*begun != call || !is_asleep(parent))
            if (getppid() != parent)
                _exit(0);
        usleep((useconds_t)(call % 40 * 10));
        while (*over != call) {
            kill(parent, SIGALRM);
            for (int i = 0; i < 5000 && *over != call && getppid() == parent; i++)
                usleep(100);
        }
    }
}

/* What another process has locked: the child, which waits for its end. */
static void make_endless_waits(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char name[64], done;
    int ready[2];
    snprintf(name, sizeof name, "/fathom-waits-%d", (int)getpid());
    snprintf(waited.fifo, sizeof waited.fifo, "fifo-%d", (int)getpid());
    waited.server = socket(AF_INET, SOCK_STREAM, 0);
    waited.queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    waited.locked = open("locked", O_CREAT | O_RDWR, 0600);
    if (pipe(waited.empty) || pipe(ready) || socketpair(AF_UNIX, SOCK_STREAM, 0, waited.socket) ||
        sem_init(&waited.never, 0, 0) || bind(waited.server, (void *)&address, sizeof address) ||
        listen(waited.server, 1) || waited.queue < 0 || waited.locked < 0 || mkfifo(waited.fifo, 0600))
        abort();
    mq_unlink(name);
    waited.stream = fdopen(waited.empty[0], "r");
    waited.child = fork();
    if (waited.child == 0) {
        struct flock all = {.l_type = F_WRLCK};
        int fd = open("locked", O_RDWR);
        if (flock(fd, LOCK_EX) || fcntl(fd, F_SETLKW, &all) || write(ready[1], "", 1) != 1)
            abort();
        end_waits();
    }
    if (read(ready[0], &done, 1) != 1)
        abort();
}

static int wait_endlessly(int kind)
{
    struct flock all = {.l_type = F_WRLCK};
    char byte[8];
    switch (kind) {
    case 0:
        return (int)read(waited.empty[0], byte, 1);
    case 1:
        return (int)recv(waited.socket[0], byte, 1, 0);
    case 2:
        return accept(waited.server, NULL, NULL);
    case 3:
        return waitpid(waited.child, NULL, 0);
    case 4:
        return flock(waited.locked, LOCK_EX);
    case 5:
        return fcntl(waited.locked, F_SETLKW, &all);
    case 6:
        return sem_wait(&waited.never);
    case 7:
        return (int)mq_receive(waited.queue, byte, sizeof byte, NULL);
    case 8:
        return open(waited.fifo, O_RDONLY);
    case 9:
        return fgets(byte, sizeof byte, waited.stream) ? 0 : -1;
    default:
        return fopen(waited.fifo, "r") ? 0 : -1;
    }
}

static volatile sig_atomic_t alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

/* Kinds of calls from `first` on, `kinds` of them. */
static void ended(int calls, int first, int kinds)
{
    const struct sigaction action = {.sa_handler = count_alarm};
    begun = mmap(NULL, 2 * sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    over = begun + 1;
    sigaction(SIGALRM, &action, NULL);
    make_endless_waits();
    for (int i = 0; i < calls; i++) {
        alarms = 0;
        *begun = i + 1;
        partial += wait_endlessly(first + i % kinds) != -1 || errno != EINTR;
        *over = i + 1;
        clearerr(waited.stream);
        broken += alarms != 1;
    }
    kill(waited.child, SIGKILL);
    unlink(waited.fifo);
}

int main(int argc, char **argv)
{
    const char *theme = argc > 1 ? argv[1] : "";
    int calls = argc > 2 ? atoi(argv[2]) : 1000;
    if (strcmp(theme, "ended") == 0)
        ended(calls, 0, 9);
    if (strcmp(theme, "ended-stdio") == 0)
        ended(calls, 9, 2);
    printf("%s: %d broken, %d wrong, 0 early\n", theme, broken, partial);
    return 0;
}
