#!/usr/bin/env python3
"""`fathom attach` to a job on two hosts: an agent on each, started by the job's own launcher, and one result. The job
does what it does without it, whatever happens to the agents."""
import json
import os
import re
import shutil
import subprocess
import time

import hosts
import jobs
import machines

# Phases by the clock on the wall, until there is a file "enough". They leave room on the cores for whoever looks: their
# functions sleep most of the time, and do that themselves, so that all of it is theirs.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "raw_sleep.h"
static const struct timespec nap = {0, 2000000};
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
#define PHASE(name, k) \
    static __attribute__((noinline)) void name(double until) \
    { volatile double sum = k; while (now() < until) { for (int i = 0; i < 100000; i++) sum += i; raw_sleep(&nap); } }
PHASE(ocean, 1)
PHASE(atmosphere, 2)
int main(int argc, char **argv)
{
    int rank, enough = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) { puts("ready"); fflush(stdout); }
    while (!enough) {
        double t = now();
        ocean(t + 0.15);
        atmosphere(t + 0.2);
        enough = rank == 0 && access("enough", F_OK) == 0;
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) { puts("done"); fflush(stdout); }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 5;
}
"""
MODULES = "module ocean function ocean\nmodule atmosphere function atmosphere\n"
SLOTS = {"nodea": 2, "nodeb": 2}
# What else UCX would try does not work between pid namespaces. Even so this MPICH often hangs in MPI_Finalize there,
# without Fathom too: so its jobs are ended by force once they have said all that they have to say.
TRANSPORT = {"UCX_TLS": "tcp"}
# Open MPI warns of that if its child has started the agent before the parent calls setpgid: a race of its own.
SETPGID = r"(?m)^\[[^\]\n]*\] plm:rsh: Warning: setpgid\(.*\n"
SRUN = """#!/bin/sh
echo "$@" >>{log}
while [ "${{1#-}}" != "$1" ]; do shift; done
{mpirun} "$@"
"""


class Running:
    """A job on the hosts, from the time that all its ranks are there; ended by `end`."""

    def __init__(self, fleet, mpi, where, command, env=None):
        self.fleet, self.mpi, self.where = fleet, mpi, where
        self.job, self.env = jobs.prepare(jobs.BARE, {**TRANSPORT, "FATHOM_DIR": None, **(env or {})})
        self.process = fleet.start(where, command, cwd=self.job.work, env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline()
        self.pid = self.find(r"(/bin/sh )?\S*(mpirun|srun)")

    def find(self, pattern):
        """The first process, where the launcher is, whose words begin so; None: it is gone."""
        found = self.fleet.processes(self.where)
        return next((pid for pid, _, _, words in found if re.match(pattern, words)), None)

    def attach(self, *options, start=False):
        words = [jobs.FATHOM, "attach", self.pid, *options]
        process = self.fleet.start(self.where, [str(word) for word in words], cwd=self.job.work, env=self.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if start:
            return process
        out, err = process.communicate(timeout=jobs.LIMIT_S)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def ranks(self):
        """(state, tracer) of every rank."""
        return [(state, tracer) for name in SLOTS for _, state, tracer, words in self.fleet.processes(name)
                if re.match(r"\S*/phases", words)]

    def end(self):
        """Status, output and errors, without what differs from run to run."""
        (self.job.work / "enough").touch()
        if self.mpi.name == "mpich":
            out = self.process.stdout.readline()
            self.stop()
            return "not waited for", self.first + out, ""
        out, err = self.process.communicate(timeout=jobs.LIMIT_S)
        return self.process.returncode, self.first + out, re.sub(r"\d+", "N", re.sub(SETPGID, "", err))

    def stop(self):
        launcher = self.find(r"\S*mpirun")
        if launcher:
            self.fleet.on(self.where, f"kill {launcher}")
        self.process.communicate(timeout=jobs.LIMIT_S)


def last(seen):
    lines = [json.loads(line) for line in seen.stdout.splitlines()]
    return lines[-1] if lines else None


def fathoms(fleet):
    """All processes of Fathom's on the hosts, and launchers of them."""
    return [(name, words) for name in fleet.names for _, state, _, words in fleet.processes(name)
            if state != "Z" and "fathom attach" in words]


def check_none_left(tap, fleet, title):
    for _ in range(200):
        left = fathoms(fleet)
        if not left:
            break
        time.sleep(0.1)
    tap.equal(left, [], f"{title}: nothing runs on")


def file_of_modules():
    path = jobs.SCRATCH / "modules"
    path.write_text(MODULES, encoding="utf-8")
    return path


def check_found(tap, running, title, *options):
    """All ranks, and what they do."""
    seen = running.attach("--samples", 100, "--hz", 50, "--json", "--modules", file_of_modules(), *options)
    end = last(seen)
    if not tap.ok(seen.returncode == 0 and end, f"{title}: attached", seen.stdout, seen.stderr):
        return
    shares = {m["name"]: (m["share"], m["interval_width"]) for m in end["modules"]}
    tap.equal((end["final"], end["ranks"], end["moments"]), (True, 4, 100), f"{title}: all ranks of both hosts")
    tap.ok(end["samples"] > 200 and end["stops"]["count"] > 0, f"{title}: more samples than one host has", end)
    # the interval, and what full cores add to a phase
    tap.ok(all(width and abs(share - truth) <= width + 0.05 for (share, width), truth in
               ((shares["ocean"], 0.75), (shares["atmosphere"], 0.25))), f"{title}: shares are right", shares)
    tap.equal(seen.stderr, "", f"{title}: nothing else is said")


def check_saved(tap, running, title):
    profile = running.job.work / "saved.fathom"
    seen = running.attach("--samples", 10, "--save", profile)  # on busy cores a thread may miss a moment
    taken = re.search(r"\b(\d+) samples at 10 points in time", seen.stdout)
    if tap.ok(seen.returncode == 0 and taken and "4 ranks" in seen.stderr,
              f"{title}: the view at the end, and a line before", seen.stdout, seen.stderr):
        report = running.job.report(profile)
        lost = report["calls"]["lost"]
        tap.ok(int(taken[1]) <= 40 <= int(taken[1]) + lost, f"{title}: samples that are not there are counted", taken[1], lost)
        tap.equal(([(h["name"], h["ranks"]) for h in report["job"]["hosts_list"]], report["job"]["ranks"]),
                  ([("nodea", "0-1"), ("nodeb", "2-3")], 4), f"{title}: hosts and ranks in the saved profile")


def check_unreachable(tap, running, title):
    seen = running.attach("--samples", 10, "--json", "--hosts", "nodea,nowhere")
    tap.ok("cannot sample ranks 2-3 on other hosts" in seen.stderr and "could not start Fathom on nodea,nowhere" in seen.stderr,
           f"{title}: a host that cannot be reached is told of", seen.stderr)
    tap.ok(seen.returncode == 0 and last(seen)["ranks"] == 2, f"{title}: what is here is shown", seen.stdout)


def check_killed(tap, running, title, whom):
    """whom: a pattern of the command line that is to be killed, on any host but once."""
    process = running.attach("--for", 60, "--hz", 100, "--json", start=True)
    first = process.stdout.readline()
    fleet = running.fleet
    victims = [(name, pid) for name in reversed(fleet.names) for pid, _, _, words in fleet.processes(name)
               if re.match(whom, words)]
    tap.ok(victims and json.loads(first)["ranks"] == 4, f"{title}: something to be killed", first)
    fleet.on(victims[0][0], f"kill -9 {victims[0][1]}")
    out, err = process.communicate(timeout=jobs.LIMIT_S)
    check_none_left(tap, fleet, title)
    ranks = running.ranks()
    tap.ok(len(ranks) == 4 and all(state in "RS" and not tracer for state, tracer in ranks),
           f"{title}: no rank is stopped", ranks)
    return process.returncode, out, err


def check_interrupted(tap, running, title):
    process = running.attach("--for", 60, "--json", start=True)
    process.stdout.readline()
    tool = running.find(r"\S*fathom attach \d")
    running.fleet.on(running.where, f"kill -INT {tool}")
    out, err = process.communicate(timeout=jobs.LIMIT_S)
    end = json.loads(out.splitlines()[-1]) if out else {}
    tap.ok((process.returncode, err) == (0, "") and end.get("final") and end["ranks"] == 4,
           f"{title}: ends with what was found", out, err)
    check_none_left(tap, running.fleet, title)


def check_alone(tap, fleet, mpi, running, title):
    """Agents that somebody has started by hand."""
    words = fleet.mpirun(mpi, dict.fromkeys(SLOTS, 1)) + [jobs.FATHOM, "attach", "--agents",
                                                          f"phases.{mpi.name}", "--samples", "20", "--json"]
    process = fleet.start("nodea", words, cwd=running.job.work, env=running.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate(timeout=jobs.LIMIT_S)
    lines = [json.loads(line) for line in out.splitlines()]
    tap.ok(process.returncode == 0 and lines and lines[-1]["final"] and lines[-1]["ranks"] == 4, title, out, err)


def check_job(tap, fleet, mpi, program):
    command = fleet.mpirun(mpi, SLOTS) + [program]
    bare = Running(fleet, mpi, "nodea", command).end()
    running = Running(fleet, mpi, "nodea", command)
    check_found(tap, running, f"{mpi.short}, mpirun among its ranks")
    check_found(tap, running, f"{mpi.short}, hosts named", "--hosts", "nodea,nodeb")
    check_saved(tap, running, f"{mpi.short}, saved")
    check_unreachable(tap, running, mpi.short)
    check_alone(tap, fleet, mpi, running, f"{mpi.short}, agents started by hand")
    check_interrupted(tap, running, f"{mpi.short}, Ctrl-C")
    check_killed(tap, running, f"{mpi.short}, the tool killed", r"\S*fathom attach \d")
    _, out, err = check_killed(tap, running, f"{mpi.short}, an agent killed", r"\S*fathom attach --agents")
    tap.ok(json.loads(out.splitlines()[-1])["final"] and "until then" in err,
           f"{mpi.short}, an agent killed: what was seen is shown", out, err)
    tap.equal(running.end(), bare, f"{mpi.short}: the job is as ever")
    running = Running(fleet, mpi, "login", command)
    check_found(tap, running, f"{mpi.short}, no rank where mpirun is")
    tap.equal(running.end(), bare, f"{mpi.short}, no rank where mpirun is: the job is as ever")


def check_under_fathom(tap, fleet, mpi, program):
    title = f"{mpi.short}, under Fathom"
    running = Running(fleet, mpi, "nodea", [jobs.FATHOM, "run", "--"] + fleet.mpirun(mpi, SLOTS) + [program],
                      {"FATHOM_EVERYWHERE": "1"})
    seen = running.attach("--for", 3, "--json")
    end = last(seen)
    tap.ok(seen.returncode == 0 and end and (end["ranks"], end["stops"]) == (4, None) and end["samples"] > 0,
           f"{title}: segments of both hosts are read, and nothing is stopped", seen.stdout, seen.stderr)
    tap.equal(running.end()[:2], (5 if mpi.name == "openmpi" else "not waited for", "ready\ndone\n"),
              f"{title}: it ends as ever")
    if mpi.name == "mpich":
        tap.skip(f"{title}: its profile", "MPI_Finalize of this MPICH hangs between pid namespaces")
        return
    tap.equal((len(running.job.profiles()), running.job.report()["job"]["complete"]), (1, True),
              f"{title}: its profile is whole, and the only one")


def check_slurm(tap, fleet, mpi, program):
    """There is no Slurm here: srun is a script that has Hydra start what it is asked to."""
    where = jobs.SCRATCH / "slurm"
    where.mkdir()
    log = where / "log"
    launcher = " ".join([shutil.which("mpirun.mpich"), "-launcher", "ssh", "-launcher-exec", fleet.agent, "-hosts",
                         "nodea,nodeb", "-n", "${TASKS:-2}"])
    for name, text in (("srun", SRUN.format(log=log, mpirun=launcher)),
                       ("scontrol", "#!/bin/sh\necho nodea; echo nodeb\n")):
        (where / name).write_text(text, encoding="utf-8")
        (where / name).chmod(0o755)
    running = Running(fleet, mpi, "nodea", ["srun", "-n2", program], {
        "PATH": f"{where}:{os.environ['PATH']}", "SLURM_JOB_ID": "77", "SLURM_JOB_NODELIST": "node[a-b]"})
    seen = running.attach("--samples", 10, "--json")
    end = last(seen)
    tap.ok(seen.returncode == 0 and end and end["ranks"] == 2, "srun: ranks of both hosts", seen.stdout, seen.stderr)
    asked = log.read_text(encoding="utf-8").splitlines()
    tap.ok(len(asked) == 2 and {"--jobid=77", "--overlap", "--nodes=2", "--ntasks-per-node=1"} <= set(asked[1].split()),
           "srun: started in the job's allocation, beside it", asked)
    tap.equal(running.end()[1], "ready\ndone\n", "srun: the job goes on as ever")


def main():
    hosts.require()
    tap = jobs.Tap()
    with machines.Machines("nodea", "nodeb", "login") as fleet:
        for mpi in jobs.MPIS:
            program = mpi.compile("phases", PROGRAM, f"-I{jobs.SOURCE / 'tests/runtime/programs'}")
            check_job(tap, fleet, mpi, program)
            check_under_fathom(tap, fleet, mpi, program)
            if mpi.name == "mpich":
                check_slurm(tap, fleet, mpi, program)
    tap.done()


main()
