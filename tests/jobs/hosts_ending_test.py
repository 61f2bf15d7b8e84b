#!/usr/bin/python3
"""Jobs on several hosts that end badly: `fathom run` collects on every host, into one profile, and names the hosts
that it could not reach."""
import pathlib
import subprocess

import hosts
import jobs

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 3 && !strcmp(argv[1], "kill"))
        kill(getpid(), SIGKILL);
    if (rank == 3 && !strcmp(argv[1], "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
SLOTS = {"nodea": 2, "nodeb": 2, "nodec": 1}
# A launcher after whose first job a host is gone: the script that stands for ssh then finds no way to it.
LOSING = """#!/bin/sh
[ "$FATHOM_RUN_ID" ] || exec {launcher} "$@"
{launcher} "$@"
status=$?
touch {lost}
exit $status
"""
# A launcher that does not start on a host the first time that it is asked to collect there.
FAILING = """#!/bin/sh
if [ ! "$FATHOM_RUN_ID" ]; then
    case "$*" in *nodeb*) [ -e {failed} ] || {{ touch {failed}; exit 1; }} ;; esac
fi
exec {launcher} "$@"
"""
AGENT = """#!/bin/sh
[ -e {lost} ] && case "$*" in *nodec*) echo "no route to host" >&2; exit 255 ;; esac
exec {agent} "$@"
"""


def start(words):
    job, env = jobs.prepare(jobs.AROUND, {"FATHOM_DIR": None})
    env.pop("FATHOM_DIR", None)
    done = subprocess.run([jobs.FATHOM, "run", "--", *words], cwd=job.work, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    return job


def left_on(fleet):
    """Every host with files of ours."""
    return [name for name in SLOTS
            if fleet.on(name, "find", "/dev/shm", "-type", "f", "-path", "'*fathom-*'").stdout.strip()]


def how_ended(report, rank):
    for end in report["job"]["ends"]:
        for part in end["ranks"].split(","):
            first, _, last = part.partition("-")
            if int(first) <= rank <= int(last or first):
                return end["how"]
    return "well"


def check(tap, fleet, mpi, program, ending, inside):
    how = f"{mpi.short}, {ending}, {'fathom run in each rank too' if inside else 'fathom run around it'}"
    job = start(fleet.mpirun(mpi, SLOTS) + ([jobs.FATHOM, "run"] if inside else []) + [program, ending])
    try:
        report = job.report()
    except LookupError as error:
        tap.ok(False, f"{how}: one profile", error, job)
        return
    tap.equal(jobs.calls(report)["MPI_Allreduce"], 25, f"{how}: every rank's calls are in one profile")
    wanted = "error code 7" if ending == "abort" else "signal 9" if inside else "vanished"
    tap.ok(wanted in how_ended(report, 3), f"{how}: rank 3 {wanted}", report["job"]["ends"])
    said = job.stderr.decode("utf-8", "replace")
    tap.ok("incomplete" in said and "profile in" in said and "reached" not in said, f"{how}: the user is told", said)
    tap.equal(left_on(fleet), [], f"{how}: nothing is left on any host")


def check_again(tap, fleet, mpi, program):
    how = f"{mpi.short}, a launcher fails once"
    failed, launcher = jobs.SCRATCH / f"failed.{mpi.name}", jobs.SCRATCH / f"mpirun.{mpi.name}"
    words = fleet.mpirun(mpi, SLOTS)
    launcher.write_text(FAILING.format(failed=failed, launcher=words[0]), encoding="utf-8")
    launcher.chmod(0o755)
    job = start([str(launcher)] + words[1:] + [program, "kill"])
    said = job.stderr.decode("utf-8", "replace")
    tap.ok(failed.exists() and "reach" not in said and len(job.profiles()) == 1 and
           jobs.calls(job.report())["MPI_Allreduce"] == 25, f"{how}: it is started again", said)
    tap.equal(left_on(fleet), [], f"{how}: nothing is left on any host")


def check_lost(tap, fleet, mpi, program):
    how = f"{mpi.short}, a host lost"
    scratch = pathlib.Path(jobs.SCRATCH)
    lost, agent, launcher = scratch / "lost", scratch / "agent", scratch / f"mpirun.{mpi.name}"
    words = [str(agent) if word == fleet.agent else word for word in fleet.mpirun(mpi, SLOTS)]
    agent.write_text(AGENT.format(lost=lost, agent=fleet.agent), encoding="utf-8")
    launcher.write_text(LOSING.format(lost=lost, launcher=words[0]), encoding="utf-8")
    agent.chmod(0o755)
    launcher.chmod(0o755)
    job = start([str(launcher)] + words[1:] + [program, "kill"])
    said = job.stderr.decode("utf-8", "replace")
    tap.ok("cannot reach 1 host: nodec" in said, f"{how}: it is named", said)
    try:
        report = job.report()
        tap.equal((jobs.calls(report)["MPI_Allreduce"], how_ended(report, 4)), (20, "left no data"),
                  f"{how}: the other hosts' ranks are in the profile")
    except LookupError as error:
        tap.ok(False, f"{how}: one profile", error, job)
    tap.equal(left_on(fleet), ["nodec"], f"{how}: its data stays where it is")
    fleet.on("nodec", "rm", "-rf", "/dev/shm/fathom-*")
    lost.unlink(missing_ok=True)


def main():
    hosts.require()
    tap = jobs.Tap()
    with hosts.Hosts(*SLOTS) as fleet:
        for mpi in jobs.MPIS:
            program = mpi.compile("hosts_ending", PROGRAM)
            for ending in ("kill", "abort"):
                for inside in (False, True):
                    check(tap, fleet, mpi, program, ending, inside)
            check_again(tap, fleet, mpi, program)
            check_lost(tap, fleet, mpi, program)
    tap.done()


main()
