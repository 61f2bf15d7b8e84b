/* Allows itself a few system calls only, in the way asked for: filtered HOW [WHICH RANK]. Whatever else is called ends the
 * process. Compiled with and without MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

static void make_program(struct sock_fprog *program, size_t n_listed)
{
    static struct sock_filter code[2 * LENGTH(listed) + 2];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < n_listed; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)listed[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (unsigned)LISTED);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (unsigned)OTHERS);
    *program = (struct sock_fprog){n, code};
}

/* 0: it is installed. */
static long install(const char *how)
{
    struct sock_fprog program;
    make_program(&program, strcmp(how, "before") == 0 ? 4 : LENGTH(listed));
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
    if (strcmp(how, "prctl") == 0)
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

int main(int argc, char **argv)
{
    static const char fine[] = "fine\n", not_installed[] = "no filter\n";
    const char *how = argc > 1 ? argv[1] : "prctl";
    pthread_t thread;
    if (strcmp(how, "threads") == 0 && pthread_create(&thread, NULL, work_for_ever, NULL) != 0)
        return 1;
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
    work();
    if (write(1, said, strlen(said)) < 0)
        return 1;
    if (strncmp(how, "strict", 6) == 0) /* libc's exit is not allowed then */
        syscall(SYS_exit, 3);
    return 3;
#endif
}
