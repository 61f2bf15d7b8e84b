/* Allows itself a few system calls only, in the way asked for: filtered HOW [WHICH RANK]. Whatever else is called ends the
 * process. Compiled with and without MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#ifdef WITH_MPI
/* MPI needs many; these are what it does without, and a profiler does not. Those of the first line also in MPI_Init. */
static const int listed[] = {SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_sigaltstack,      SYS_getrusage,
                             SYS_fsync,        SYS_renameat,      SYS_renameat2,    SYS_linkat,           SYS_fallocate,
                             SYS_flock,        SYS_statfs,        SYS_getdents64,   SYS_rt_tgsigqueueinfo};
enum { LISTED = SECCOMP_RET_KILL_PROCESS, OTHERS = SECCOMP_RET_ALLOW };
#else
static const int listed[] = {SYS_write, SYS_exit, SYS_exit_group};
enum { LISTED = (int)SECCOMP_RET_ALLOW, OTHERS = (int)SECCOMP_RET_KILL_PROCESS };
#endif

/* What a program that forks and waits does without. */
static const int not_of_forks[] = {SYS_getpid,        SYS_timer_create, SYS_timer_settime, SYS_timer_delete,
                                   SYS_sigaltstack,   SYS_getrusage,    SYS_fsync,         SYS_linkat,
                                   SYS_rt_sigpending, SYS_flock};

static void make_program(struct sock_fprog *program, const int *calls, size_t n_calls, int of_them, int of_others)
{
    enum { MOST = 32 };
    static struct sock_filter code[2 * MOST + 2];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < n_calls; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (unsigned)of_them);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (unsigned)of_others);
    *program = (struct sock_fprog){n, code};
}

/* 0: it is installed. */
static long install(const char *how)
{
    struct sock_fprog program;
    if (strcmp(how, "fork") == 0)
        make_program(&program, not_of_forks, LENGTH(not_of_forks), (int)SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
    else
        make_program(&program, listed, strcmp(how, "before") == 0 ? 4 : LENGTH(listed), LISTED, OTHERS);
    if (strcmp(how, "strict") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (strcmp(how, "strict-call") == 0)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
    if (strcmp(how, "none") == 0) /* how libraries ask what the kernel can, and one that fails */
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT &&
                       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) == -1 &&
                       syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == -1 && errno == EINVAL &&
                       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){0, NULL}) == -1
                   ? 0
                   : 1;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(how, "prctl") == 0 || strcmp(how, "fork") == 0 || strcmp(how, "many") == 0 || strcmp(how, "dies") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (strcmp(how, "prctl-call") == 0)
        return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* Long enough for samples, if any came. (Clocks are forbidden in strict mode.) */
static void work(void)
{
    for (volatile int i = 0; i < 30000000; i++)
        ;
}

static void *work_for_ever(void *unused)
{
    for (;;)
        work();
    return unused;
}

static void *sleep_and_work(void *unused)
{
    usleep(300000);
    return work_for_ever(unused);
}

/* Threads that are there when the filter comes: one that computes, one that sleeps, many that are just beginning. */
static bool start_threads(const char *how)
{
    enum { MANY = 60 };
    pthread_t thread;
    bool sleeps = strcmp(how, "held") == 0, many = strcmp(how, "many") == 0, good = true;
    if (!sleeps && !many && strcmp(how, "threads") != 0)
        return true;
    for (int i = 0; i < (many ? MANY : 1); i++)
        good &= pthread_create(&thread, NULL, sleeps || many ? sleep_and_work : work_for_ever, NULL) == 0;
    return good;
}

/* Whether a child of a filtered process lives, and ends as it should. */
static bool child_is_fine(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(int argc, char **argv)
{
    static const char fine[] = "fine\n", not_installed[] = "no filter\n";
    const char *how = argc > 1 ? argv[1] : "prctl";
    if (!start_threads(how))
        return 1;
    if (strcmp(how, "many") != 0)
        work();
#ifdef WITH_MPI
    int rank;
    if (strcmp(how, "before") == 0 && install(how) != 0)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if ((argc < 3 || rank == atoi(argv[2])) && strcmp(how, "before") != 0 && install(how) != 0)
        return 1;
    for (int i = 0; i < 9; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    work();
    MPI_Finalize();
    return 0;
#else
    const char *said = install(how) == 0 ? fine : not_installed;
    for (int i = 0; i < (strcmp(how, "held") == 0 || strcmp(how, "dies") == 0 ? 10 : 1); i++)
        work();
    if (strcmp(how, "dies") == 0)
        getppid(); /* not allowed */
    if (strcmp(how, "fork") == 0 && !child_is_fine())
        return 1;
    if (write(1, said, strlen(said)) < 0)
        return 1;
    if (strncmp(how, "strict", 6) == 0) /* libc's exit is not allowed then */
        syscall(SYS_exit, 3);
    return 3;
#endif
}
