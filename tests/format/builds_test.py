#!/usr/bin/env python3
"""Two builds of Fathom, of which one has more in its segments and its profiles: each reads what the other has measured,
while it runs, when it was killed and when it is a profile. And which routine a number means is not changed by accident."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import other_build
from old_files import jobs

RANKS, ROUNDS = 2, 25
PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, sum, got;
    char ready[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < %d; i++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) %% size, 0, &got, 1, MPI_INT, (rank + size - 1) %% size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    snprintf(ready, sizeof ready, "ready.%%d", rank);
    fclose(fopen(ready, "w"));
    while (!strcmp(argv[1], "waits") && access("enough", F_OK) != 0)
        usleep(10000);
    if (!strcmp(argv[1], "killed"))
        kill(getpid(), SIGKILL);
    MPI_Finalize();
    return 0;
}
""" % ROUNDS
UNTIL_THEN = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Allreduce": ROUNDS, "MPI_Sendrecv": ROUNDS}
LEFT_OUT = "by a newer version of Fathom; parts unknown to this version were ignored (1 section, "


class Build:
    def __init__(self, name, folder, newer):
        self.name, self.folder, self.newer = name, pathlib.Path(folder), newer

    def fathom(self, job, *words):
        return subprocess.run([str(self.folder / "fathom"), *map(str, words)], cwd=job.work, capture_output=True, text=True,
                              env=jobs.environment(job.segments, {"LC_ALL": "C.UTF-8"}), timeout=jobs.LIMIT_S, check=False)

    def environment(self, job):
        return jobs.environment(job.segments, {"LD_PRELOAD": str(self.folder / "libfathom.so.0")})


def counts(ranks, whole):
    return {name: number * ranks for name, number in {**UNTIL_THEN, **({"MPI_Finalize": 1} if whole else {})}.items()}


def check(tap, reader, writer, done, title):
    """What a command of the reader did with what the writer has measured, and what it says of it."""
    expected = not reader.newer and writer.newer
    told = [line for line in done.stderr.splitlines() if LEFT_OUT in line]
    tap.ok(done.returncode == 0 and len(told) == expected, f"{title}: {'one' if expected else 'no'} sentence of more", done)


def check_counts(tap, reader, job, profile, wanted, title):
    done = reader.fathom(job, "report", "--format", "json", profile)
    report = json.loads(done.stdout) if done.returncode == 0 else None
    tap.ok(report and jobs.calls(report) == wanted, f"{title}: the counts are exact", wanted, report and jobs.calls(report),
           done.stderr)
    return done, report


def start(mpi, writer, program):
    """A job that waits; when every rank has done its rounds."""
    job, _ = jobs.prepare(jobs.BARE)
    process = subprocess.Popen([*mpi.mpirun(RANKS), program, "waits"], cwd=job.work, env=writer.environment(job),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not all((job.work / f"ready.{rank}").exists() for rank in range(RANKS)):
        if process.poll() is not None:
            raise RuntimeError(f"the job has ended with {process.returncode}")
        time.sleep(0.05)
    return job, process


def ranks_of(job):
    """pid by the names of the segments; a launcher that loads the library has one, too."""
    pids = [int(name.split(".")[1]) for name in job.left() if name.endswith(".segment")]
    return [pid for pid in pids if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("rounds")]


def check_running(tap, mpi, reader, writer, program, title):
    job, process = start(mpi, writer, program)
    saved = job.work / "seen.fathom"
    done = reader.fathom(job, "attach", *ranks_of(job), "--for", "0.2", "--save", saved)
    check(tap, reader, writer, done, f"{title}, running")
    check_counts(tap, reader, job, saved, counts(RANKS, False), f"{title}, running")
    (job.work / "enough").touch()
    process.wait(jobs.LIMIT_S)
    check_profile(tap, reader, writer, job, title)


def check_profile(tap, reader, writer, job, title):
    """The profile that the job has left: the writer's own runtime has merged it."""
    found = job.profiles()
    found.remove(str(job.work / "seen.fathom"))
    if not tap.equal(len(found), 1, f"{title}, ended: one profile"):
        return
    done, report = check_counts(tap, reader, job, found[0], counts(RANKS, True), f"{title}, ended")
    check(tap, reader, writer, done, f"{title}, ended")
    later = report and report["job"]["per_rank"].get("later", "not known at all")
    tap.equal(later, None if reader.newer else "not known at all",
              f"{title}, ended: a figure that only the reader has is unknown")
    version = reader.fathom(job, "--version").stdout.split()[1]
    tap.equal(report and report["job"]["versions"], {"runtime": version, "profile": version},
              f"{title}, ended: it says which Fathom measured and which merged")


def check_dead(tap, mpi, reader, writer, program, title):
    job, process = start(mpi, writer, program)
    for pid in ranks_of(job):
        with contextlib.suppress(ProcessLookupError):  # mpirun ends the others when the first one dies
            os.kill(pid, signal.SIGKILL)
    process.wait(jobs.LIMIT_S)
    done = reader.fathom(job, "collect", "-o", job.work)
    check(tap, reader, writer, done, f"{title}, killed")
    for profile in job.profiles() or ["none"]:
        check_counts(tap, reader, job, profile, counts(RANKS, False), f"{title}, killed")
    tap.equal(job.left(), [], f"{title}, killed: no segment is left")


def check_watched(tap, reader, writer, program, title):
    """The reader's `fathom run` notes the end in a segment of the writer. The program that exec replaces has one of the
    reader's own."""
    job, _ = jobs.prepare(jobs.BARE)
    saved = job.work / "watched.fathom"
    done = reader.fathom(job, "run", "-o", saved, "--", "env", f"LD_PRELOAD={writer.folder / 'libfathom.so.0'}", program,
                         "killed")
    _, report = check_counts(tap, reader, job, saved, counts(1, False), f"{title}, watched")
    tap.ok(report and [how for _, how, _ in jobs.ends(report)] == ["killed by signal 9 (SIGKILL)"], f"{title}, watched: how it ended",
           done, report and jobs.ends(report))


def check_numbers(tap):
    """Segments hold numbers of routines."""
    table = next((jobs.SOURCE / "src").rglob("calls.table")).read_text(encoding="utf-8")
    changed = jobs.SCRATCH / "changed.table"
    changed.write_text(table.replace("MPI_Send  ", "MPI_New plain -\nMPI_Send  ", 1), encoding="utf-8")
    outputs = [str(jobs.SCRATCH / name) for name in ("routines.h", "routines.c", "wrappers.c")]
    done = subprocess.run([sys.executable, str(jobs.SOURCE / "tools/make_wrappers.py"), str(changed), *outputs],
                          capture_output=True, text=True, check=False)
    tap.ok(done.returncode != 0 and "add new ones at the end" in done.stderr,
           "a routine in the middle of the table, which would change the numbers of others, does not build", done)


def main():
    tap = jobs.Tap()
    check_numbers(tap)
    today, later = Build("today", jobs.BUILD, False), Build("later", other_build.make(), True)
    for mpi in jobs.MPIS:
        program = mpi.compile("rounds", PROGRAM)
        for reader, writer in ((today, later), (later, today)):
            title = f"{mpi.short}: {reader.name} reads {writer.name}"
            check_running(tap, mpi, reader, writer, program, title)
            check_dead(tap, mpi, reader, writer, program, title)
            check_watched(tap, reader, writer, program, title)
    tap.done()


main()
