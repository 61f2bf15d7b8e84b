/* A signal of the program at any instruction of a sample: its handler runs after the sample, on the program's stack.
 * The parent steps through samples of a child, and sends it one signal in each, later and later: at each of the first
 * and last instructions, and at some in between. What the child's handler found is printed as
 * "many signals, N within a sample". */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { EDGE = 60, STRIDE = 29, MOST = 1000000, REPORT_FD = 9 };

/* ---- the child ---- */

static volatile uintptr_t stack_here;
static volatile unsigned sum;

static bool on_stack(uintptr_t address)
{
    return address <= stack_here && stack_here - address < 65536;
}

static void look(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    const ucontext_t *found = context;
#if defined __aarch64__
    uintptr_t sp = (uintptr_t)found->uc_mcontext.sp;
#else
    uintptr_t sp = (uintptr_t)found->uc_mcontext.gregs[REG_RSP];
#endif
    char right = on_stack(sp) && on_stack((uintptr_t)__builtin_frame_address(0)) ? 'r' : 'w';
    if (write(REPORT_FD, &right, 1) != 1)
        _exit(1);
}

static void be_sampled(void)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
    stack_here = (uintptr_t)__builtin_frame_address(0);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1); /* the parent waits for this report: what is traced from the start is not sampled */
    for (;;)
        sum++;
}

static int start_child(const char *self)
{
    char pid[20];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("LD_PRELOAD", getenv("FM_LIBRARY"), 1);
    setenv("FATHOM_NAMED", pid, 1);
    return execl(self, self, "child", (char *)NULL);
}

/* ---- the parent ---- */

static pid_t child;
static int reports[2];
static unsigned right, wrong;

static void fail(const char *what)
{
    printf("failed: %s\n", what);
    kill(child, SIGKILL);
    exit(1);
}

/* Lets the child go on, with a signal if not 0. Returns the one that it stops for next. */
static int go_on(int request, int signal)
{
    int status;
    if (ptrace(request, child, NULL, (void *)(intptr_t)signal) != 0 || waitpid(child, &status, 0) != child ||
        !WIFSTOPPED(status))
        fail("the child ended");
    return WSTOPSIG(status);
}

/* Whether the child is about to return from a handler. */
static bool is_at_return(void)
{
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &all) != 0)
        fail("registers");
#if defined __aarch64__
    return registers.regs[8] == SYS_rt_sigreturn &&
           (uint32_t)ptrace(PTRACE_PEEKTEXT, child, (void *)registers.pc, NULL) == 0xd4000001;
#else
    return registers.rax == SYS_rt_sigreturn &&
           (ptrace(PTRACE_PEEKTEXT, child, (void *)registers.rip, NULL) & 0xffff) == 0x050f;
#endif
}

static int go_on_until_sample(void)
{
    int signal = go_on(PTRACE_CONT, 0);
    while (signal < SIGRTMIN)
        signal = go_on(PTRACE_CONT, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
    return signal;
}

/* Goes on until a sample begins: the child is at the first instruction of its handler then. */
static void reach_sample(void)
{
    int signal = go_on_until_sample();
    if (go_on(PTRACE_SINGLESTEP, signal) != SIGTRAP)
        fail("the first step");
}

/* Up to `most` instructions of a sample. Returns their number, or that of the whole sample. */
static unsigned step(unsigned most)
{
    unsigned n = 0;
    for (; n < most && !is_at_return(); n++)
        if (go_on(PTRACE_SINGLESTEP, 0) != SIGTRAP)
            fail("a step");
    return n;
}

static void read_report(void)
{
    int unread = 0;
    char report;
    while (ioctl(reports[0], FIONREAD, &unread) == 0 && !unread)
        if (go_on(PTRACE_SINGLESTEP, go_on_until_sample()) != SIGTRAP)
            fail("a sample in between");
    if (read(reports[0], &report, 1) != 1)
        fail("reading the report");
    *(report == 'r' ? &right : &wrong) += 1;
}

/* A signal when so many instructions of a sample are over, or before the last. Returns the number of those. */
static unsigned send_after(unsigned instructions)
{
    reach_sample();
    unsigned n = step(instructions);
    syscall(SYS_tgkill, child, child, SIGUSR1);
    read_report();
    return n;
}

static void send_everywhere(void)
{
    enum { FIRST = 20 }; /* samples until rules and stacks are known: they are shorter from then on */
    unsigned last = 0;
    for (unsigned i = 0; i < FIRST; i++)
        last = send_after(MOST);
    for (unsigned i = 0; i < EDGE; i++)
        send_after(i);
    for (unsigned i = EDGE; i + EDGE < last; i += STRIDE)
        send_after(i);
    for (unsigned i = last > EDGE ? last - EDGE : 0; i <= last; i++)
        send_after(i);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        be_sampled();
    if (pipe(reports) != 0 || (child = fork()) < 0)
        return 1;
    if (child == 0) {
        dup2(reports[1], REPORT_FD);
        return start_child(argv[0]);
    }
    close(reports[1]);
    char started;
    if (read(reports[0], &started, 1) != 1 || ptrace(PTRACE_ATTACH, child, NULL, NULL) != 0)
        fail("attaching");
    waitpid(child, NULL, 0);
    send_everywhere();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("%s signals, %u within a sample\n", right + wrong > 2 * EDGE ? "many" : "few", wrong);
    return 0;
}
