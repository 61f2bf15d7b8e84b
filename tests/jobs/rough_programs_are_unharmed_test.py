#!/usr/bin/python3
"""Programs that are rough with their own process, but allowed to be: Fathom must not make them hang, fail or see
anything of it. Each ends in a few seconds without Fathom."""
import jobs

# errno at the start of main, after the first call and after MPI_Pcontrol with and without a second argument.
ERRNO = r"""
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int at[5], flag;
    at[0] = errno;
    errno = 77;
    MPI_Initialized(&flag);
    at[1] = errno;
    MPI_Init(&argc, &argv);
    errno = 77;
    MPI_Pcontrol(1);
    at[2] = errno;
    MPI_Pcontrol(1, "name");
    at[3] = errno;
    MPI_Pcontrol(-1, "name");
    at[4] = errno;
    MPI_Finalize();
    printf("errno %d %d %d %d %d\n", at[0], at[1], at[2], at[3], at[4]);
    return 0;
}
"""

# All keys for data of threads are in use when Fathom starts: none of them may be taken for its own.
KEYS = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static pthread_key_t keys[2000];
    int n = 0, other = 0;
    MPI_Init(&argc, &argv);
    while (n < 2000 && pthread_key_create(&keys[n], NULL) == 0)
        n++;
    for (int i = 0; i < n; i++)
        pthread_setspecific(keys[i], keys);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        other += pthread_getspecific(keys[i]) != keys;
    printf("%d keys hold something else\n", other);
    MPI_Finalize();
    return 0;
}
"""
KEYS_BEFORE = KEYS.replace("    MPI_Init(&argc, &argv);\n", "").replace("    MPI_Barrier(MPI_COMM_WORLD);\n",
                                                                         "    MPI_Init(&argc, &argv);\n")

# At the root's side of an intercommunicator the arguments of the own share mean nothing, as the standard has it.
ROOT_SIDE = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, value[4] = {0}, one[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    MPI_Comm half, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    int root = rank == 0 ? MPI_ROOT : rank % 2 ? 0 : MPI_PROC_NULL;
    MPI_Datatype own = rank % 2 ? MPI_INT : MPI_DATATYPE_NULL, others = rank % 2 ? MPI_DATATYPE_NULL : MPI_INT;
    MPI_Gather(&rank, 1, own, value, 1, others, root, both);
    MPI_Gatherv(&rank, 1, own, value, one, places, others, root, both);
    MPI_Scatter(value, 1, others, &rank, 1, own, root, both);
    MPI_Scatterv(value, one, places, others, &rank, 1, own, root, both);
    if (rank == 0)
        printf("gathered %d %d\n", value[0], value[1]);
    MPI_Finalize();
    return 0;
}
"""

# A handler that ends the job, as many programs have one for SIGTERM, while the program opens and closes regions.
ABORT = r"""
#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
void fathom_region_begin(const char *name) __attribute__((weak));
void fathom_region_end(const char *name) __attribute__((weak));
static void stop(int number) { MPI_Abort(MPI_COMM_WORLD, 3 + 0 * number); }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct itimerval soon = {{0, 0}, {0, 30000}};
    signal(SIGALRM, stop);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        if (fathom_region_begin) {
            fathom_region_begin("a");
            fathom_region_end("a");
        }
}
"""

# A handler that leaves a region by siglongjmp, a thousand times. The signal is for this thread: one for the process goes to
# another one, of the MPI library, when this one is not on a processor and a sample is due.
JUMP = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void fathom_region_begin(const char *name) __attribute__((weak));
void fathom_region_end(const char *name) __attribute__((weak));
static sigjmp_buf back;
static void jump(int number) { siglongjmp(back, number); }
int main(int argc, char **argv)
{
    volatile int times = 0;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    struct itimerspec soon = {{0, 0}, {0, 500000}}, never = {{0, 0}, {0, 0}};
    MPI_Init(&argc, &argv);
    event._sigev_un._tid = gettid();
    signal(SIGALRM, jump);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    sigsetjmp(back, 1);
    timer_settime(timer, 0, &soon, NULL);
    while (times < 1000) {
        for (times++;;)
            if (fathom_region_begin) {
                fathom_region_begin("a");
                fathom_region_end("a");
            }
    }
    timer_settime(timer, 0, &never, NULL);
    MPI_Finalize();
    puts("jumped");
    return 0;
}
"""

# A callback that forks, whose child returns from the call it was called in.
FORK = r"""
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t child = -1;
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    if (child < 0)
        child = fork();
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
int main(int argc, char **argv)
{
    int one = 1, two = 2, status = 0, calls = 1;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
    if (child == 0) {
        MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
        _exit(two);
    }
    waitpid(child, &status, 0);
    printf("%d in the parent, status %x of the child\n", two, status);
    MPI_Finalize();
    return 0;
}
"""

# An error handler that forks, in calls of a kind that were made from the same place before: the child returns from each.
FORK_IN_ERROR = r"""
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t child;
static int times;
static void fork_once(MPI_Comm *comm, int *code, ...)
{
    if (times == 2)
        child = fork();
}
int main(int argc, char **argv)
{
    int value, status, class[3];
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(fork_once, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int kind = 0; kind < 5; kind++) {
        for (times = 0; times < 3; times++) {
            int code = 0;
            child = -1;
            switch (kind) {
            case 0: code = MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); break;
            case 1: code = MPI_Recv(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
            case 2: code = MPI_Irecv(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request); break;
            case 3: code = MPI_Allreduce(&value, &value, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
            case 4: code = MPI_Probe(99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
            }
            MPI_Error_class(code, &class[times]);
            if (child == 0)
                _exit(class[2] == class[0] ? 0 : 1);
        }
        waitpid(child, &status, 0);
        printf("kind %d: status %x of the child\n", kind, status);
    }
    MPI_Finalize();
    return 0;
}
"""

# One thread posts receives, another waits for them, in turn.
IN_TURN = r"""
#include <mpi.h>
#include <pthread.h>
enum { TIMES = 20 };
static MPI_Request requests[2];
static pthread_barrier_t turn;
static void *wait_for_them(void *data)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_barrier_wait(&turn);
        if (i % 2)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 2 && i % 2 == 0; k++)
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
        pthread_barrier_wait(&turn);
    }
    return data;
}
int main(int argc, char **argv)
{
    int level, in[2], out = 1;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    pthread_barrier_init(&turn, NULL, 2);
    pthread_create(&thread, NULL, wait_for_them, NULL);
    for (int i = 0; i < TIMES; i++) {
        for (int k = 0; k < 2; k++)
            MPI_Irecv(&in[k], 1, MPI_INT, 0, k, MPI_COMM_WORLD, &requests[k]);
        for (int k = 0; k < 2; k++)
            MPI_Send(&out, 1, MPI_INT, 0, k, MPI_COMM_WORLD);
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
    }
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
"""

# A process that forks before it knows of MPI: the child is the one that uses it.
CHILD = r"""
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int status = 1;
    pid_t child = fork();
    if (child != 0)
        return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# What is left of a tool that only asks for MPI, as some do by the hundred.
ASK = r"""
#include <mpi.h>
int main(void)
{
    int flag, subversion;
    MPI_Initialized(&flag);
    MPI_Get_version(&flag, &subversion);
    return 0;
}
"""

# A thread that is made inside a region, and many that each open one, with slots for some of them only.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
void fathom_region_begin(const char *name) __attribute__((weak));
void fathom_region_end(const char *name) __attribute__((weak));
enum { THREADS = 60, TIMES = 50 };
static pthread_barrier_t together;
static void *help(void *data)
{
    int n;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return data;
}
static void *work(void *data)
{
    int n;
    pthread_barrier_wait(&together);
    for (int i = 0; i < TIMES; i++) {
        fathom_region_begin("work");
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        fathom_region_end("work");
    }
    pthread_barrier_wait(&together);
    return data;
}
int main(int argc, char **argv)
{
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    fathom_region_begin("around");
    pthread_create(&threads[0], NULL, help, NULL);
    pthread_join(threads[0], NULL);
    fathom_region_end("around");
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
"""

# Leaves its segment behind, to be looked at.
LEAVE = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    _exit(0);
}
"""

tap = jobs.Tap()


def compare(mpi, name, program, ranks=1, hz=None):
    path = mpi.compile(name, program, "-w", "-pthread")
    bare = jobs.run(jobs.BARE, mpi, ranks, [path])
    job = jobs.run(jobs.PRELOAD, mpi, ranks, [path], env={"FATHOM_SAMPLE": str(hz)} if hz else None)
    tap.ok((job.status, job.stdout) == (bare.status, bare.stdout), f"{mpi.short}, {name}: as without Fathom", job, bare)
    return job


def check_memory(mpi):
    """What is no size is taken for the usual one."""
    program = mpi.compile("leave", LEAVE)
    for text, size in (("8M", 8 << 20), ("-1", 4 << 20), ("4G", 4 << 20), ("words", 4 << 20), ("1K", 256 << 10)):
        job = jobs.run(jobs.PRELOAD, mpi, 1, [program], env={"FATHOM_MEMORY": text})
        sizes = [(job.segments / name).stat().st_size for name in job.left() if name.endswith(".segment")]
        tap.equal(sizes, [size], f"{mpi.short}: FATHOM_MEMORY={text}")
    for text in ("256K", "512K", "1M", "2M", "3M", "64M"):
        job = jobs.run(jobs.AROUND, mpi, 1, [program], env={"FATHOM_MEMORY": text})
        tap.ok(job.report()["job"]["ranks"] == 1, f"{mpi.short}: FATHOM_MEMORY={text}: all tables fit", job)


def check_threads(mpi):
    """A small segment has slots for 32 threads, of which those beyond share the last."""
    job = jobs.run(jobs.PRELOAD, mpi, 1, [mpi.compile("region_threads", THREADS, "-pthread")],
                   env={"FATHOM_MEMORY": "256K"})
    report = job.report()
    regions = {region["name"]: {r["name"]: r["calls"] for r in region["routines"]} for region in report["mpi"]["regions"]}
    tap.equal(regions.get("around"), {"MPI_Comm_size": 1}, f"{mpi.short}: a thread begins in the region it is made in")
    refused = sum(note["amount"] for note in report["job"]["notes"] if note["text"].startswith("regions ignored"))
    inside = regions["work"]["MPI_Comm_size"]
    tap.equal((inside + refused, len([name for name in regions if name == "work"])), (60 * 50, 1),
              f"{mpi.short}: threads without a slot of their own have no regions, and that is noted")


def main():
    check_threads(jobs.MPIS[-1])
    check_memory(jobs.MPIS[-1])
    for mpi in jobs.MPIS:
        job = compare(mpi, "errno", ERRNO)
        tap.equal(job.stdout, b"errno 0 77 77 77 77\n", f"{mpi.short}: errno is the program's own")
        compare(mpi, "keys", KEYS)
        compare(mpi, "keys_before", KEYS_BEFORE)
        compare(mpi, "root_side", ROOT_SIDE, 4)
        for _ in range(3):
            compare(mpi, "abort", ABORT)
        compare(mpi, "jump", JUMP)
        compare(mpi, "jump_sampled", JUMP, hz=5000)
        job = compare(mpi, "fork", FORK)
        tap.equal(jobs.calls(job.report())["MPI_Reduce_local"], 1, f"{mpi.short}: the child's calls are not the parent's")
        compare(mpi, "fork_in_error", FORK_IN_ERROR)
        received = {r["name"]: (r["calls"], r["bytes_received"])
                    for r in compare(mpi, "in_turn", IN_TURN).report()["mpi"]["routines"]}
        tap.equal(received["MPI_Irecv"], (40, 160), f"{mpi.short}: receives that another thread waits for")
        job = compare(mpi, "child", CHILD)
        tap.ok(len(job.profiles()) == 1 and jobs.calls(job.report()).get("MPI_Barrier") == 1,
               f"{mpi.short}: a child that is the MPI process is measured", job)
        job = compare(mpi, "ask", ASK)
        tap.equal((job.left(), job.profiles()), ([], []), f"{mpi.short}: whoever only asks for MPI leaves nothing behind")
    tap.done()


main()
