#!/usr/bin/env python3
"""Software events of real jobs: page faults and context switches that the program causes, in all its threads; and what
counting must not do: harm a program that forks, executes another one, closes all descriptors, or may not count at all."""
import errno
import re
import subprocess

import jobs

PAGES = 3000
PROGRAM = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *touch(void *pages)
{
    size_t bytes = (size_t)pages * 4096;
    volatile char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)map, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096)
        map[i] = 1;
    return NULL;
}

static int descriptors(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* How often a file does not get the lowest descriptor while a new thread begins. */
static int misplaced(void)
{
    int n = 0;
    pthread_t thread;
    close(0);
    for (int i = 0; i < 200; i++) {
        pthread_create(&thread, NULL, touch, (void *)1L);
        for (int k = 0; k < 100; k++) {
            int file = open("/dev/null", O_RDONLY);
            n += file != 0;
            close(file);
        }
        pthread_join(thread, NULL);
    }
    return n;
}

int main(int argc, char **argv)
{
    int rank;
    char what = argc > 1 ? argv[1][0] : 'p';
    void *pages = (void *)(long)PAGES;
    if (argc > 2) { /* executed by itself */
        MPI_Init(&argc, &argv);
        touch(pages);
        MPI_Finalize();
        return 0;
    }
    if (what == 'x')
        return touch(pages), execlp(argv[0], argv[0], "x", "again", NULL), 9;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (what == 'c') /* a file of the program under any number is read by nobody else */
        for (int fd = 3; fd < 4096; fd++)
            if (fd > 900)
                close(fd);
    if (rank == 1)
        touch(pages);
    if (what == 't') {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, touch, pages);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; what == 'm' && i < 8000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, touch, NULL);
        pthread_join(thread, NULL);
    }
    if (what == 'l')
        printf("misplaced %d\n", misplaced());
    if (what == 'f') {
        pid_t child = fork();
        if (child == 0) {
            touch(pages);
            _exit(descriptors() > 900 ? 1 : 0);
        }
        waitpid(child, NULL, 0);
    }
    for (int i = 0; what == 's' && rank == 1 && i < 500; i++)
        nanosleep(&(struct timespec){0, 1000}, NULL);
    if (what == 'k') {
        struct timespec time = {0, 1000000};
        for (int i = 0; i < 400; i++) /* long enough for samples, which store the counts */
            nanosleep(&time, NULL), touch((void *)1L);
        if (rank == 1)
            raise(SIGKILL);
    }
    printf("descriptors %d\n", descriptors());
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
""".replace("PAGES", str(PAGES))


def counted(job):
    """{name: [counts by rank]}"""
    return {counter["name"]: counter["per_rank"] for counter in job.report()["counters"]["list"]}


def check_counts(tap, mpi):
    program = mpi.compile("counted", PROGRAM, "-pthread")
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"])
    counters = job.report()["counters"]
    names = [counter["name"] for counter in counters["list"]]
    hardware = counters["source"] == "perf: hardware"
    tap.ok(hardware or names == ["task-clock", "page-faults", "context-switches", "migrations"],
           f"{mpi.short}: the default set", counters)
    for way in jobs.WAYS:
        job = jobs.run(way, mpi, 2, [program, "sleeps"], env={"FATHOM_COUNTERS": "page-faults,context-switches"})
        got = counted(job)
        extra = {name: values[1] - values[0] for name, values in got.items()}
        tap.ok(list(extra) == ["page-faults", "context-switches"] and PAGES * .9 < extra["page-faults"] < PAGES * 1.5,
               f"{mpi.short}, {way}: page faults of the rank that had them", got, job)
        tap.ok(got.get("context-switches", [0, 0])[1] >= 500, f"{mpi.short}, {way}: and its context switches", got)


def check_threads(tap, mpi):
    program = mpi.compile("counted", PROGRAM, "-pthread")
    for sample in ("off", "97"):
        job = jobs.run(jobs.AROUND, mpi, 2, [program, "threads"],
                       env={"FATHOM_COUNTERS": "page-faults", "FATHOM_SAMPLE": sample})
        faults = counted(job)["page-faults"]
        tap.ok(4 * PAGES < faults[0] < 4 * PAGES + 20000 and 5 * PAGES < faults[1],
               f"{mpi.short}, samples {sample}: those of all threads", faults)


    job = jobs.run(jobs.AROUND, mpi, 1, [program, "many"])
    tap.ok(job.status == 0 and "uncounted-threads" in {note["code"] for note in job.report()["job"]["notes"]},
           f"{mpi.short}: of thousands of threads some are not counted, so that it takes little time", job)


def check_processes(tap, mpi):
    program = mpi.compile("counted", PROGRAM, "-pthread")
    env = {"FATHOM_COUNTERS": "page-faults"}
    plain = counted(jobs.run(jobs.AROUND, mpi, 2, [program, "pages"], env=env))["page-faults"]
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "forks"], env=env)
    forked = counted(job)["page-faults"]
    tap.ok(job.status == 0 and forked[0] < plain[0] + PAGES, f"{mpi.short}: without those of a child", plain, forked)
    job = jobs.run(jobs.AROUND, mpi, 1, [program, "x"], env=env)
    tap.ok(job.status == 0 and PAGES < counted(job)["page-faults"][0], f"{mpi.short}: after exec", job)
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "closes"], env=env)
    tap.ok(job.status == 0 and len(counted(job)["page-faults"]) == 2,
           f"{mpi.short}: a program that closes all descriptors", job)
    job = jobs.run(jobs.AROUND, mpi, 1, [program, "lowest"], env=env)
    tap.ok(job.status == 0 and b"misplaced 0\n" in job.stdout,
           f"{mpi.short}: files get the lowest descriptors while threads begin", job.stdout)
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "killed"], env=env)
    killed = counted(job).get("page-faults", [None, None])
    tap.ok(job.status != 0 and killed[1] and killed[1] > PAGES, f"{mpi.short}: a killed rank keeps its counts", killed)


def lines_of(job):
    """What the ranks print; which is the first, nobody says."""
    return sorted(job.stdout.splitlines())


def check_off(tap, mpi):
    program = mpi.compile("counted", PROGRAM, "-pthread")
    bare = jobs.run(jobs.BARE, mpi, 2, [program, "pages"])
    off = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"], env={"FATHOM_COUNTERS": "off"})
    report = off.report()
    tap.ok(report["counters"] == {**report["counters"], "source": None, "list": []} and not jobs.notes(report),
           f"{mpi.short}: off", report["counters"])
    tap.equal(lines_of(off), lines_of(bare), f"{mpi.short}: and no descriptor is open")
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"], env={"FATHOM_COUNTERS": "page-faults,nonsense"})
    tap.ok(job.status == 0 and b"unknown counter 'nonsense'" in job.stderr and b"nothing is counted" in job.stderr,
           f"{mpi.short}: a wrong name in the environment does not fail the job", job)
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, "pages"],
                   env={"FATHOM_COUNTERS": "page-faults,L2_RQSTS:MISS,nonsense,task-clock"})
    report = job.report()
    tap.ok(job.status == 0 and "counter L2_RQSTS:MISS is unknown or not available" in jobs.notes(report) and
           [counter["name"] for counter in report["counters"]["list"]] == ["page-faults", "task-clock"],
           f"{mpi.short}: nor does one that only fathom run could resolve, and the others are counted", job)
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, "pages"], env={"FATHOM_COUNTERS": "nonsense"})
    report = job.report()
    tap.ok(job.status == 0 and "counter nonsense is unknown or not available" in jobs.notes(report) and
           not report["counters"]["list"], f"{mpi.short}: nor does a list without any that is known", job)
    wrong = subprocess.run([jobs.FATHOM, "run", "--counters", "page-faults,nonsense", "--", program],
                           capture_output=True, check=False)
    tap.ok(wrong.returncode == 2 and re.match(rb"fathom run: --counters: unknown counter 'nonsense'", wrong.stderr) and
           wrong.stderr.count(b"\n") == 1, f"{mpi.short}: on the command line it is an error", wrong)


# A program whose system calls are filtered before it starts: perf_event_open fails as it does in containers.
REFUSE = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) /* the error number, the program, its arguments */
{
    (void)argc;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 9;
    execvp(argv[2], argv + 2);
    return 8;
}
"""


def check_refused(tap, mpi):
    program, refuse = mpi.compile("counted", PROGRAM, "-pthread"), jobs.compile_plain("refuse", REFUSE)
    bare = jobs.run(jobs.BARE, mpi, 2, [program, "pages"])
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"], prefix=[refuse, str(errno.EACCES)])
    report = job.report()
    tap.ok(job.status == 0 and lines_of(job) == lines_of(bare) and not job.stderr, f"{mpi.short}: refused, the job is unharmed",
           job)
    tap.ok(not report["counters"]["list"] and
           [n["code"] for n in report["job"]["notes"]] == ["no-counters"], f"{mpi.short}: and one note says so",
           report["job"]["notes"])
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"], prefix=[refuse, str(errno.ENOENT)],
                   env={"FATHOM_COUNTERS": "instructions,cycles"})
    tap.ok("nothing was counted: this machine does not have these events (most virtual machines have no hardware counters)"
           in jobs.notes(job.report()), f"{mpi.short}: without a PMU, another reason", job, jobs.notes(job.report()))


def check_text(tap, mpi):
    program = mpi.compile("counted", PROGRAM, "-pthread")
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "pages"],
                   env={"FATHOM_COUNTERS": "page-faults,alignment-faults,page-faults,emulation-faults"})
    faults = next(counter for counter in job.report()["counters"]["list"] if counter["name"] == "page-faults")
    tap.equal(faults["total"], sum(faults["per_rank"]), f"{mpi.short}: an event that is given twice is counted once")
    text = subprocess.run([jobs.FATHOM, "report", job.profiles()[0], "--view", "counters"], capture_output=True, text=True,
                          check=True).stdout
    tap.ok(re.search(r"^counter +total +per s +min/rank", text, re.MULTILINE),
           f"{mpi.short}: events that never happened are not split either", text)


jobs.check_each(check_counts, check_threads, check_processes, check_off, check_refused, check_text)
