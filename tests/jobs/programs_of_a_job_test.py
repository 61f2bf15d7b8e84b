#!/usr/bin/python3
"""A job of several programs (mpirun ./atm : ./ocean) names each with its ranks, and reports group by program or show one."""
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys

import jobs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "attach"))
import attaching  # noqa: E402

TEXT = r"""
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t ended;
static void end(int signal) { (void)signal; ended = 1; }
static void work(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double until = t.tv_sec + 1e-9 * t.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while (t.tv_sec + 1e-9 * t.tv_nsec < until && !ended);
}
int main(int argc, char **argv)
{
    static double out[1000], in[1000];
    int rank, size, within, all_within;
    MPI_Comm mine;
    signal(SIGUSR1, end);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, PROGRAM, rank, &mine);
    MPI_Comm_rank(mine, &within);
    MPI_Comm_size(mine, &all_within);
    MPI_Pcontrol(1, NAME);
    work(argc > 1 && !strcmp(argv[1], "long") ? 60 : 0.05 * (within + 1));
    MPI_Pcontrol(-1, NAME);
    MPI_Pcontrol(1, "couple");
    for (int i = 0; i < 3 * PROGRAM; i++)
        MPI_Sendrecv(out, 100 * PROGRAM, MPI_DOUBLE, (within + 1) % all_within, 1, in, 100 * PROGRAM, MPI_DOUBLE,
                     (within + all_within - 1) % all_within, 1, mine, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(out, 10, MPI_DOUBLE, size - 1, 2, MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Recv(in, 10, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(-1, "couple");
    MPI_Pcontrol(3, "end");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

FORTRAN = """
program ice
  use mpi
  integer :: ierr, rank, size, mine
  double precision :: x(10), y(10)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, 3, rank, mine, ierr)
  x = rank
  call MPI_Allreduce(x, y, 10, MPI_DOUBLE_PRECISION, MPI_SUM, mine, ierr)
  if (rank == size - 1) call MPI_Recv(x, 10, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
"""

VIEWS = ("summary", "mpi", "sizes", "balance", "topology", "regions", "timers", "calls", "callers", "flat", "modules",
         "sequence")


def program(mpi, name, number):
    return mpi.compile(name, TEXT, f"-DPROGRAM={number}", f'-DNAME="{name}"')


def report(profile, *options):
    return subprocess.run([jobs.FATHOM, "report", profile, *options], capture_output=True, text=True, check=False)


def as_json(profile, *options):
    return json.loads(report(profile, "--format", "json", *options).stdout)


def as_csv(profile, *options):
    return list(csv.DictReader(io.StringIO(report(profile, "--format", "csv", *options).stdout)))


def named(document):
    return [(p["name"], p["ranks"]) for p in document["job"]["programs"]]


def check_figures(tap, mpi, profile, names):
    """The programs of a job add up to the job."""
    whole, parts = as_json(profile), [as_json(profile, "--program", name) for name in names]
    tap.equal([p["job"]["ranks"] for p in parts], [2, 2, 3], f"{mpi.short}: each with its ranks alone")
    tap.equal([[p["rank"] for p in part["processes"]] for part in parts], [[0, 1], [5, 6], [2, 3, 4]],
              f"{mpi.short}: and its processes")
    tap.ok(all(p["job"]["complete"] for p in parts), f"{mpi.short}: ranks of others are not missing")
    calls = {r["name"]: r["calls"] for r in whole["mpi"]["routines"]}
    sums = {n: sum(r["calls"] for p in parts for r in p["mpi"]["routines"] if r["name"] == n) for n in calls}
    tap.equal(sums, calls, f"{mpi.short}: calls of all programs are those of the job")
    by_site = [sum(s["calls"] for s in p["mpi"]["sites"]) for p in parts]
    by_routine = [sum(r["calls"] for r in p["mpi"]["routines"]) for p in parts]
    tap.equal(by_site, by_routine, f"{mpi.short}: by call site as by routine, also in Fortran")
    time = sum(r["time_s"] for p in parts for r in p["mpi"]["routines"])
    tap.ok(abs(time - sum(r["time_s"] for r in whole["mpi"]["routines"])) < 1e-6, f"{mpi.short}: so do times", time)
    tap.equal([[(r["path"], r["entries"]) for r in p["mpi"]["regions"]] for p in parts],
              [[("atm", 2), ("couple", None)], [], [("couple", None), ("ocean", 3)]],
              f"{mpi.short}: regions, and that those of both are not known apart")
    tap.equal([p["job"]["program"]["left_out"]["snapshots"] for p in parts], [1, 1, 1],
              f"{mpi.short}: a snapshot of all is left out, and that is said")
    balance = [p["mpi"]["balance"]["load_balance"] for p in parts]
    tap.equal(balance, [p["load_balance"] for p in whole["job"]["programs"]],
              f"{mpi.short}: load balance is within each program")
    ranks = {c["per_rank"]["max_rank"] for p in parts[2:] for c in p["calls"]["root"]["children"]}
    tap.ok(ranks <= {2, 3, 4}, f"{mpi.short}: ranks of call paths are those of the job", ranks)
    return whole


def check_groups(tap, mpi, profile, names, whole):
    atm, ice, ocean = names
    between = {(t["from"], t["to"]): (t["pairs"], t["messages"], t["bytes"]) for t in whole["mpi"]["topology_programs"]}
    tap.equal(between, {(atm, atm): (2, 6, 4800), (ocean, ocean): (3, 18, 28800), (atm, ice): (1, 1, 80)},
              f"{mpi.short}: traffic between programs")
    rows = as_csv(profile, "--view", "topology")
    tap.equal([(r["from_program"], r["to_program"]) for r in rows if (r["from"], r["to"]) == ("0", "6")], [(atm, ice)],
              f"{mpi.short}: pairs say whose they are")
    rows = as_csv(profile, "--by", "program")
    tap.equal(sorted((r["program"], r["calls"]) for r in rows if r["routine"] == "MPI_Barrier"),
              [(atm, "2"), (ice, "2"), (ocean, "3")], f"{mpi.short}: routines by program")
    tap.equal(sorted((r["program"], r["rank"]) for r in as_csv(profile, "--view", "balance")),
              [(atm, "0"), (atm, "1"), (ice, "5"), (ice, "6"), (ocean, "2"), (ocean, "3"), (ocean, "4")],
              f"{mpi.short}: ranks by program")
    text = report(profile, "--view", "balance").stdout
    tap.ok(all(f"Program {name}: ranks " in text for name in names), f"{mpi.short}: balance of each", text)
    text = report(profile, "--view", "sequence").stdout
    tap.ok(all(f"\n{name}\nrank " in text for name in names), f"{mpi.short}: the sequence names them", text)
    text = report(profile, "--view", "regions").stdout
    tap.ok(any("ocean" in line and line.endswith(ocean) for line in text.splitlines()) and "2 programs" in text,
           f"{mpi.short}: regions say whose they are", text)


def check_options(tap, mpi, profile, names):
    ocean = names[2]
    for view in VIEWS:
        got = report(profile, "--program", ocean, "--view", view)
        tap.ok(got.returncode == 0 and got.stdout.splitlines()[0].startswith((ocean, f"Program {ocean}: ranks 2-4 of 7."))
               and not got.stderr, f"{mpi.short}: --view {view} of one program", got.stdout, got.stderr)
    got = report(profile, "--program", ocean, "--view", "snapshots")
    tap.ok(got.returncode == 1 and not got.stdout and "only as a sum" in got.stderr and got.stderr.count("\n") == 1,
           f"{mpi.short}: what cannot be split is refused in a sentence", got.stdout, got.stderr)
    got = report(profile, "--program", "sea")
    tap.ok(got.returncode == 2 and all(name in got.stderr for name in names), f"{mpi.short}: an unknown program", got.stderr)
    for words in (["modules", "compare", profile, profile], ["scale", "--same", profile, profile],
                  ["export", "--to", "collapsed", profile]):
        got = subprocess.run([jobs.FATHOM, *words, "--program", "sea"], capture_output=True, text=True, check=False)
        tap.ok(got.returncode == 2 and got.stderr.count("\n") == 1, f"{mpi.short}: {words[0]}: the same", got)
    tap.equal(report(profile, "--program", "3").stdout, report(profile, "--program", ocean).stdout,
              f"{mpi.short}: by number as by name")


def check_several(tap, mpi):
    atm, ocean = program(mpi, "atm", 1), program(mpi, "ocean", 2)
    ice = mpi.compile("ice", FORTRAN, suffix="f90")
    job = jobs.run(jobs.AROUND, mpi, 2, [atm, ":", "-n", 3, ocean, ":", "-n", 2, ice])
    names = [f"{name}.{mpi.name}" for name in ("atm", "ice", "ocean")]
    profile = job.profiles()[0]
    tap.equal(named(job.report()), list(zip(names, ("0-1", "5-6", "2-4"))), f"{mpi.short}: each with its ranks")
    text = report(profile).stdout
    tap.ok(text.startswith(f"{', '.join(names)} on 7 ranks:"), f"{mpi.short}: all in the first line", text)
    tap.ok(f"programs  {names[0]} (ranks 0-1), {names[1]} (ranks 5-6), {names[2]} (ranks 2-4)\n" in text,
           f"{mpi.short}: and with their ranks below it", text)
    whole = check_figures(tap, mpi, profile, names)
    check_groups(tap, mpi, profile, names, whole)
    check_options(tap, mpi, profile, names)


def check_alike(tap, mpi):
    """Two of one name, one of them twice with different arguments; and one alone."""
    atm = pathlib.Path(program(mpi, "atm", 1))
    other = jobs.SCRATCH / f"other.{mpi.name}" / atm.name
    other.parent.mkdir()
    shutil.copy(program(mpi, "ocean", 2), other)
    job = jobs.run(jobs.AROUND, mpi, 1, [atm, ":", "-n", 2, other, ":", "-n", 1, atm, "again"])
    label = f"{jobs.SCRATCH.name}/{atm.name}"
    tap.equal(sorted(named(job.report())), sorted([(label, "0,3"), (f"other.{mpi.name}/{atm.name}", "1-2")]),
              f"{mpi.short}: programs of one name are told apart by their directories")
    got = report(job.profiles()[0], "--program", atm.name)
    tap.ok(got.returncode == 2 and label in got.stderr, f"{mpi.short}: and their name is not enough", got.stderr)
    tap.equal([p["rank"] for p in as_json(job.profiles()[0], "--program", label)["processes"]], [0, 3],
              f"{mpi.short}: one program with two command lines is one")
    alone = jobs.run(jobs.AROUND, mpi, 2, [atm])
    text = report(alone.profiles()[0]).stdout
    tap.ok(len(alone.report()["job"]["programs"]) == 1 and not re.search("^program", text, re.MULTILINE) and
           "Parallel efficiency" in text,
           f"{mpi.short}: of one alone nothing is said", text)


def check_attached(tap, mpi):
    atm, ocean = program(mpi, "atm", 1), program(mpi, "ocean", 2)
    words = jobs.command_line(jobs.BARE, mpi, 1, [atm, "long", ":", "-n", "2", ocean, "long"])
    with subprocess.Popen(words, env=jobs.environment(jobs.SCRATCH / "none"), stdout=subprocess.DEVNULL) as job:
        pids = attaching.wait_for_ranks(job, 3)
        profile = str(jobs.SCRATCH / f"attached.{mpi.name}.fathom")
        done = attaching.attach(job.pid, "--samples", 5, "--save", profile)
        for pid in pids:
            subprocess.run(["kill", "-USR1", str(pid)], check=False)
    tap.equal(named(as_json(profile)), [(f"atm.{mpi.name}", "0"), (f"ocean.{mpi.name}", "1-2")],
              f"{mpi.short}: a profile of fathom attach names them, too")
    text = report(profile, "--program", "2", "--view", "calls").stdout
    tap.ok(f"main  [ocean.{mpi.name}]" in text and f"[atm.{mpi.name}]" not in text,
           f"{mpi.short}: and shows the call paths of one", text, done.stderr)


if __name__ == "__main__":
    jobs.check_each(check_several, check_alike, check_attached)
