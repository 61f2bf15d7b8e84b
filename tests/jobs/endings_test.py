#!/usr/bin/python3
"""The matrix of endings: whatever becomes of the ranks, every count of every rank is recovered, the profile says that
it is incomplete and how the ranks ended, nothing stays behind, and the exit status is what it is without Fathom.
"""
import os
import re
import signal
import subprocess
import sys
import time

from jobs import (AROUND, BARE, INSIDE, LIMIT_S, MPIS, PRELOAD, WAYS, Tap, at_once, calls, command_line, ends, notes,
                  prepare, run, spread)

RANKS = 3

# Every rank makes 10 * (rank + 1) MPI_Comm_rank, 20 MPI_Allreduce, 5 MPI_Sendrecv and one MPI_Barrier. When all have
# said in files that they are through with these, rank 1 (or all) ends in the way asked for; the others sleep.
ENDER = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void work(void)
{
    int value = 1, sum;
    for (int i = 0; i < 10 * (rank + 1) - 1; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void say(const char *what)
{
    char name[40];
    snprintf(name, sizeof name, "%s.%d", what, rank);
    FILE *file = fopen(name, "w");
    fclose(file);
}

static void wait_until_all(const char *what)
{
    char name[40];
    for (int r = 0; r < size; r++) {
        snprintf(name, sizeof name, "%s.%d", what, r);
        while (access(name, F_OK) != 0)
            usleep(1000);
    }
}

/* The nearest mpirun or mpiexec above us. */
static pid_t launcher(void)
{
    pid_t pid = getppid();
    for (int i = 0; i < 6 && pid > 1; i++) {
        char path[40], name[80] = "", state;
        int parent = 0, n;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        if (!file)
            return 0;
        n = fscanf(file, "%*d (%79[^)]) %c %d", name, &state, &parent);
        fclose(file);
        if (n == 3 && (strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0 ||
                       strncmp(name, "orterun", 7) == 0))
            return pid;
        pid = parent;
    }
    return 0;
}

static void child_calls_mpi(void)
{
    int flag = 0;
    MPI_Initialized(&flag);
    if (!flag || MPI_Wtime() < 0)
        _exit(77);
}

static void forks(void)
{
    for (int way = 0; way < 6; way++) {
        pid_t pid = way == 5 ? vfork() : way == 4 ? _Fork() : fork();
        if (pid == 0) {
            if (way == 3 || way == 4)
                child_calls_mpi();
            if (way == 0)
                exit(0);
            if (way == 1 || way == 5)
                execl("/bin/true", "true", (char *)NULL);
            if (way == 3)
                exit(3);
            _exit(way);
        }
        int status, wanted[] = {0, 0, 2, 3, 4, 0};
        waitpid(pid, &status, 0);
        if (status != wanted[way] << 8)
            printf("child %d: status %x\n", way, status);
    }
}

static void spawn(char *program, const char *kind)
{
    MPI_Comm children;
    char *words[] = {(char *)kind, NULL};
    MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    if (strcmp(kind, "child") == 0)
        MPI_Comm_disconnect(&children);
}

static void be_child(const char *kind, MPI_Comm parent)
{
    int value = 1, sum;
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(kind, "killed-child") == 0) {
        say("child");
        wait_until_all("child");
        wait_until_all("spawned");
        if (rank == 1)
            raise(SIGKILL);
        sleep(30);
    }
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    const char *kind = argv[argc - 1];
    int value = 0;
    MPI_Comm parent;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strstr(kind, "child")) {
        MPI_Comm_get_parent(&parent);
        be_child(kind, parent);
    }
    work();
    if (strcmp(kind, "pending") == 0)
        for (int i = 0; i < 4; i++)
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99 + i, MPI_COMM_WORLD, &requests[i]);
    if (strcmp(kind, "spawn-kill") == 0) {
        spawn(argv[0], "killed-child");
        say("spawned");
        sleep(30);
    }
    say("ready");
    if (strcmp(kind, "recv") == 0 && rank != 1)
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wait_until_all("ready");

    if (strcmp(kind, "exit-all") == 0)
        exit(0);
    if (strcmp(kind, "kill-all") == 0 || strcmp(kind, "pending") == 0)
        raise(SIGKILL);
    if (strcmp(kind, "exec-all") == 0)
        execl("/bin/sleep", "sleep", "0.1", (char *)NULL);
    if (strcmp(kind, "forks") == 0 || strcmp(kind, "spawn") == 0 || strcmp(kind, "finalize") == 0) {
        if (strcmp(kind, "forks") == 0)
            forks();
        if (strcmp(kind, "spawn") == 0)
            spawn(argv[0], "child");
        MPI_Finalize();
        return 0;
    }
    if (rank == 1) {
        if (strcmp(kind, "exit") == 0)
            exit(7);
        if (strcmp(kind, "_exit") == 0)
            _exit(5);
        if (strcmp(kind, "abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 6);
        if (strcmp(kind, "segv") == 0)
            *(volatile int *)8 = 1;
        if (strcmp(kind, "term") == 0)
            raise(SIGTERM);
        if (strcmp(kind, "kill") == 0)
            raise(SIGKILL);
        if (strcmp(kind, "exec") == 0)
            execl("/bin/sh", "sh", "-c", "sleep 0.1; exit 4", (char *)NULL);
        if (strcmp(kind, "launcher") == 0)
            kill(launcher(), SIGKILL);
        if (strcmp(kind, "recv") == 0) {
            usleep(300000);
            raise(SIGKILL);
        }
    }
    sleep(30);
    return 0;
}
"""

# The same in Fortran, shorter: 10 * (rank + 1) MPI_Comm_rank, 20 MPI_Allreduce, one MPI_Barrier.
FORTRAN_ENDER = r"""
program ender
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function c_raise(number) bind(c, name='raise')
      import c_int
      integer(c_int), value :: number
    end function
    integer(c_int) function c_usleep(us) bind(c, name='usleep')
      import c_int
      integer(c_int), value :: us
    end function
  end interface
  integer :: rank, ranks, ierr, i, value, total, unit, other
  character(len=20) :: kind, name
  logical :: there
  call get_command_argument(1, kind)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, 10 * (rank + 1) - 1
    call mpi_comm_rank(mpi_comm_world, value, ierr)
  end do
  do i = 1, 20
    call mpi_allreduce(value, total, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  write (name, '("ready.", i0)') rank
  open (newunit=unit, file=name)
  close (unit)
  do other = 0, ranks - 1
    write (name, '("ready.", i0)') other
    there = .false.
    do while (.not. there)
      inquire (file=name, exist=there)
      ierr = c_usleep(1000_c_int)
    end do
  end do
  if (rank == 1) then
    select case (kind)
    case ('stop')
      stop 7
    case ('abort')
      call mpi_abort(mpi_comm_world, 6, ierr)
    case ('kill')
      ierr = c_raise(9_c_int)
    end select
  end if
  if (kind == 'kill-all') ierr = c_raise(9_c_int)
  call sleep(30)
end program
"""

C_CALLS = {"MPI_Init": (1, 1), "MPI_Comm_rank": (10, 30), "MPI_Comm_size": (1, 1), "MPI_Allreduce": (20, 20),
           "MPI_Sendrecv": (5, 5), "MPI_Barrier": (1, 1)}
FORTRAN_CALLS = {name: n for name, n in C_CALLS.items() if name != "MPI_Sendrecv"}
TOTALS = {"MPI_Comm_rank": 60}  # of what differs from rank to rank

# How the launcher ends the others, when somebody saw it.
ENDED = r"killed by signal (9|15) \(SIG(KILL|TERM)\)"
SEGV = r"killed by signal (11|6) \(SIG(SEGV|ABRT)\)"  # UCX's handler aborts
SOMEHOW = r"vanished|killed by signal \d+ \(SIG\w+\)|exited with status \d+ without MPI_Finalize"


class Kind:
    """An ending. `victims`: ranks that end as `seen` says where a wait status was seen or the process said so itself
    (`said`); else they vanish. The others are ended by the launcher."""

    def __init__(self, name, seen=None, said=False, victims=(1,), extra=None, inside=None, status=None):
        self.name, self.seen, self.said, self.victims = name, seen, said, victims
        self.extra = extra or {}    # further calls: routine -> (min, max, ranks); a call in progress counts
        self.inside = inside or {}  # rank -> routine
        # A rank that leaves without MPI_Finalize: Hydra sees its PMI connection end before it has its exit status and
        # kills the others; its own status is all of theirs or-ed. By itself it gives now the one, now the other. After
        # Ctrl-C or SIGTERM it may leave before it has any: 4 of 40 jobs without Fathom gave 0, of either kind. And 2 of
        # 150 whose ranks all became `sleep` gave 1, without Fathom as with it.
        self.status = status

    def how(self, rank, way):
        if rank in self.victims:
            return self.seen if self.said or way == INSIDE else "vanished"
        return ENDED if way == INSIDE else "vanished"

    def good_status(self, mpi, got, bare):
        rare = (0,) if self.name in ("Ctrl-C", "SIGTERM") else (1,)
        return got == bare or (mpi.name == "mpich" and self.status is not None and
                               got in (self.status, 9, self.status | 9, *rare))


ALL = (0, 1, 2)
C_KINDS = [
    Kind("exit", r"exited with status 7 without MPI_Finalize", said=True, status=7),
    Kind("_exit", r"exited with status 5 without MPI_Finalize", status=5),
    Kind("exit-all", r"exited with status 0 without MPI_Finalize|vanished|" + ENDED, said=True, victims=ALL, status=0),
    Kind("abort", r"called MPI_Abort with error code 6", said=True, extra={"MPI_Abort": (1, 1, "1")}),
    Kind("segv", SEGV),
    Kind("term", r"killed by signal 15 \(SIGTERM\)"),
    Kind("kill", r"killed by signal 9 \(SIGKILL\)"),
    Kind("kill-all", ENDED, victims=ALL),
    Kind("launcher", SOMEHOW, said=True, victims=ALL),
    Kind("exec", r"exited with status 4 without MPI_Finalize", status=4),
    Kind("exec-all", r"exited with status 0 without MPI_Finalize|" + ENDED, victims=ALL, status=0),
    Kind("recv", r"killed by signal 9 \(SIGKILL\)", inside={0: "MPI_Recv", 2: "MPI_Recv"},
         extra={"MPI_Recv": (1, 1, "0,2")}),
    Kind("pending", ENDED, victims=ALL, extra={"MPI_Irecv": (4, 4, "0-2")}),
]
FORTRAN_KINDS = [
    Kind("stop", r"exited with status 7 without MPI_Finalize", said=True, status=7),
    Kind("abort", r"called MPI_Abort with error code 6", said=True, extra={"MPI_Abort": (1, 1, "1")}),
    Kind("kill", r"killed by signal 9 \(SIGKILL\)"),
    Kind("kill-all", ENDED, victims=ALL),
]

tap = Tap()


def settle(job, way):
    """What a user does afterwards: nothing under `fathom run`, `fathom collect` after a bare preload. Ranks under
    `mpirun fathom run` outlive a killed launcher by a moment."""
    if way == PRELOAD:
        return job.collect("--wait", "10")
    limit = time.monotonic() + (10 if way == INSIDE else 0)
    while (job.left() or not job.profiles()) and time.monotonic() < limit:
        time.sleep(0.05)
    return None


def single_ranks(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def ends_by_rank(report):
    """rank -> list of (how, inside)."""
    found = {}
    for ranks, how, inside in ends(report):
        for rank in single_ranks(ranks):
            found.setdefault(rank, []).append((how, inside))
    return found


def problems(job, kind, way, known):
    """What is wrong with the job's profile, as sentences."""
    try:
        report = job.report()
    except LookupError as error:
        return [str(error)]
    wrong = []
    wanted = {name: (least, most, "0-2") for name, (least, most) in known.items()}
    wanted.update(kind.extra)
    if spread(report) != wanted:
        wrong.append(f"counts {spread(report)}, wanted {wanted}")
    totals = calls(report)
    if any(totals.get(name) != n for name, n in TOTALS.items()):
        wrong.append(f"totals {totals}")
    if report["job"]["complete"]:
        wrong.append("the profile claims to be complete")
    if report["job"]["ranks"] != RANKS or report["job"]["ranks_measured"] != RANKS:
        wrong.append(f"ranks {report['job']['ranks']}, measured {report['job']['ranks_measured']}")
    found = ends_by_rank(report)
    for rank in range(RANKS):
        hows = found.get(rank, [])
        if not hows or not all(re.fullmatch(kind.how(rank, way), how) for how, _ in hows):
            wrong.append(f"rank {rank} ended {hows}, wanted {kind.how(rank, way)!r}")
        if any(inside != kind.inside.get(rank) for _, inside in hows):
            wrong.append(f"rank {rank} was inside {hows}, wanted {kind.inside.get(rank)}")
    if job.left():
        wrong.append(f"left behind: {job.left()}")
    return wrong


def check_one(mpi, program, kind, way, known):
    job = run(way, mpi, RANKS, [program, kind.name])
    result = settle(job, way)
    return job, problems(job, kind, way, known) + ([str(result)] if result and result.returncode else [])


def matrix(language, mpi, program, kinds, known):
    tasks, labels = [], []
    for kind in kinds:
        tasks.append(lambda kind=kind: (run(BARE, mpi, RANKS, [program, kind.name]), []))
        labels.append((kind, BARE))
        for way in WAYS:
            tasks.append(lambda kind=kind, way=way: check_one(mpi, program, kind, way, known))
            labels.append((kind, way))
    bare = None
    for (kind, way), (job, wrong) in zip(labels, at_once(3, tasks)):
        if way == BARE:
            bare = job
            continue
        what = f"{language}, {mpi.short}, {kind.name}, {way}"
        tap.ok(kind.good_status(mpi, job.status, bare.status), f"{what}: status {job.status}", job,
               f"--- without\n{bare}")
        tap.ok(not wrong, f"{what}: all counts, the ends, nothing left", *wrong, job)


# ---- a job that is stopped from outside ----

# Makes its standard input its controlling terminal and becomes the command.
TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


def stop(way, mpi, program, how):
    """Starts a job whose ranks sleep, on a terminal, and stops it: by a signal to what was started, as `kill` does, or
    by Ctrl-C, which the terminal sends to the whole process group."""
    job, env = prepare(way)
    words = [sys.executable, "-c", TERMINAL, *command_line(way, mpi, RANKS, [program, "sleep"])]
    master, terminal = os.openpty()
    with open(job.work / "output.txt", "w+b") as out:
        with subprocess.Popen(words, cwd=job.work, env=env, stdin=terminal, stdout=out, stderr=out,
                              start_new_session=True) as process:
            while not all((job.work / f"ready.{rank}").exists() for rank in range(RANKS)) and process.poll() is None:
                time.sleep(0.01)
            if how == "Ctrl-C":
                os.write(master, b"\x03")
            else:
                process.send_signal(how)
            try:
                job.status = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                job.status = "no end"
        out.seek(0)
        job.stdout = out.read()
    os.close(master)
    os.close(terminal)
    return job


def stopped(mpi, program):
    for name, how, status in (("SIGTERM", signal.SIGTERM, 15), ("Ctrl-C", "Ctrl-C", 2)):
        kind = Kind(name, SOMEHOW, said=True, victims=ALL, status=status)
        jobs = at_once(2, [lambda way=way, how=how: stop(way, mpi, program, how) for way in (BARE, *WAYS)])
        for way, job in zip(WAYS, jobs[1:]):
            result = settle(job, way)
            what = f"C, {mpi.short}, {name}, {way}"
            tap.ok(kind.good_status(mpi, job.status, jobs[0].status), f"{what}: status {job.status}", job,
                   f"--- without\n{jobs[0]}")
            wrong = problems(job, kind, way, C_CALLS) + ([str(result)] if result and result.returncode else [])
            tap.ok(not wrong, f"{what}: all counts, the ends, nothing left", *wrong, job)


# ---- endings that are none ----

def complete(job, what, ranks, wanted):
    try:
        report = job.report()
    except LookupError as error:
        tap.ok(False, f"{what}: one profile", error, job)
        return
    tap.ok(job.status == 0 and not job.stdout and report["job"]["complete"] and report["job"]["ranks"] == ranks and not ends(report) and
           spread(report) == wanted and not job.left(), f"{what}: complete, with the ranks' own calls only", job,
           report["job"], spread(report))


def children_do_not_matter(mpi, program):
    wanted = {name: (least, most, "0-2") for name, (least, most) in C_CALLS.items()}
    wanted["MPI_Finalize"] = (1, 1, "0-2")
    for way in WAYS:
        complete(run(way, mpi, RANKS, [program, "forks"]), f"C, {mpi.short}, forks, {way}", RANKS, wanted)
        job = run(way, mpi, RANKS, ["sh", "-c", 'exec "$0" finalize', program])
        complete(job, f"C, {mpi.short}, a shell that becomes the program, {way}", RANKS, wanted)
        job = run(way, mpi, RANKS, ["sh", "-c", '"$0" finalize; status=$?; true; exit $status', program])
        complete(job, f"C, {mpi.short}, a shell that starts the program, {way}", RANKS, wanted)


# ---- MPI_Comm_spawn ----

def spawned(mpi, program):
    """Spawned processes are started by mpirun, so only what is in mpirun's own environment reaches them: under
    `mpirun fathom run` the parents alone are measured."""
    for way in (AROUND, PRELOAD):
        what = f"C, {mpi.short}, spawn, {way}"
        job = run(way, mpi, 2, [program, "spawn"])
        reports = sorted((job.report(p) for p in job.profiles()), key=lambda r: calls(r)["MPI_Allreduce"])
        if not tap.equal((job.status, len(reports), job.left()), (0, 2, []), f"{what}: two profiles, nothing left"):
            tap.note(job)
            continue
        child, parent = reports
        wanted = {name: n for name, n in C_CALLS.items() if name != "MPI_Comm_rank"}
        wanted = {name: (least, most, "0-1") for name, (least, most) in wanted.items()}
        wanted.update({name: (1, 1, "0-1") for name in ("MPI_Comm_spawn", "MPI_Comm_disconnect", "MPI_Finalize")})
        wanted["MPI_Comm_rank"] = (10, 20, "0-1")
        tap.ok(parent["job"]["complete"] and spread(parent) == wanted, f"{what}: the parents' calls", spread(parent))
        wanted = {name: (1, 1, "0-1") for name in ("MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_get_parent",
                                                   "MPI_Barrier", "MPI_Comm_disconnect", "MPI_Finalize")}
        wanted["MPI_Allreduce"] = (7, 7, "0-1")
        tap.ok(child["job"]["complete"] and spread(child) == wanted, f"{what}: the children's calls", spread(child))
        tap.ok("started by MPI_Comm_spawn" in notes(child), f"{what}: noted", notes(child))
        tap.ok("started by MPI_Comm_spawn" not in notes(parent), f"{what}: of the children only", notes(parent))

    bare = run(BARE, mpi, 2, [program, "spawn-kill"])
    for way in WAYS:
        what = f"C, {mpi.short}, a spawned process is killed, {way}"
        job = run(way, mpi, 2, [program, "spawn-kill"])
        settle(job, way)
        reports = [job.report(p) for p in job.profiles()]
        found = sorted((calls(r)["MPI_Allreduce"], r["job"]["complete"], r["job"]["ranks_measured"]) for r in reports)
        worlds = [(40, False, 2)] if way == INSIDE else [(14, False, 2), (40, False, 2)]
        tap.equal((job.status, found, job.left()), (bare.status, worlds, []), f"{what}: all that was measured is there")


def main():
    wanted = sys.argv[1:]  # names of kinds, by hand
    for mpi in MPIS:
        program = mpi.compile("ender", ENDER)
        matrix("C", mpi, program, [k for k in C_KINDS if not wanted or k.name in wanted], C_CALLS)
        if not wanted or "stopped" in wanted:
            stopped(mpi, program)
        if not wanted or "forks" in wanted:
            children_do_not_matter(mpi, program)
        if mpi.name == "openmpi" and (not wanted or "spawn" in wanted):
            spawned(mpi, program)  # it fails by itself on this MPICH
        if not wanted or "fortran" in wanted:
            fortran = mpi.compile("ender_f", FORTRAN_ENDER, suffix="f90")
            matrix("Fortran", mpi, fortran, FORTRAN_KINDS, FORTRAN_CALLS)
    tap.done()


main()
