/* Runs on stacks of all kinds, and says what it saw: stacks THEME. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static void spin_ms(int ms)
{
    struct timespec from, t;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while ((t.tv_sec - from.tv_sec) * 1000 + (t.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

/* ---- stacks that are full ---- */

enum { SMALL = 8192, BELOW = 65536, MARK = 0x5a };
static struct {
    char below[BELOW], stack[SMALL];
} memory __attribute__((aligned(4096)));

static int overrun(void)
{
    int n = 0;
    for (int i = 0; i < BELOW; i++)
        n += memory.below[i] != MARK;
    return n;
}

__attribute__((noinline)) static void use(size_t bytes)
{
    volatile char used[bytes];
    memset((char *)used, 1, bytes);
    spin_ms(200);
    if (used[bytes / 2] != 1)
        abort();
}

static void fill_coroutine(void)
{
    use(SMALL - 2048);
}

static void fill_handler(int signal)
{
    (void)signal;
    use(SMALL - 7000);
}

static ucontext_t outside, inside;

static void run_on(void *stack, size_t bytes, void (*function)(void))
{
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = bytes};
    inside.uc_link = &outside;
    makecontext(&inside, function, 0);
    swapcontext(&outside, &inside);
}

static void full_coroutine(void)
{
    spin_ms(0); /* bound here: the loader's stub would save more registers than there is room for */
    memset(&memory, MARK, sizeof memory);
    run_on(memory.stack, SMALL, fill_coroutine);
    printf("%d bytes overrun\n", overrun());
}

static void full_handler(void)
{
    stack_t stack = {.ss_sp = memory.stack, .ss_size = SMALL};
    struct sigaction action = {.sa_handler = fill_handler, .sa_flags = SA_ONSTACK};
    memset(&memory, MARK, sizeof memory);
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        abort();
    raise(SIGUSR1);
    printf("%d bytes overrun\n", overrun());
}

static void *fill_thread(void *data)
{
    use((size_t)PTHREAD_STACK_MIN - 10240);
    return data;
}

/* Every thread has as little as it can have. */
static void full_thread(void)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN);
    pthread_setattr_default_np(&small);
    printf("created: %d", pthread_create(&thread, NULL, fill_thread, NULL));
    printf(", joined: %d\n", pthread_join(thread, NULL));
}

/* ---- stacks beside others ---- */

/* Calls nothing: of its samples the innermost frame is known on any stack. */
static void work_elsewhere(void)
{
    for (volatile long i = 0; i < 100000000; i++)
        ;
}

/* A coroutine's stack right below a thread's, with the guard between them. */
static void *run_below(void *data)
{
    enum { BYTES = 65536 };
    pthread_attr_t mine;
    void *stack;
    size_t bytes, guard;
    pthread_getattr_np(pthread_self(), &mine);
    pthread_attr_getstack(&mine, &stack, &bytes);
    pthread_attr_getguardsize(&mine, &guard);
    pthread_attr_destroy(&mine);
    char *at = (char *)stack - guard - BYTES;
    char *below = mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (below == MAP_FAILED) /* it has neighbours already, which are the program's too */
        below = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_on(below, BYTES, work_elsewhere);
    return data;
}

static void beside(void)
{
    const size_t huge = (size_t)64 << 30;
    pthread_t thread;
    char *map = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map != MAP_FAILED)
        run_on(map, 65536, work_elsewhere);
    pthread_create(&thread, NULL, run_below, NULL);
    pthread_join(thread, NULL);
    printf("done\n");
}

/* ---- deep stacks ---- */

static volatile int stop, started;

__attribute__((noinline)) static void work_deep(void)
{
    spin_ms(200);
}

__attribute__((noinline)) static int deep(int n)
{
    volatile char frame[16384];
    frame[n] = 1;
    if (n == 0)
        work_deep();
    return n ? deep(n - 1) + frame[n] : 0;
}

static void *deep_thread(void *data)
{
    deep(80); /* more than 1 MiB: without a limit a thread has 2 MiB */
    return data;
}

static void deep_stacks(void)
{
    pthread_t thread;
    printf("%d frames\n", deep(200));
    pthread_create(&thread, NULL, deep_thread, NULL);
    pthread_join(thread, NULL);
}

/* ---- a thread that may call nothing but the end of a handler ---- */

__attribute__((noinline)) static int spin_deep(int n)
{
    volatile char frame[4096];
    frame[n] = 1;
    for (volatile int i = 0; i < 100000 && !stop; i++)
        ;
    return n && !stop ? spin_deep(n - 1) + frame[n] : 0;
}

static void *spin_alone(void *data)
{
    struct sock_filter only[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {4, only};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        stop = 1;
    for (started = 1;;) /* its end would be a call */
        spin_deep(300);
    return data;
}

static void no_calls(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin_alone, NULL);
    while (!started)
        usleep(1000);
    spin_ms(300);
    printf("alone: %d\n", !stop);
    fflush(stdout);
    _exit(0); /* with that thread: nothing could be told to it any more */
}

/* ---- what is left of us ---- */

/* As the kernel has it. */
static int kernel_flags(void)
{
    stack_t now;
    return syscall(SYS_sigaltstack, NULL, &now) == 0 ? now.ss_flags : -1;
}

static pthread_key_t last_key;
static volatile int last_flags;

static void at_end(void *data)
{
    (void)data;
    last_flags = kernel_flags();
}

static void *begin_and_end(void *data)
{
    pthread_setspecific(last_key, &last_key);
    spin_ms(5);
    return data;
}

static void left(void)
{
    pthread_t thread;
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(kernel_flags());
    waitpid(child, &status, 0);
    pthread_key_create(&last_key, at_end);
    pthread_create(&thread, NULL, begin_and_end, NULL);
    pthread_join(thread, NULL);
    printf("flags in a child %d, at the end of a thread %d\n", WEXITSTATUS(status), last_flags);
}

/* ---- priorities ---- */

static void *nothing(void *data)
{
    return data;
}

static void make_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
}

static void *make_many(void *data)
{
    while (!stop)
        make_thread();
    return data;
}

static void *make_in_real_time(void *data)
{
    struct sched_param high = {50};
    printf("real time: %s\n", strerror(pthread_setschedparam(pthread_self(), SCHED_FIFO, &high)));
    for (int i = 0; i < 1000; i++) {
        usleep(300);
        make_thread();
    }
    stop = 1;
    return data;
}

/* On one processor, where a thread with a real-time priority that does not sleep keeps the other from running. */
static void priorities(void)
{
    pthread_t low, high;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pthread_create(&low, NULL, make_many, NULL);
    pthread_create(&high, NULL, make_in_real_time, NULL);
    pthread_join(low, NULL);
    pthread_join(high, NULL);
    printf("done\n");
}

/* ---- a debugger ---- */

/* Runs a command as one does that hands every signal on. */
static int trace(char **command)
{
    int status = 0, stops = 0;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(command[0], command);
        _exit(127);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        stops += WSTOPSIG(status) != SIGTRAP;
        ptrace(PTRACE_CONT, child, NULL, (void *)(intptr_t)(WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)));
    }
    printf("%d stops\n", stops);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } themes[] = {{"full-coroutine", full_coroutine},
                  {"full-handler", full_handler},
                  {"full-thread", full_thread},
                  {"beside", beside},
                  {"deep", deep_stacks},
                  {"no-calls", no_calls},
                  {"left", left},
                  {"priorities", priorities},
                  {"work", work_elsewhere}};
    if (argc > 2 && strcmp(argv[1], "trace") == 0)
        return trace(argv + 2);
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        if (argc > 1 && strcmp(argv[1], themes[i].name) == 0)
            themes[i].run();
    return 0;
}
