#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Unmodified MPI programs under a real Slurm with the plug-in: every step leaves one profile in the spool, unless it is
excluded or switched off; no job notices."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import daemons
import jobs
import rsyslog
import slurm
from slurm_site import OTHER, USER, Site, srun_of

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "wait") == 0) {
        printf("waiting\n");
        fflush(stdout);
        while (access(argv[2], F_OK) != 0)
            usleep(10000);
        raise(SIGKILL);
    }
    if (rank == 0)
        printf("%d ranks, sum %d, preload %s\n", size, sum, getenv("SHOW") ? getenv("LD_PRELOAD") : "");
    MPI_Finalize();
    return 0;
}
"""


def summary(reports):
    """What each test looks at: (ranks, complete, calls of MPI_Allreduce, owner, mode) of each profile."""
    return [(r["job"]["ranks"], r["job"]["complete"], jobs.calls(r).get("MPI_Allreduce"), r["owner"], r["mode"])
            for r in reports]


LINE = re.compile(r"\S+ \S+ uid=(?P<uid>\d+) pid=\d+ 1 [0-9a-f]{32} (?P<number>\d+)/(?P<of>\d+) [0-9a-f]{8} (?P<text>.*)\|")
MEASURED = [(2, True, 20, USER, 0o600)]
PRINTED = "2 ranks, sum 1, preload \n"


def check_srun(tap, site, mpi):
    done = site.srun(USER, *srun_of(mpi), site.programs["model", mpi.name], cwd=site.home[USER])
    tap.equal((done.returncode, done.stdout, done.stderr), (0, PRINTED, ""), f"{mpi.short}: srun prints what it printed")
    reports = site.taken()
    if tap.equal(summary(reports), MEASURED, f"{mpi.short}: one profile of both ranks in the spool"):
        tap.ok(reports[0]["job"]["id"].isdigit() and reports[0]["job"]["launcher"] == "Slurm",
               f"{mpi.short}: with Slurm's number of the job", reports[0]["job"])
    tap.equal(list(site.home[USER].iterdir()), [], f"{mpi.short}: nothing where the job ran")


def check_batch(tap, site, mpi):
    mpirun = " ".join(mpi.mpirun(2))
    status, out = site.sbatch(USER, f"{mpirun} {site.programs['model', mpi.name]}\n", folder=site.home[USER])
    tap.equal((status, out), (0, PRINTED), f"{mpi.short}: mpirun in a batch script prints what it printed")
    tap.equal(summary(site.taken()), MEASURED, f"{mpi.short}: one profile in the spool")
    script = f"srun --overcommit {' '.join(srun_of(mpi))} {site.programs['model', mpi.name]}\n"
    status, out = site.sbatch(USER, 2 * script, folder=site.home[USER])
    tap.equal(summary(site.taken()), 2 * MEASURED, f"{mpi.short}: two srun in a batch script leave two profiles")
    status, out = site.sbatch(USER, script + f"{mpirun} {site.programs['model', mpi.name]}\n", "--fathom=no",
                              folder=site.home[USER])
    tap.equal((status, out.count(PRINTED), summary(site.taken())), (0, 2, []),
              f"{mpi.short}: sbatch --fathom=no holds for all of its steps")
    status, out = site.sbatch(USER, script.replace("srun", "srun --fathom=no"), folder=site.home[USER])
    tap.equal((status, out.count(PRINTED), summary(site.taken())), (0, 1, []),
              f"{mpi.short}: srun --fathom=no in a script that is measured")


def check_options(tap, site, mpi):
    model, folder = site.programs["model", mpi.name], site.home[USER]

    def srun(*words, **more):
        return site.srun(more.pop("uid", USER), *srun_of(mpi), *words, **more)

    srun("--fathom=no", model)
    tap.equal(summary(site.taken()), [], "--fathom=no: not measured")
    srun("--fathom=sample=off,io=off", model)
    reports = site.taken()
    tap.equal(summary(reports), MEASURED, "--fathom=sample=off,io=off: measured")
    tap.equal([(r["calls"], r["job"]["environment"].get("FATHOM_SAMPLE")) for r in reports], [(None, "off")], "without samples")
    done = srun("--fathom=colour=red", model)
    tap.ok(done.returncode == 0 and "fathom: --fathom has no 'colour'; ignored" in done.stderr and done.stdout == PRINTED,
           "a wrong option is told, and the job runs", done)
    tap.equal(summary(site.taken()), MEASURED, "and is measured")

    srun(model, uid=OTHER, cwd=site.home[OTHER])
    tap.equal(summary(site.taken()), [], "an excluded user is not measured")
    srun("--fathom=yes", model, uid=OTHER, cwd=site.home[OTHER])
    tap.equal(summary(site.taken()), [(2, True, 20, OTHER, 0o600)], "unless that is asked for with --fathom=yes")
    srun(site.programs["excluded", mpi.name])
    tap.equal(summary(site.taken()), [], "an excluded program is not measured")

    preloaded = str(site.folder / "own.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", preloaded, "-x", "c", "-"], input=b"int fathom_test_own = 1;", check=True)
    done = srun(model, env={"LD_PRELOAD": preloaded, "SHOW": "1"})
    tap.equal(done.stdout, f"2 ranks, sum 1, preload {site.folder}/fathom/libfathom.so.0:{preloaded}\n",
              "LD_PRELOAD of the user is kept, after ours")
    tap.equal(summary(site.taken()), MEASURED, "and the job is measured")
    done = srun(model, env={"FATHOM_OUTPUT": f"{folder}/own.fathom"})
    tap.ok((folder / "own.fathom").exists() and not site.taken(), "FATHOM_OUTPUT of the user is kept", done)
    (folder / "own.fathom").unlink(missing_ok=True)
    done = site.run(USER, [site.folder / "fathom" / "fathom", "run", "-q", "-o", folder / "own.fathom", "--",
                           "srun", "--overcommit", *srun_of(mpi), model])
    tap.ok((folder / "own.fathom").exists() and not site.taken(), "a measurement of the user's own is left alone", done)
    (folder / "own.fathom").unlink(missing_ok=True)


def check_switch(tap, site, mpi):
    model = site.programs["model", mpi.name]
    site.off.touch()
    done = site.srun(USER, *srun_of(mpi), "--fathom=yes", model, env={"SHOW": "1"})
    tap.equal((done.stdout, summary(site.taken())), ("2 ranks, sum 1, preload (null)\n", []),
              "while the file that switches Fathom off is there, nothing of it is in new steps")
    site.off.unlink()
    site.srun(USER, *srun_of(mpi), model)
    tap.equal(summary(site.taken()), MEASURED, "they are measured again when it is gone")


def check_faults(tap, site, mpi):
    model = site.programs["model", mpi.name]
    plugin = "optional {folder}/fathom/spank_fathom.so "
    for name, arguments in (("no configuration", "conf={folder}/none lib={folder}/fathom/libfathom.so.0 off={folder}/off"),
                            ("no library", "lib={folder}/none.so"), ("no arguments", ""),
                            ("wrong arguments", "colour=red nonsense lib=relative"),
                            ("a configuration that is a directory", "conf={folder}")):
        site.set_plugstack(plugin + arguments + "\n")
        done = site.srun(USER, *srun_of(mpi), model, cwd=site.home[USER])
        tap.equal((done.returncode, done.stdout, done.stderr), (0, PRINTED, ""), f"{name}: the job runs and notices nothing")
        for path in site.home[USER].glob("*.fathom"): # without a spool
            path.unlink()
    site.set_plugstack("optional {folder}/none.so\n")
    done = site.srun(USER, *srun_of(mpi), model)
    tap.equal((done.returncode, done.stdout), (0, PRINTED), "without the plug-in's file, too")
    site.set_plugstack(plugin + site.ARGUMENTS + "\n")
    site.taken()


def check_killed(tap, site, mpi):
    """The processes die without a word; the Epilog makes the profile."""
    go = site.folder / "go"
    go.unlink(missing_ok=True)
    words = ["srun", "--overcommit", "--unbuffered", *srun_of(mpi), site.programs["model", mpi.name], "wait", go]
    waiting = subprocess.Popen(daemons.as_user(USER, words), env=site.environment, cwd="/", stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    lines = "".join(waiting.stdout.readline() for _ in range(2))  # unbuffered: srun may mix the lines of two ranks
    tap.equal(lines.replace("\n", ""), "waitingwaiting", f"{mpi.short}: both ranks run")
    go.touch()
    waiting.communicate(timeout=slurm.LIMIT_S)
    daemons.wait_for(lambda: list(site.spool.glob("*.fathom")), 20)
    daemons.wait_for(lambda: not site.ask("squeue", "-h").strip(), 20)
    tap.equal(summary(site.taken()), [(2, False, 20, USER, 0o600)], f"{mpi.short}: killed ranks are collected by the Epilog")
    left = list(pathlib.Path(f"/dev/shm/fathom-{USER}").glob(f"slurm-{site.first_job // 1000}???-*"))
    tap.equal(left, [], f"{mpi.short}: no segment is left")
    tap.equal(site.ask("sinfo", "-h", "-o", "%T").strip(), "idle", f"{mpi.short}: the node is not drained")


def check_records(tap, site, mpi):
    """The whole way on the node: the Epilog sends the record, rsyslog writes it with the uid of the user."""
    why = rsyslog.unavailable()
    if why:
        tap.skip(f"{mpi.short}: records through rsyslog", why)
        return
    with rsyslog.Rsyslog("single") as daemon:
        (site.folder / "send.conf").write_text(f"spool = {site.spool}\nsend = syslog\nsyslog_socket = {daemon.socket}\n")
        done = site.srun(USER, *srun_of(mpi), site.programs["model", mpi.name])
        lines = [LINE.fullmatch(line.decode()) for line in daemon.lines(1)]
        number = int(lines[0]["of"]) if lines and lines[0] else 1
        lines = [LINE.fullmatch(line.decode()) for line in daemon.lines(number)]
        tap.ok(done.returncode == 0 and all(lines) and sorted(int(m["number"]) for m in lines) == list(range(1, number + 1)),
               f"{mpi.short}: a record in {number} chunks in the file of rsyslog", done, lines, *daemon.lines(1))
        tap.equal({int(m["uid"]) for m in lines if m}, {USER}, f"{mpi.short}: each with the uid of the user")
        record = json.loads("".join(m["text"] for m in sorted(lines, key=lambda m: int(m["number"]))))
        tap.equal((record["job"]["ranks"], record["job"]["complete"]), (2, True), f"{mpi.short}: the record is of that job")
        daemons.wait_for(lambda: not list(site.spool.iterdir()), 20)
        tap.equal(list(site.spool.iterdir()), [], f"{mpi.short}: what was sent is not in the spool any more")
        (site.folder / "send.conf").unlink()


def check_task_prolog(tap, site, mpi):
    """The way without the plug-in."""
    site.set_plugstack("")
    env = {"FATHOM_LIBRARY_PATH": f"{site.folder}/fathom/libfathom.so.0", "FATHOM_SPOOL": str(site.spool),
           "FATHOM_OFF": str(site.off)}
    words = [*srun_of(mpi), f"--task-prolog={site.folder}/examples/task_prolog",
             f"--task-epilog={site.folder}/examples/task_epilog", site.programs["model", mpi.name]]
    done = site.srun(USER, *words, env=env)
    tap.equal((done.returncode, done.stdout, done.stderr), (0, PRINTED, ""), "with TaskProlog alone the job runs")
    tap.equal(summary(site.taken()), MEASURED, "and is measured")
    site.off.touch()
    site.srun(USER, *words, env=env)
    tap.equal(summary(site.taken()), [], "but not while it is switched off")
    site.off.unlink()


def main():
    tap = jobs.Tap()
    why = slurm.unavailable()
    if not why and not (jobs.BUILD / "spank_fathom.so").exists():
        why = "the plug-in is not built: slurm/spank.h was not found"
    if why:
        tap.skip("jobs under Slurm", why)
        tap.done()
    started = time.monotonic()
    with Site(PROGRAM, "model", "excluded") as site:
        try:
            tap.note(f"Slurm is up in {site.folder} after {time.monotonic() - started:.1f} s")
            for mpi in jobs.MPIS:
                check_srun(tap, site, mpi)
                check_batch(tap, site, mpi)
                check_killed(tap, site, mpi)
                check_records(tap, site, mpi)
            for check in (check_options, check_switch, check_faults, check_task_prolog):
                check(tap, site, jobs.MPIS[-1])
        except Exception as error: # pylint: disable=broad-except
            tap.ok(False, "the test runs to its end", repr(error))
        if tap.failed:
            for name in ("slurmctld.log", "slurmd.log"):
                tap.note((site.folder / name).read_text(errors="replace")[-4000:])
    for uid in (USER, OTHER):
        try:
            os.rmdir(f"/dev/shm/fathom-{uid}")
        except OSError:
            pass
    tap.equal(daemons.processes_of(str(site.folder)), [], "no process is left")
    tap.done()


main()
