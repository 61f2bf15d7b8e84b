/* Uses signals in every way, also the one that samples are taken with, and says what it saw: signals THEME. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "raw_sleep.h"

enum { FIRST_CHOICE = 59, TIMES = 1000 };
static volatile sig_atomic_t seen[65], foreign, depth, deepest;
static volatile long sum;

static void spin_ms(int ms)
{
    struct timespec from, t;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while ((t.tv_sec - from.tv_sec) * 1000 + (t.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void count(int signal, siginfo_t *info, void *context)
{
    (void)context;
    seen[signal]++;
    foreign += info->si_code == SI_TIMER;
    if (info->si_code == SI_QUEUE)
        sum += info->si_value.sival_int;
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    if (sigaction(signal, &action, NULL) != 0)
        abort();
}

/* Samples still come: a system call past libc is broken. Without Fathom none is. */
static int sampled(void)
{
    int broken = 0;
    for (int i = 0; i < 50; i++) {
        struct timespec time = {0, 1000000};
        broken += raw_sleep(&time);
    }
    return broken > 10;
}

/* ---- handlers ---- */

static void all_handlers(void)
{
    int defaults = 0, kept = 0;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        struct sigaction before;
        sigaction(s, NULL, &before);
        defaults += before.sa_handler == SIG_DFL && before.sa_flags == 0 && sigisemptyset(&before.sa_mask);
    }
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        install(s, count, 0);
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        struct sigaction before;
        sigaction(s, NULL, &before);
        kept += before.sa_sigaction == count && (before.sa_flags & ~0x4000000) == SA_SIGINFO;
        for (int i = 0; i < 10; i++)
            sigqueue(getpid(), s, (union sigval){.sival_int = i});
    }
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        if (seen[s] != 10)
            printf("signal %d came %d times\n", s, (int)seen[s]);
    printf("%d defaults, %d kept, sum %ld, %d foreign\n", defaults, kept, sum, (int)foreign);
}

static int tube[2];
static volatile int read_error;

static bool is_asleep(int tid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *after_name = strrchr(text, ')');
    return after_name && after_name[1] && after_name[2] == 'S';
}

static volatile int reader;

static void *read_once(void *unused)
{
    char byte;
    reader = (int)syscall(SYS_gettid);
    read_error = read(tube[0], &byte, 1) < 0 ? errno : 0;
    return unused;
}

/* A read is broken by the program's signal if its action says so, and not by samples. */
static void broken_read(int flags)
{
    pthread_t thread;
    install(FIRST_CHOICE, count, flags);
    if (pipe(tube) != 0)
        abort();
    reader = 0;
    int before = seen[FIRST_CHOICE];
    pthread_create(&thread, NULL, read_once, NULL);
    while (!reader || !is_asleep(reader))
        spin_ms(1);
    pthread_kill(thread, FIRST_CHOICE);
    while (seen[FIRST_CHOICE] == before)
        spin_ms(1);
    if (write(tube[1], "x", 1) != 1)
        abort();
    pthread_join(thread, NULL);
    printf("read %s\n", read_error == EINTR ? "broken" : read_error ? strerror(read_error) : "done");
}

static void nest(int signal, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    deepest = ++depth > deepest ? depth : deepest;
    if (depth < 5 && !sigismember(&mask, signal))
        raise(signal);
    depth--;
}

static void flags(void)
{
    struct sigaction now;
    broken_read(0);
    broken_read(SA_RESTART);
    install(FIRST_CHOICE, nest, SA_NODEFER);
    raise(FIRST_CHOICE);
    printf("nested %d deep\n", (int)deepest);
    install(FIRST_CHOICE, count, SA_RESETHAND);
    raise(FIRST_CHOICE);
    sigaction(FIRST_CHOICE, NULL, &now);
    printf("%d signals, then %s\n", (int)seen[FIRST_CHOICE], now.sa_handler == SIG_DFL ? "the default" : "a handler");
    if (signal(FIRST_CHOICE, SIG_IGN) != SIG_DFL)
        printf("signal has something else\n");
    raise(FIRST_CHOICE);
    fprintf(stderr, "sampled %d\n", sampled());
}

/* ---- waiting for signals ---- */

static volatile int caught, strange;

static void *catch_all(void *unused)
{
    sigset_t all;
    int signal;
    sigfillset(&all);
    while (caught < TIMES) {
        if (sigwait(&all, &signal) != 0 || signal != SIGUSR1)
            strange++;
        else
            caught = caught + 1;
    }
    return unused;
}

static void wait_all(void)
{
    pthread_t thread;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_create(&thread, NULL, catch_all, NULL);
    for (int i = 0; i < TIMES; i++) {
        kill(getpid(), SIGUSR1);
        while (caught <= i)
            usleep(300);
    }
    pthread_join(thread, NULL);
    int timeouts = 0, early = 0;
    for (int i = 0; i < TIMES; i++) {
        struct timespec time = {0, 600000}, from, to;
        siginfo_t info;
        clock_gettime(CLOCK_MONOTONIC, &from);
        timeouts += sigtimedwait(&all, &info, &time) == -1 && errno == EAGAIN;
        clock_gettime(CLOCK_MONOTONIC, &to);
        early += (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec < 600000;
    }
    sigset_t pending;
    spin_ms(5);
    sigpending(&pending);
    printf("%d caught, %d strange; %d timed out, %d early; %s pending\n", caught, strange, timeouts, early,
           sigisemptyset(&pending) ? "none" : "one");
}

/* The usual thread for signals: every one that it waits for with all of them blocked is another chance to make way. */
static void wait_often(void)
{
    sigset_t all, before;
    int signal, good = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (int i = 0; i < TIMES; i++) {
        spin_ms(3);
        raise(SIGUSR1);
        good += sigwait(&all, &signal) == 0 && signal == SIGUSR1;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    printf("%d good\n", good);
    fprintf(stderr, "sampled %d\n", sampled());
}

static void wait_one(void)
{
    sigset_t one, pending;
    int good = 0, shown = 0;
    sigemptyset(&one);
    sigaddset(&one, FIRST_CHOICE);
    sigprocmask(SIG_BLOCK, &one, NULL);
    for (int i = 0; i < TIMES; i++) {
        siginfo_t info;
        sigqueue(getpid(), FIRST_CHOICE, (union sigval){.sival_int = i});
        usleep(300);
        sigpending(&pending);
        shown += sigismember(&pending, FIRST_CHOICE);
        good += sigwaitinfo(&one, &info) == FIRST_CHOICE && info.si_code == SI_QUEUE && info.si_value.sival_int == i;
    }
    sigpending(&pending);
    printf("%d shown, %d good, %s\n", shown, good, sigisemptyset(&pending) ? "none left" : "one left");
    fprintf(stderr, "sampled %d\n", sampled());
}

static void descriptor(void)
{
    sigset_t all;
    struct signalfd_siginfo info;
    int usual = 0, none = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    struct pollfd fd = {.fd = signalfd(-1, &all, SFD_NONBLOCK), .events = POLLIN};
    for (int i = 0; i < TIMES; i++) {
        spin_ms(1);
        none += read(fd.fd, &info, sizeof info) == -1 && errno == EAGAIN && poll(&fd, 1, 0) == 0;
        raise(SIGUSR2);
        usual += read(fd.fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2;
    }
    printf("%d empty, %d usual\n", none, usual);
}

static void suspend(void)
{
    sigset_t alarms, none;
    struct itimerval every = {{0, 1500}, {0, 1500}};
    int woken = 0;
    install(SIGALRM, count, 0);
    sigemptyset(&alarms);
    sigemptyset(&none);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    foreign = 0;
    for (int i = 0; i < TIMES; i++) {
        int before = seen[SIGALRM];
        woken += sigsuspend(&none) == -1 && errno == EINTR && seen[SIGALRM] > before;
    }
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    for (int i = 0; i < TIMES; i++) {
        int before = seen[SIGALRM];
        woken += pause() == -1 && errno == EINTR && seen[SIGALRM] > before;
    }
    printf("woken %d times\n", woken);
}

/* ---- masks and stacks ---- */

static void masks(void)
{
    sigset_t mine, now;
    int same = 0;
    sigfillset(&mine);
    sigdelset(&mine, SIGINT);
    for (int i = 0; i < TIMES; i++) {
        if (i == TIMES / 2)
            sigemptyset(&mine);
        sigprocmask(SIG_SETMASK, &mine, NULL);
        usleep(300);
        poll(NULL, 0, 1);
        sigprocmask(SIG_BLOCK, NULL, &now);
        same += memcmp(&mine, &now, 8) == 0 ||
                (i < TIMES / 2 && sigismember(&now, SIGINT) == 0 && sigismember(&now, FIRST_CHOICE) == 1);
    }
    printf("%d masks as they were\n", same);
}

static sigjmp_buf back;
static char *stack, *stack_end;
static volatile int on_stack, said;

static void jump(int signal)
{
    char here;
    stack_t now;
    sigaltstack(NULL, &now);
    on_stack += signal == SIGUSR1 && &here >= stack && &here < stack_end;
    said += signal == SIGUSR1 && now.ss_sp == stack && now.ss_flags == SS_ONSTACK && sigaltstack(&now, NULL) == -1 &&
            errno == EPERM;
    siglongjmp(back, 1);
}

/* What is set is what is said, whatever it is. */
static void set_stacks(void)
{
    static char other[100000];
    stack_t first, now, none = {.ss_flags = SS_DISABLE}, tiny = {.ss_sp = other, .ss_size = 100},
                        strange = {.ss_sp = other, .ss_size = sizeof other, .ss_flags = 77};
    sigaltstack(NULL, &first);
    printf("first %p, %zu bytes, flags %d\n", first.ss_sp, first.ss_size, first.ss_flags);
    for (size_t bytes = 8192; bytes < sizeof other; bytes += 8192) {
        stack_t one = {.ss_sp = other, .ss_size = bytes};
        int results = sigaltstack(&one, &now) * 10 + sigaltstack(NULL, &now);
        printf("%d: at %d, %zu bytes, flags %d\n", results, now.ss_sp == other, now.ss_size, now.ss_flags);
    }
    int results = sigaltstack(&tiny, NULL) * 10 + (errno == ENOMEM);
    printf("tiny %d, ", results);
    results = sigaltstack(&strange, NULL) * 10 + (errno == EINVAL);
    printf("strange %d, ", results);
    results = sigaltstack(&none, &now) * 10 + (now.ss_sp == other && now.ss_size == 98304);
    printf("none %d, ", results);
    sigaltstack(NULL, &now);
    printf("then %p, %zu bytes, flags %d\n", now.ss_sp, now.ss_size, now.ss_flags);
}

/* Handlers on a stack of their own, left by siglongjmp, out of waits too. */
static void use_stack(long bytes)
{
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    struct itimerval once = {{0, 0}, {0, 700}};
    volatile int jumps = 0;
    stack = malloc((size_t)bytes);
    stack_end = stack + bytes;
    stack_t description = {.ss_sp = stack, .ss_size = (size_t)bytes};
    if (sigaltstack(&description, NULL) != 0)
        abort();
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    for (volatile int i = 0; i < TIMES; i++) {
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
        else
            jumps++;
        if (sigsetjmp(back, 1) == 0) {
            setitimer(ITIMER_REAL, &once, NULL);
            if (i % 2)
                sleep(5);
            else
                poll(NULL, 0, -1);
        } else {
            jumps++;
        }
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%d jumps, %d said to be on the stack, mask %s\n", jumps, said, sigisemptyset(&now) ? "empty" : "not empty");
}

static void stacks(void)
{
    set_stacks();
    use_stack(8192); /* too small for two handlers: no samples */
    use_stack(65536);
    printf("%d on the stack\n", on_stack);
    fprintf(stderr, "sampled %d\n", sampled());
}

/* How many of the signals that are sent to the program itself it is given by sigtimedwait. */
static void take_all(const sigset_t *set, int (*send)(int))
{
    struct timespec time = {0, 200000000};
    int taken = 0;
    sigprocmask(SIG_BLOCK, set, NULL);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        send(i);
    spin_ms(20);
    while (sigtimedwait(set, NULL, &time) > 0)
        taken++;
    printf("%d taken\n", taken);
}

/* Past what is interposed, as another process does it. */
static int send_unseen(int signal)
{
    return (int)syscall(SYS_kill, getpid(), signal);
}

static void named_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        sigaddset(&set, i);
    take_all(&set, send_unseen);
}

static void sent(void)
{
    sigset_t set;
    sigfillset(&set);
    take_all(&set, raise);
}

/* Timers send them; who waits for all gets all. */
static void timers(void)
{
    int strange_ones = 0, got[65] = {0}, n = 0;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++, n++) {
        timer_t timer;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = i};
        struct itimerspec soon = {.it_value = {0, 20000000}};
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &soon, NULL);
    }
    for (int i = 0; i < n; i++) {
        int signal = sigtimedwait(&all, NULL, &(struct timespec){2, 0});
        strange_ones += signal < SIGRTMIN || got[signal]++;
    }
    printf("%d timers, %d strange\n", n, strange_ones);
}

/* ---- signals for the whole process, on one processor that three threads want: the first thread gets them ---- */

static volatile sig_atomic_t here, elsewhere, strange_codes;

static void note_thread(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (syscall(SYS_gettid) == getpid())
        here++;
    else
        elsewhere++;
    strange_codes += signal != SIGALRM || info->si_code != SI_KERNEL;
}

static void note_thread_plainly(int signal)
{
    (void)signal;
    if (syscall(SYS_gettid) == getpid())
        here++;
    else
        elsewhere++;
}

static volatile int all_done;

static void *compute_deaf(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!all_done)
        sum++;
    return unused;
}

static void *stand_by(void *unused)
{
    while (!all_done)
        usleep(20000);
    return unused;
}

/* All on one processor: two that compute, and two that could handle a signal. */
enum { COMPETITORS = 4 };

static void start_competitors(pthread_t threads[COMPETITORS])
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < COMPETITORS; i++)
        pthread_create(&threads[i], NULL, i < 2 ? compute_deaf : stand_by, NULL);
}

static void end_competitors(const pthread_t threads[COMPETITORS])
{
    all_done = 1;
    for (int i = 0; i < COMPETITORS; i++)
        pthread_join(threads[i], NULL);
}

static void compute_with_alarm(void)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
    here = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    while (here < 300)
        sum++;
    setitimer(ITIMER_REAL, &never, NULL);
}

static void first_thread(void)
{
    struct sigaction action, old;
    pthread_t threads[COMPETITORS];
    install(SIGALRM, note_thread, SA_SIGINFO | SA_RESTART);
    start_competitors(threads);
    compute_with_alarm();
    sigaction(SIGALRM, NULL, &action);
    signal(SIGALRM, note_thread_plainly);
    compute_with_alarm();
    sigaction(SIGALRM, NULL, &old);
    end_competitors(threads);
    /* while a handler of its own keeps the first thread from it, another one gets the next */
    printf("%s elsewhere, %d strange codes; handlers %d %d, flags %x %x, signal %d\n", elsewhere < 20 ? "few" : "many",
           strange_codes, action.sa_sigaction == note_thread, old.sa_handler == note_thread_plainly,
           (unsigned)action.sa_flags, (unsigned)old.sa_flags, signal(SIGALRM, SIG_IGN) == note_thread_plainly);
}

/* ---- what a handler finds ---- */

extern const char __executable_start[], etext[];
static volatile int inside, outside;

/* It needs more stack than there would be beside a sample. */
static void look_around(int signal, siginfo_t *info, void *context)
{
    volatile char room[400000];
    (void)signal;
    (void)info;
    for (size_t i = 0; i < sizeof room; i += 4096)
        room[i] = 1;
    const ucontext_t *found = context;
#if defined __aarch64__
    uintptr_t pc = (uintptr_t)found->uc_mcontext.pc;
#else
    uintptr_t pc = (uintptr_t)found->uc_mcontext.gregs[REG_RIP];
#endif
    if (pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext)
        inside++;
    else
        outside++;
}

static void interrupted(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {0};
    install(SIGPROF, look_around, SA_SIGINFO | SA_RESTART);
    setitimer(ITIMER_PROF, &often, NULL);
    while (inside + outside < 100)
        sum++;
    setitimer(ITIMER_PROF, &never, NULL);
    printf("%s outside the program\n", outside < 5 ? "few" : "many");
}

/* System V's calls change the mask as well. */
static void hold_signals(void)
{
    sigset_t now;
    signal(SIGUSR1, jump);
    printf("held: %d", sigset(SIGUSR1, SIG_HOLD) == jump);
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf(", blocked %d", sigismember(&now, SIGUSR1));
    printf(", released: %d", sigset(SIGUSR1, SIG_IGN) == SIG_HOLD);
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf(", blocked %d\n", sigismember(&now, SIGUSR1));
}

static sigjmp_buf before_fault;

static void leave_fault(int signal)
{
    (void)signal;
    siglongjmp(before_fault, 1);
}

static void wrong_address(void)
{
    signal(SIGSEGV, leave_fault);
    if (sigsetjmp(before_fault, 1) == 0)
        printf("%d\n", sigaction(SIGUSR1, (const struct sigaction *)8, NULL));
    else
        printf("a fault that is handled\n");
}

static void note_child(int signal)
{
    (void)signal;
    if (syscall(SYS_gettid) == getpid())
        here++;
    else
        elsewhere++;
}

/* The end of a child is told to the thread that made it. */
static void children_of_first(void)
{
    pthread_t threads[COMPETITORS];
    int n = 0;
    signal(SIGCHLD, note_child);
    start_competitors(threads);
    for (; n < 40; n++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        for (int until = n + 1; here + elsewhere < until;)
            sum++;
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    end_competitors(threads);
    printf("%s elsewhere\n", elsewhere < 4 ? "few" : "many");
}

/* When every signal is the program's, none is held back from what waits. */
static void break_waits(void)
{
    int broken = 0;
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        install(i, count, SA_SIGINFO);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
        timer_t timer;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = i};
        struct itimerspec soon = {.it_value = {0, 20000000}};
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &soon, NULL);
        broken += nanosleep(&(struct timespec){1, 0}, NULL) != 0;
        timer_delete(timer);
    }
    printf("%d broken\n", broken);
}

static void end_by_default(void)
{
    spin_ms(20);
    raise(FIRST_CHOICE);
    printf("still there\n");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } themes[] = {{"all-handlers", all_handlers}, {"flags", flags},       {"wait-all", wait_all},
                  {"wait-often", wait_often},     {"wait-one", wait_one}, {"descriptor", descriptor},
                  {"suspend", suspend},           {"masks", masks},       {"stacks", stacks},
                  {"named-set", named_set},       {"sent", sent},         {"break-waits", break_waits},
                  {"default", end_by_default},    {"timers", timers},     {"first-thread", first_thread},
                  {"interrupted", interrupted},   {"hold", hold_signals}, {"wrong-address", wrong_address},
                  {"children", children_of_first}};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        if (argc > 1 && strcmp(argv[1], themes[i].name) == 0)
            themes[i].run();
    return 0;
}
