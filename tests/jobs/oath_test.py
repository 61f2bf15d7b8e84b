#!/usr/bin/python3
"""The oath: a program's output, results, exit status, files and signals are what they are without Fathom, whatever
goes wrong on Fathom's side. Run with real mpirun of both MPIs, in all ways of starting.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ocean_model
from jobs import (AROUND, BARE, FATHOM, INSIDE, LIBRARY, MPIS, PRELOAD, SCRATCH, WAYS, Tap, calls,
                  compile_plain, notes, run, spread)

NAMESPACE = "FATHOM_TEST_NAMESPACE"

# 100 Allreduce, 40 Sendrecv and one message to oneself per rank; then leaves with the status asked for.
WORK = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 40; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("sum %d from %d\n", sum, value);
    fflush(stdout);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# Everything a program can see of its surroundings. Compiled with and without MPI.
LOOK = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
extern char **environ;
static int rank;

static void look(const char *when)
{
    char *text = NULL;
    size_t size;
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = open("/dev/null", O_RDONLY);
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "[%d] %s: fds %d %d %d", rank, when, fds[0], fds[1], fds[2]);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    fprintf(out, "; open:");
    for (int fd = 0; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            fprintf(out, " %d", fd);
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    fprintf(out, "; signals:");
    for (int s = 1; s < 32; s++) {
        struct sigaction action;
        sigaction(s, NULL, &action);
        if (action.sa_handler != SIG_DFL || sigismember(&mask, s))
            fprintf(out, " %d%s%s", s, action.sa_handler == SIG_IGN ? "i" : action.sa_handler ? "h" : "",
                   sigismember(&mask, s) ? "m" : "");
    }
    mode_t mode = umask(0);
    umask(mode);
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    int child = waitpid(-1, NULL, WNOHANG | __WALL);
    fprintf(out, "; umask %o; core %llu; children %d %s\n", mode, (unsigned long long)core.rlim_cur, child,
            child < 0 ? strerror(errno) : "");
    fclose(out);
    if (write(1, text, size) < 0) /* in one piece: the lines of ranks do not mix */
        exit(1);
    free(text);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    look("start");
#ifdef WITH_MPI
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    look("after MPI_Init");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    look("after MPI_Finalize");
#endif
    /* into a file: it is too long for one write, and a launcher mixes what ranks write piece by piece */
    FILE *out = rank == 0 ? fopen("environment.txt", "w") : NULL;
    for (char **variable = environ; out && *variable; variable++)
        fprintf(out, "env %s\n", *variable);
    return out ? fclose(out) : rank == 0;
}
"""

# Children of a measured process, with SIGCHLD counted and every way of waiting.
CHILDREN = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static volatile sig_atomic_t deaths;
static void died(int s) { (void)s; deaths++; }

static void wait_for_one(const char *what)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    printf("%s: %s status %d signal %d\n", what, pid > 0 ? "child" : "none", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 1, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        struct sigaction action = {.sa_handler = died};
        sigaction(SIGCHLD, &action, NULL);
        pid_t pid = fork();
        if (pid == 0)
            _exit(5);
        wait_for_one("_exit");
        pid = fork();
        if (pid == 0)
            exit(6);
        wait_for_one("exit");
        pid = fork();
        if (pid == 0)
            raise(SIGKILL);
        wait_for_one("killed");
        pid = vfork();
        if (pid == 0)
            execl("/bin/sh", "sh", "-c", "echo from sh; exit 7", (char *)NULL);
        wait_for_one("vfork and exec");
        pid = fork();
        if (pid == 0)
            execl("/bin/sh", "sh", "-c", "true; exit 8", (char *)NULL);
        wait_for_one("fork and exec");
        char *words[] = {"awk", "BEGIN { print 6 * 7; exit 9 }", NULL};
        posix_spawnp(&pid, "awk", NULL, NULL, words, environ);
        wait_for_one("posix_spawn");
        printf("SIGCHLD %d times\n", (int)deaths);
        signal(SIGCHLD, SIG_DFL);
        printf("system: %d\n", WEXITSTATUS(system("exit 4")));
        FILE *pipe = popen("echo through a pipe", "r");
        char line[80] = "";
        if (fgets(line, sizeof line, pipe))
            printf("%s", line);
        printf("pclose: %d\n", pclose(pipe));
        action.sa_handler = died;
        deaths = 0;
        sigaction(SIGCHLD, &action, NULL);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) {
        errno = 0;
        int pid = waitpid(-1, NULL, __WALL);
        printf("at the end: %d %s, SIGCHLD %d times\n", pid, errno == ECHILD ? "ECHILD" : "", (int)deaths);
    }
    return 0;
}
"""

PLAIN = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    printf("out\n");
    fflush(stdout);
    fprintf(stderr, "err\n");
    if (argc > 2)
        raise(atoi(argv[2]));
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""

WORK_CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Allreduce": 100, "MPI_Sendrecv": 40,
              "MPI_Finalize": 1}

os.environ.pop("OMPI_MCA_pml", None)  # everything that Open MPI tries at its start
tap = Tap()


def same(job, bare, what):
    """Output and status byte by byte."""
    good = (job.status, job.stdout, job.stderr) == (bare.status, bare.stdout, bare.stderr)
    return tap.ok(good, f"{what}: stdout, stderr and status as without Fathom", f"--- with\n{job}", f"--- without\n{bare}")


def whole(job, what, ranks, wanted=None):
    """One complete profile of all ranks with the right counts, and nothing left behind."""
    try:
        report = job.report()
    except (LookupError, subprocess.CalledProcessError) as error:
        return tap.ok(False, f"{what}: one profile", error, job)
    good = report["job"]["complete"] and report["job"]["ranks"] == ranks == report["job"]["ranks_measured"]
    if wanted:
        good = good and calls(report) == {name: n * ranks for name, n in wanted.items()}
    return tap.ok(good and not job.left(), f"{what}: one complete profile, nothing left behind",
                  report["job"], calls(report), job.left())


# ---- miniocean ----

def miniocean():
    small = ["--grid", "96x72", "--levels", "6", "--steps", "3", "--blocks", "6x6"]
    for mpi in MPIS:
        program = [ocean_model.build(mpi), *small]
        sums = set()
        many = [(16, AROUND), (32, INSIDE)] if mpi.name == "openmpi" else [(8, AROUND)]
        for ranks, ways in [(2, WAYS), (4, WAYS)] + [(n, (way,)) for n, way in many]:
            bare = run(BARE, mpi, ranks, program)
            tap.ok(bare.status == 0, f"{mpi.short}, {ranks} ranks: miniocean runs without Fathom", bare)
            sums.update(re.findall(rb"checksum: \w+", bare.stdout))
            for way in ways:
                what = f"miniocean, {mpi.short}, {ranks} ranks, {way}"
                job = run(way, mpi, ranks, program)
                same(job, bare, what)
                whole(job, what, ranks)
        tap.equal(len(sums), 1, f"{mpi.short}: one checksum at every number of ranks")


# ---- exit status and signals ----

def statuses():
    for mpi in MPIS:
        program = mpi.compile("work", WORK)
        for status in ("0", "3"):
            bare = run(BARE, mpi, 2, [program, status])
            for way in WAYS:
                what = f"{mpi.short}, exit {status} after MPI_Finalize, {way}"
                job = run(way, mpi, 2, [program, status])
                if status == "0":
                    same(job, bare, what)
                else:  # the launcher's own words name pids or paths of the moment
                    tap.equal((job.status, job.stdout), (bare.status, bare.stdout), f"{what}: status and output")
                whole(job, what, 2, WORK_CALLS)
    plain = compile_plain("plain", PLAIN)
    for words in (["0"], ["3"], ["0", "11"], ["0", "15"], ["0", "9"], ["0", "6"]):
        bare = run(BARE, None, 0, [plain, *words])
        for way in (AROUND, PRELOAD):
            same(run(way, None, 0, [plain, *words]), bare, f"a program without MPI, {' '.join(words)}, {way}")
    for command in (["/nonexistent/program"], ["/etc/passwd"], ["no-such-command-here"]):
        shell = subprocess.run(["sh", "-c", '"$@"', "sh", *command], capture_output=True, check=False)
        job = run(AROUND, None, 0, command)
        tap.ok(job.status == shell.returncode and not job.left(), f"{command[0]}: status {shell.returncode} as a shell "
               "has it", job)


# ---- what a program sees ----

def seen(job):
    """Without the variables that Fathom is started by, and what differs from run to run."""
    # the parent's shell names the program in `_`; the rest are names of sockets, pids and directories
    ours = re.compile(rb"env (LD_PRELOAD|FATHOM_\w+|OMPI_MCA_mca_base_env_list)=")
    environment = (job.work / "environment.txt").read_bytes()
    lines = [line for line in sorted(job.stdout.splitlines() + environment.splitlines()) if not ours.match(line)]
    lines = [line for line in lines if not re.match(rb"env (PWD|OLDPWD|_|OMPI_FILE_LOCATION)=", line)]
    return [re.sub(rb"=.*", b"", line) if re.match(rb"env (PMIX?_|OMPI_|ORTE_|HYDRA|GFORTRAN|MPI)", line) else line
            for line in lines]


def surroundings():
    plain = compile_plain("look", LOOK)
    bare = run(BARE, None, 0, [plain])
    for way in (AROUND, PRELOAD):
        job = run(way, None, 0, [plain])
        tap.equal(seen(job), seen(bare), f"without MPI, {way}: the same descriptors, signals and environment")
    for mpi in MPIS:
        program = mpi.compile("look_mpi", LOOK, "-DWITH_MPI")
        bare = run(BARE, mpi, 2, [program])
        for way in WAYS:
            job = run(way, mpi, 2, [program])
            tap.equal(seen(job), seen(bare), f"{mpi.short}, {way}: the same descriptors, signals and environment")


def children():
    for mpi in MPIS:
        program = mpi.compile("children", CHILDREN)
        bare = run(BARE, mpi, 2, [program])
        tap.ok(b"SIGCHLD 6 times" in bare.stdout and b"ECHILD, SIGCHLD 0" in bare.stdout, f"{mpi.short}: six children",
               bare)
        for way in WAYS:
            job = run(way, mpi, 2, [program])
            what = f"{mpi.short}, a rank with children, {way}"
            same(job, bare, what)
            whole(job, what, 2)
            tap.equal(calls(job.report()).get("MPI_Allreduce"), 4, f"{what}: only the ranks' own calls")
        job = run(PRELOAD, mpi, 2, [program], env={"FATHOM_REPORT": "terse"})
        tap.equal((job.status, job.stdout), (bare.status, bare.stdout),
                  f"{mpi.short}: the report's own process is not seen by the program")
        tap.ok(b"fathom" in job.stderr.lower() or b"MPI" in job.stderr, f"{mpi.short}: and the report is printed", job)


# A process so large that no copy of it can be made: the kernel refuses every clone that does not share the memory.
LARGE = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (argc == 1) { /* before it becomes the program: one that sets a filter for itself has no report */
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0 || syscall(SYS_clone, 0, 0, 0, 0, 0) != -1)
            puts("no filter");
        execl(argv[0], argv[0], "filtered", NULL);
    }
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def large():
    for mpi in MPIS:
        job = run(PRELOAD, mpi, 2, [mpi.compile("large", LARGE)], env={"FATHOM_REPORT": "terse"})
        tap.ok(job.status == 0 and not job.stdout and b"MPI_Barrier" in job.stderr,
               f"{mpi.short}: a process of which no copy can be made prints its report", job)


def becoming():
    """A script that becomes the MPI program by exec is no program of its own."""
    for mpi in MPIS:
        script = SCRATCH / f"becomes.{mpi.name}"
        script.write_text(f"#!/bin/sh\nexec {mpi.compile('work', WORK)} 0\n", encoding="utf-8")
        script.chmod(0o755)
        job = run(AROUND, None, 0, [script])
        whole(job, f"{mpi.short}, a script that becomes its program", 1)


def disabled():
    off = {"FATHOM_DISABLE": "1"}
    for mpi in MPIS:
        program = mpi.compile("work", WORK)
        bare = run(BARE, mpi, 2, [program])
        for way in WAYS:
            job = run(way, mpi, 2, [program], env=off)
            same(job, bare, f"{mpi.short}, FATHOM_DISABLE=1, {way}")
            tap.equal((job.profiles(), job.left()), ([], []), f"{mpi.short}, FATHOM_DISABLE=1, {way}: nothing made")


# ---- a setuid program ----

def setuid():
    """The loader ignores LD_PRELOAD for it: it runs, is not measured, and the user is told."""
    name = "a setuid program"
    if os.getuid() != 0 or not shutil.which("setpriv"):
        tap.skip(name, "needs root to make one")
        return
    place = SCRATCH / "setuid"
    home = place / "home"
    home.mkdir(parents=True)
    os.chown(home, 65534, 65534)
    for file in (FATHOM, LIBRARY):
        shutil.copy(file, place)
    for directory in (place, *[d for d in place.parents if d.is_relative_to(SCRATCH.parent)]):
        directory.chmod(directory.stat().st_mode | 0o055)
    # The uid changes at exec and Open MPI's ranks then do not find their mpirun, so MPICH alone has an MPI case.
    programs = [(None, compile_plain("plain", PLAIN))] + [(m, m.compile("work", WORK)) for m in MPIS if m.name == "mpich"]
    for mpi, original in programs:
        what = f"{name} with {mpi.short}" if mpi else f"{name} without MPI"
        program = place / "program"
        shutil.copy(original, program)
        program.chmod(0o4755)
        profile = home / f"{mpi.name if mpi else 'plain'}.fathom"
        env = {"TMPDIR": str(home), "HOME": str(home), "FATHOM_DIR": str(home / "segments")}
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", "env", "-C", str(home)]
        start = (mpi.mpirun(2) if mpi else []) + [str(program), "0"]
        bare = run(BARE, None, 0, start, env=env, prefix=prefix)
        job = run(BARE, None, 0, [place / "fathom", "run", "-o", profile, "--", *start], env=env, prefix=prefix)
        tap.ok(bare.status == 0, f"{what} runs by itself", bare)
        tap.equal((job.status, job.stdout), (bare.status, bare.stdout), f"{what} runs under Fathom")
        told = job.stderr.replace(bare.stderr, b"")
        tap.ok(b"setuid" in told and b"fathom doctor" in told, f"{what}: the user is told", job)
        tap.equal((profile.exists(), list((home / "segments").glob("*"))), (False, []), f"{what}: nothing is made")


# ---- no room for segments ----

def mounted(directory, options):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(directory)], check=True)
    return directory


def unmount(directory):
    subprocess.run(["umount", "-l", str(directory)], check=False)


# With so little shared memory the MPIs must not need any for themselves.
FRUGAL = {"OMPI_MCA_btl": "self,tcp", "UCX_TLS": "self,sysv", "FATHOM_DIR": None}


def little_shared_memory():
    """What /dev/shm is, and the note that the profile then has. Where there is room for one, the ranks' segments lie
    in two directories (or, if they look for room at the same moment, all in /dev/shm): the profile is one."""
    in_tmpdir = "data kept in TMPDIR because the default directory could not be created or was full"
    for what, options, note in (
            ("a /dev/shm of 1 MiB", "size=1m", in_tmpdir),
            ("a /dev/shm with room for one rank", "size=2m", in_tmpdir),
            ("a /dev/shm of 6 MiB", "size=6m", "tables smaller than requested, for lack of space"),
            ("a read-only /dev/shm", "size=1m,ro", in_tmpdir)):
        mounted("/dev/shm", options)
        for mpi in MPIS:
            program = mpi.compile("work", WORK)
            bare = run(BARE, mpi, 2, [program], env=FRUGAL)
            if bare.status != 0:
                tap.skip(f"{mpi.short}, {what}", "this MPI does not run there by itself")
                continue
            for way in WAYS:
                fallback = {"TMPDIR": str(SCRATCH / "t")}
                (SCRATCH / "t").mkdir(exist_ok=True)
                job = run(way, mpi, 2, [program], env={**FRUGAL, **fallback})
                same(job, bare, f"{mpi.short}, {what}, {way}")
                whole(job, f"{mpi.short}, {what}, {way}", 2, WORK_CALLS)
                if len(job.profiles()) == 1 and "one rank" not in what:
                    tap.ok(note in notes(job.report()), f"{mpi.short}, {what}, {way}: noted", notes(job.report()))
                left = [p for d in ("/dev/shm", SCRATCH / "t") for p in pathlib.Path(d).glob("fathom-*/*")]
                tap.equal(left, [], f"{mpi.short}, {what}, {way}: no segment left")
        plain = compile_plain("plain", PLAIN)
        same(run(AROUND, None, 0, [plain, "3"], env={"FATHOM_DIR": None}), run(BARE, None, 0, [plain, "3"]),
             f"without MPI, {what}")
        unmount("/dev/shm")


def no_directory_at_all():
    """Private memory: nobody can merge it but the rank itself, so each adds itself to the one profile."""
    mounted("/dev/shm", "size=1m,ro")
    closed = mounted(SCRATCH / "closed", "size=1m,ro")
    env = {**FRUGAL, "TMPDIR": str(closed), "OMPI_MCA_orte_tmpdir_base": str(SCRATCH)}
    for mpi in MPIS:
        program = mpi.compile("work", WORK)
        for ranks in (1, 3):
            bare = run(BARE, mpi, ranks, [program], env=env)
            if bare.status != 0:
                tap.skip(f"{mpi.short}, no directory for segments", "this MPI does not run there by itself")
                continue
            for way in WAYS:
                what = f"{mpi.short}, no directory for segments, {ranks} ranks, {way}"
                job = run(way, mpi, ranks, [program], env=env)
                same(job, bare, what)
                whole(job, what, ranks, WORK_CALLS)
                if len(job.profiles()) == 1:
                    tap.ok(any("private memory" in note for note in notes(job.report())), f"{what}: noted", job.report())
            job = run(AROUND, mpi, ranks, [program], env=env, quiet=False)
            tap.ok(b"FATHOM_DIR" in job.stderr, f"{mpi.short}, no directory for segments: the user is told", job)
    unmount(closed)
    unmount("/dev/shm")


# ---- no room for the profile ----

def recovered(job, what, ranks):
    """Later, with another directory given, nothing is lost."""
    good = tap.ok(any(name.endswith(".segment") for name in job.left()), f"{what}: the segments stay", job)
    rescue = job.work / "rescue"
    rescue.mkdir()
    result = job.collect("-o", str(rescue))
    found = sorted(rescue.glob("*.fathom"))
    if not tap.ok(good and result.returncode == 0 and len(found) == 1, f"{what}: fathom collect -o writes it", result,
                  found):
        return
    report = job.report(str(found[0]))
    tap.ok(report["job"]["complete"] and spread(report) == {n: (c, c, f"0-{ranks - 1}") for n, c in WORK_CALLS.items()},
           f"{what}: complete, with every count", report["job"], spread(report))
    tap.equal(job.left(), [], f"{what}: then nothing is left")


def no_room_for_profile():
    closed = mounted(SCRATCH / "read-only", "size=1m,ro")
    full = mounted(SCRATCH / "full", "size=64k")
    with open(full / "filler", "wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 4096):
                pass
        except OSError:
            pass
    for mpi in MPIS:
        program = mpi.compile("work", WORK)
        bare = run(BARE, mpi, 2, [program])
        for name, output in (("an unwritable directory", closed), ("a full disk", full),
                             ("a directory that is not there", SCRATCH / "nowhere" / "at all")):
            for way in WAYS:
                what = f"{mpi.short}, {name}, {way}"
                job = run(way, mpi, 2, [program], env={"FATHOM_OUTPUT": str(output / "x.fathom")})
                # `fathom run` says at once, also when it is to be quiet, that no profile can be written there
                job.stderr = re.sub(rb"fathom: cannot write a profile to [^\n]*\n", b"", job.stderr)
                if way == PRELOAD:  # one sentence of rank 0 says where the profile is instead
                    job.stderr, told = re.subn(rb"fathom: [^\n]*\n", b"", job.stderr)
                    tap.equal(told, 1, f"{what}: the user is told once")
                same(job, bare, what)
                tap.ok(not output.is_dir() or sorted(p.name for p in output.iterdir()) in ([], ["filler"]),
                       f"{what}: no half profile")
                if way == PRELOAD:
                    whole(job, f"{what}: in the working directory", 2, WORK_CALLS)
                else:
                    recovered(job, what, 2)
            job = run(AROUND, mpi, 2, [program], env={"FATHOM_OUTPUT": str(output / "x.fathom")}, quiet=False)
            tap.ok(job.status == 0 and b"fathom collect -o" in job.stderr, f"{mpi.short}, {name}: the user is told", job)
    unmount(closed)
    unmount(full)


def enter_namespace():
    """Mounts of our own, over /dev/shm too: only in a mount namespace of our own."""
    if os.environ.get(NAMESPACE):
        return os.environ[NAMESPACE] == "own"
    os.environ[NAMESPACE] = "none"
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        if subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/dev/shm"], capture_output=True,
                          check=False).returncode == 0:
            os.environ[NAMESPACE] = "own"
            os.execvp(words[0], [*words, sys.executable, *sys.argv])
    return False


def main():
    own_mounts = enter_namespace()
    parts = [miniocean, statuses, surroundings, children, large, becoming, disabled, setuid]
    mounting = [little_shared_memory, no_directory_at_all, no_room_for_profile]
    wanted = sys.argv[1:]
    for part in parts + mounting:
        if wanted and part.__name__ not in wanted:
            continue
        if part in mounting and not own_mounts:
            tap.skip(part.__name__, "needs mounts of its own: root or user namespaces")
        else:
            part()
    tap.done()


main()
