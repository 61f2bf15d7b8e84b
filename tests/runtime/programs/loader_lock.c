/* Calls functions by their names, each for the first time, while another thread holds the loader's lock:
 *
 *     loader_lock WHEN CREATOR NAMES PLUGIN [FIRST [LIBRARY]]
 *
 * WHEN is `constructor` or `destructor` (of the plug-in, which waits for the thread that calls), or `fork` or `clone` (a
 * child calls, made while a thread of its parent is in the plug-in's constructor). CREATOR is the function that starts
 * threads, NAMES a file with a name on each line. FIRST is called before all that, LIBRARY is loaded privately first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef long any_function(long, long, long, long, long, long, long, long);

/* ---- what is called ---- */

static void *nothing(void *argument)
{
    return argument;
}

static sigset_t no_signals, one_signal;
static sem_t posted;
static struct timespec no_time;
static struct timeval no_time_left;
static char room[1024]; /* whatever is asked for */
static char *read_line;
static size_t read_room;
static pthread_t thread;
static thrd_t thrd;

#define P(x) (long)&(x)
enum { BAD_FD = -1, ABSENT = -1, STREAM = 0x5712ea }; /* STREAM: one of its own for each call */

/* Arguments with which a function returns at once. */
static const struct call {
    const char *name;
    long arguments[8];
} calls[] = {
    {"sigaddset", {P(one_signal), SIGUSR1}},
    {"sigaltstack", {0, P(room)}},
    {"signalfd", {BAD_FD, P(no_signals), 0}},
    {"pthread_create", {P(thread), 0, (long)nothing, 0}},
    {"thrd_create", {P(thrd), (long)nothing, 0}},
    {"nanosleep", {P(no_time)}},
    {"clock_nanosleep", {CLOCK_MONOTONIC, 0, P(no_time)}},
    {"usleep", {0}},
    {"sleep", {0}},
    {"thrd_sleep", {P(no_time)}},
    {"sem_timedwait", {P(posted), P(no_time)}},
    {"sem_clockwait", {P(posted), CLOCK_MONOTONIC, P(no_time)}},
    {"msgrcv", {ABSENT, P(room), 8}},
    {"msgsnd", {ABSENT, P(room), 8}},
    {"semop", {ABSENT, P(room), 1}},
    {"semtimedop", {ABSENT, P(room), 1, P(no_time)}},
    {"pause", {0}}, /* these end by the timer */
    {"sigsuspend", {P(no_signals)}},
    {"sigpause", {0}},
    {"__xpg_sigpause", {SIGUSR1}},
    {"fallocate", {BAD_FD, 0, 0, 8}},
    {"fallocate64", {BAD_FD, 0, 0, 8}},
    {"posix_fallocate", {BAD_FD, 0, 8}},
    {"posix_fallocate64", {BAD_FD, 0, 8}},
    {"aio_suspend", {P(room), 0, P(no_time)}},
    {"aio_suspend64", {P(room), 0, P(no_time)}},
    {"gai_suspend", {P(room), 0, P(no_time)}},
    {"connect", {BAD_FD, P(room), 16}},
    {"recv", {BAD_FD, P(room), 8}},
    {"__recv_chk", {BAD_FD, P(room), 8, sizeof room}},
    {"recvfrom", {BAD_FD, P(room), 8}},
    {"__recvfrom_chk", {BAD_FD, P(room), 8, sizeof room}},
    {"recvmsg", {BAD_FD, P(room)}},
    {"recvmmsg", {BAD_FD, P(room), 1}},
    {"read", {BAD_FD, P(room), 8}},
    {"__read_chk", {BAD_FD, P(room), 8, sizeof room}},
    {"readv", {BAD_FD, P(room), 1}},
    {"pread", {BAD_FD, P(room), 8}},
    {"pread64", {BAD_FD, P(room), 8}},
    {"__pread_chk", {BAD_FD, P(room), 8, 0, sizeof room}},
    {"__pread64_chk", {BAD_FD, P(room), 8, 0, sizeof room}},
    {"preadv", {BAD_FD, P(room), 1}},
    {"preadv64", {BAD_FD, P(room), 1}},
    {"preadv2", {BAD_FD, P(room), 1}},
    {"preadv64v2", {BAD_FD, P(room), 1}},
    {"write", {BAD_FD, P(room), 8}},
    {"writev", {BAD_FD, P(room), 1}},
    {"pwrite", {BAD_FD, P(room), 8}},
    {"pwrite64", {BAD_FD, P(room), 8}},
    {"pwritev", {BAD_FD, P(room), 1}},
    {"pwritev64", {BAD_FD, P(room), 1}},
    {"pwritev2", {BAD_FD, P(room), 1}},
    {"pwritev64v2", {BAD_FD, P(room), 1}},
    {"send", {BAD_FD, P(room), 8}},
    {"sendto", {BAD_FD, P(room), 8}},
    {"sendmsg", {BAD_FD, P(room)}},
    {"sendmmsg", {BAD_FD, P(room), 1}},
    {"sendfile", {BAD_FD, BAD_FD, 0, 8}},
    {"sendfile64", {BAD_FD, BAD_FD, 0, 8}},
    {"splice", {BAD_FD, 0, BAD_FD, 0, 8}},
    {"copy_file_range", {BAD_FD, 0, BAD_FD, 0, 8}},
    {"tcsetattr", {BAD_FD, 0, P(room)}},
    {"raise", {0}},
    {"gsignal", {0}},
    {"kill", {0, 0}},
    {"killpg", {0, 0}},
    {"tgkill", {1, 1, 0}},
    {"sigqueue", {1, 0, 0}},
    {"pthread_kill", {0, 0}}, /* the first argument is set below */
    {"pthread_sigqueue", {0, 0, 0}},
    {"poll", {P(room), 0, 0}},
    {"__poll_chk", {P(room), 0, 0, sizeof room}},
    {"ppoll", {P(room), 0, P(no_time)}},
    {"__ppoll_chk", {P(room), 0, P(no_time), 0, sizeof room}},
    {"select", {0, 0, 0, 0, P(no_time_left)}},
    {"pselect", {0, 0, 0, 0, P(no_time)}},
    {"epoll_wait", {BAD_FD, P(room), 1, 0}},
    {"epoll_pwait", {BAD_FD, P(room), 1, 0}},
    {"epoll_pwait2", {BAD_FD, P(room), 1, P(no_time)}},
    {"getrandom", {P(room), 8}},
    {"sigwait", {P(one_signal), P(room)}},
    {"sigwaitinfo", {P(one_signal), P(room)}},
    {"sigtimedwait", {P(one_signal), P(room), P(no_time)}},
    {"accept", {BAD_FD}},
    {"accept4", {BAD_FD}},
    {"setsockopt", {BAD_FD, SOL_SOCKET, SO_RCVTIMEO, P(no_time_left), sizeof no_time_left}},
    {"dup", {BAD_FD}},
    {"dup2", {BAD_FD, BAD_FD}},
    {"dup3", {BAD_FD, BAD_FD}},
    {"fcntl", {BAD_FD, F_GETFD}},
    {"fcntl64", {BAD_FD, F_GETFD}},
    {"sigaction", {SIGUSR2}},
    {"signal", {SIGUSR2, 0}},
    {"ssignal", {SIGUSR2, 0}},
    {"bsd_signal", {SIGUSR2, 0}},
    {"sysv_signal", {SIGUSR2, 0}},
    {"__sysv_signal", {SIGUSR2, 0}},
    {"sigset", {SIGUSR2, 0}},
    {"sigignore", {SIGUSR2}},
    {"siginterrupt", {SIGUSR2, 1}},
    {"sigpending", {P(room)}},
    {"wait", {P(room)}},
    {"waitpid", {-1, P(room), WNOHANG}},
    {"wait3", {P(room), WNOHANG}},
    {"wait4", {-1, P(room), WNOHANG}},
    {"waitid", {P_ALL, 0, P(room), WEXITED | WNOHANG}},
    {"flock", {BAD_FD}},
    {"lockf", {BAD_FD, F_TEST}},
    {"lockf64", {BAD_FD, F_TEST}},
    {"sem_wait", {P(posted)}},
    {"mq_receive", {BAD_FD}},
    {"mq_send", {BAD_FD}},
    {"mq_notify", {BAD_FD}},
    {"mq_timedreceive", {BAD_FD}},
    {"mq_timedsend", {BAD_FD}},
    {"tee", {BAD_FD, BAD_FD, 1}},
    {"vmsplice", {BAD_FD}},
    {"tcdrain", {BAD_FD}},
    {"creat", {P("/dev/null"), 0600}},
    {"creat64", {P("/dev/null"), 0600}},
    {"__open_2", {P("/dev/null"), O_PATH}},
    {"__open64_2", {P("/dev/null"), O_PATH}},
    {"__openat_2", {AT_FDCWD, P("/dev/null"), O_PATH}},
    {"__openat64_2", {AT_FDCWD, P("/dev/null"), O_PATH}},
    {"open", {P("/dev/null"), O_PATH}},
    {"open64", {P("/dev/null"), O_PATH}},
    {"openat", {AT_FDCWD, P("/dev/null"), O_PATH}},
    {"openat64", {AT_FDCWD, P("/dev/null"), O_PATH}},
    {"close", {BAD_FD}},
    {"close_range", {BAD_FD, 0}},
    {"closefrom", {INT_MAX}},
    {"closedir", {0}},
    {"pclose", {STREAM}},
    {"mkstemp", {P(room)}},
    {"mkstemp64", {P(room)}},
    {"mkostemp", {P(room)}},
    {"mkostemp64", {P(room)}},
    {"mkstemps", {P(room)}},
    {"mkstemps64", {P(room)}},
    {"mkostemps", {P(room)}},
    {"mkostemps64", {P(room)}},
    {"tmpfile", {0}},
    {"tmpfile64", {0}},
    {"lseek", {BAD_FD}},
    {"lseek64", {BAD_FD}},
    {"fsync", {BAD_FD}},
    {"fdatasync", {BAD_FD}},
    {"fopen", {P("/dev/null"), P("r")}},
    {"fopen64", {P("/dev/null"), P("r")}},
    {"freopen", {P("/dev/null"), P("r"), STREAM}},
    {"freopen64", {P("/dev/null"), P("r"), STREAM}},
    {"fclose", {STREAM}},
    {"fread", {P(room), 1, 8, STREAM}},
    {"__fread_chk", {P(room), sizeof room, 1, 8, STREAM}},
    {"fwrite", {P(room), 1, 8, STREAM}},
    {"fgets", {P(room), 8, STREAM}},
    {"__fgets_chk", {P(room), sizeof room, 8, STREAM}},
    {"getline", {P(read_line), P(read_room), STREAM}},
    {"getdelim", {P(read_line), P(read_room), '\n', STREAM}},
    {"__getdelim", {P(read_line), P(read_room), '\n', STREAM}},
    {"fscanf", {STREAM, P("text")}},
    {"vfscanf", {STREAM, P("text"), P(room)}},
    {"__isoc99_fscanf", {STREAM, P("text")}},
    {"__isoc99_vfscanf", {STREAM, P("text"), P(room)}},
    {"__isoc23_fscanf", {STREAM, P("text")}},
    {"__isoc23_vfscanf", {STREAM, P("text"), P(room)}},
    {"fputs", {P("text"), STREAM}},
    {"fprintf", {STREAM, P("text")}},
    {"vfprintf", {STREAM, P("text"), P(room)}},
    {"__fprintf_chk", {STREAM, 0, P("text")}},
    {"__vfprintf_chk", {STREAM, 0, P("text"), P(room)}},
    {"fflush", {STREAM}},
    {"fseek", {STREAM}},
    {"fseeko", {STREAM}},
    {"fseeko64", {STREAM}},
    {"rewind", {STREAM}},
    {"timer_create", {CLOCK_MONOTONIC, 0, P(room)}},
    {"prctl", {PR_GET_DUMPABLE}},
    {"syscall", {SYS_getppid}},
    {"__asan_default_options", {0}},
};

/* A function of MPI does nothing in the library of the test. Fortran passes everything by address. */
static const struct call *call_of(const char *name)
{
    static const struct call of_mpi, of_fortran = {NULL, {P(room), P(room), P(room), P(room), P(room), P(room)}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    if (strcasestr(name, "mpi") == NULL) {
        printf("how is %s called?\n", name);
        exit(1);
    }
    return strncmp(name, "mpi_", 4) == 0 ? &of_fortran : &of_mpi;
}

enum { MOST = 4096 };
static struct {
    any_function *function;
    struct call call;
} wanted[MOST];
static size_t n_wanted;

static any_function *find(const char *name)
{
    any_function *found = (any_function *)dlsym(RTLD_DEFAULT, name);
    if (!found) {
        printf("there is no %s\n", name);
        exit(1);
    }
    return found;
}

static void read_names(const char *path)
{
    char line[100];
    FILE *file = fopen(path, "r");
    while (file && n_wanted < MOST && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        wanted[n_wanted].call = *call_of(line);
        for (size_t i = 0; i < 8; i++)
            if (wanted[n_wanted].call.arguments[i] == STREAM)
                wanted[n_wanted].call.arguments[i] = (long)fopen("/dev/null", "r+");
        wanted[n_wanted++].function = find(line);
    }
}

static int self_tid(void)
{
    return (int)syscall(SYS_gettid);
}

static void call_all(void)
{
    struct itimerval every = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    sigset_t alarm;
    sigemptyset(&alarm);
    alarm.__val[0] = 1ul << (SIGALRM - 1);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    pthread_sigmask(SIG_BLOCK, &one_signal, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (size_t i = 0; i < n_wanted; i++) {
        long *a = wanted[i].call.arguments;
        const char *name = wanted[i].call.name ? wanted[i].call.name : "";
        if (strncmp(name, "pthread_", 8) == 0 && a[0] == 0)
            a[0] = (long)pthread_self();
        if (strncmp(name, "sigwait", 7) == 0) /* for what is there already */
            syscall(SYS_tgkill, getpid(), self_tid(), SIGUSR1);
        wanted[i].function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- when ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int may_call, has_called, holds_lock, may_go_on;
static const char *when, *creator, *plugin;

static void set(int *what)
{
    pthread_mutex_lock(&mutex);
    *what = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void wait_for(const int *what)
{
    pthread_mutex_lock(&mutex);
    while (!*what)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void let_call(void)
{
    set(&may_call);
    wait_for(&has_called);
}

/* Called by the plug-in's constructor and destructor. */
void plugin_begins(void);
void plugin_ends(void);

void plugin_begins(void)
{
    if (strcmp(when, "constructor") == 0)
        let_call();
    if (strcmp(when, "destructor") != 0) {
        set(&holds_lock);
        wait_for(&may_go_on);
    }
}

void plugin_ends(void)
{
    if (strcmp(when, "destructor") == 0)
        let_call();
}

static void *caller(void *argument)
{
    wait_for(&may_call);
    call_all();
    set(&has_called);
    set(&may_go_on);
    return argument;
}

static void *holder(void *argument)
{
    dlopen(plugin, RTLD_NOW);
    return argument;
}

static void start(void *(*function)(void *))
{
    static pthread_t started;
    if (strcmp(creator, "pthread_create") == 0)
        pthread_create(&started, NULL, function, NULL);
    else
        thrd_create(&started, (thrd_start_t)function, NULL);
}

static int in_child(void)
{
    int status = -1;
    start(holder);
    wait_for(&holds_lock);
    pid_t child = strcmp(when, "fork") == 0 ? _Fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        call_all();
        _exit(0);
    }
    waitpid(child, &status, 0);
    set(&may_go_on);
    return status;
}

static int in_thread(void)
{
    int is_destructor = strcmp(when, "destructor") == 0;
    start(caller);
    void *handle = dlopen(plugin, RTLD_NOW);
    if (!handle)
        return 1;
    if (is_destructor)
        dlclose(handle);
    return !has_called;
}

static void ignore(int signal)
{
    (void)signal;
}

int __sigaction(int, const struct sigaction *, struct sigaction *); /* sigaction is one of those to be called */

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = ignore};
    if (argc < 5)
        return 2;
    when = argv[1], creator = argv[2], plugin = argv[4];
    void *library = argc > 6 ? dlopen(argv[6], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (argc > 6 && !library)
        return 2;
    sem_init(&posted, 0, 8);
    one_signal.__val[0] = 1ul << (SIGUSR1 - 1);
    __sigaction(SIGUSR1, &action, NULL);
    __sigaction(SIGALRM, &action, NULL);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    read_names(argv[3]);
    if (argc > 5 && *argv[5])
        find(argv[5])(0, 0, 0, 0, 0, 0, 0, 0);
    int status = strcmp(when, "fork") == 0 || strcmp(when, "clone") == 0 ? in_child() : in_thread();
    if (library) { /* what calls go to stays */
        dlclose(library);
        call_all();
    }
    printf("%s: %zu functions, status %d\n", when, n_wanted, status);
    return 0;
}
