#!/usr/bin/python3
"""Jobs on several hosts of which Fathom measures some ranks only, and one that leaves work to MPI_Finalize: they end
as they do without Fathom."""
import os
import pathlib
import shutil
import signal
import subprocess

import hosts
import jobs

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("sum %d\n", sum);
    return 0;
}
"""

# Rank 0 leaves a large message to MPI_Finalize, and rank 1 beside it ends only when rank 2 has it.
BUFFERED = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
enum { BYTES = 8 << 20 };
int main(int argc, char **argv)
{
    int rank, done = 1;
    char *message = calloc(BYTES, 1), *room = calloc(BYTES + MPI_BSEND_OVERHEAD, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(room, BYTES + MPI_BSEND_OVERHEAD);
        MPI_Bsend(message, BYTES, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&done, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        sleep(1);
        MPI_Recv(message, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&done, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""

tap = jobs.Tap()


def forget_environment(fleet):
    """As ssh does: the other host gets none of the variables of this one."""
    agent = pathlib.Path(fleet.agent)
    kept = "PATH=$PATH PWD=$PWD OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    agent.write_text(agent.read_text(encoding="utf-8").replace("exec nsenter", f"exec env -i {kept} nsenter"),
                     encoding="utf-8")


def start(way, words, **more):
    job, env = jobs.prepare(way, {"FATHOM_DIR": None, **more})
    with subprocess.Popen(words, cwd=job.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            job.stdout, job.stderr = process.communicate(timeout=40)
            job.status = process.returncode
        except subprocess.TimeoutExpired:
            job.status = "no end"
            os.killpg(process.pid, signal.SIGTERM)  # the launcher ends its ranks
    return job


def check_partly(mpi, fleet):
    """This host and another one, to which Open MPI passes nothing on."""
    program = mpi.compile("partly", PROGRAM)
    launcher = fleet.mpirun(mpi, {"localhost": 2, "nodea": 2})
    script = jobs.SCRATCH / "job.sh"
    script.write_text("#!/bin/sh\nexec " + " ".join([*launcher, program]) + "\n", encoding="utf-8")
    script.chmod(0o755)
    some = 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec "$0" run --quiet "$1"; else exec "$1"; fi'
    for what, way, words in (
            ("a bare preload", jobs.PRELOAD, [*launcher, program]),
            ("a script under fathom run", jobs.BARE, [jobs.FATHOM, "run", "--quiet", script]),
            ("one program of two", jobs.BARE, [*launcher[:-1], "2", jobs.FATHOM, "run", "--quiet", program, ":", "-n", "2",
                                               program]),
            ("one rank of four", jobs.BARE, [*launcher, "sh", "-c", some, jobs.FATHOM, program])):
        job = start(way, words)
        tap.equal((job.status, job.stdout), (0, b"sum 6\n"), f"{mpi.short}, {what} is measured: the job ends")
        if what == "a bare preload":
            report = job.report()
            tap.equal((report["job"]["complete"], report["job"]["ranks"], report["job"]["ranks_measured"]),
                      (False, 4, 2), f"{mpi.short}, {what}: the profile says what it lacks")


def check_part(mpi, job, what, ranks):
    """The job ends as ever, and its one profile has these ranks and says which it lacks."""
    tap.equal((job.status, job.stdout), (0, b"sum 6\n"), f"{mpi.short}, {what}: the job ends as ever")
    try:
        report = job.report()["job"]
    except LookupError as error:
        tap.ok(False, f"{mpi.short}, {what}: one profile", error, job)
        return
    held = ",".join(sorted(host["ranks"] for host in report["hosts_list"]))
    lacking = [(end["ranks"], end["how"]) for end in report["ends"]]
    wanted = [("2-3", "left no data")] if ranks == "0-1" else []
    tap.equal((held, lacking), (ranks, wanted), f"{mpi.short}, {what}: the profile says which ranks it has")


def check_missing_library(mpi, fleet):
    """On nodeb the dynamic linker finds no library, and only warns."""
    program = mpi.compile("missing", PROGRAM)
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 2})
    folder = jobs.SCRATCH / f"library-{mpi.name}"
    folder.mkdir()
    library = shutil.copy(jobs.LIBRARY, folder)
    fleet.hide("nodeb", folder)
    job = start(jobs.BARE, [jobs.FATHOM, "run", "--quiet", "--", *launcher, program], FATHOM_LIBRARY=library)
    check_part(mpi, job, "fathom run, no library on one host", "0-1")
    pass_on = ["-x", "LD_PRELOAD"] if mpi.name == "openmpi" else []
    job = start(jobs.BARE, [*launcher, *pass_on, program], LD_PRELOAD=library)
    check_part(mpi, job, "bare preload, no library on one host", "0-1")
    job = start(jobs.BARE, [*launcher, *pass_on, program], LD_PRELOAD=library, FATHOM_EVERYWHERE="1")
    check_part(mpi, job, "bare preload, no library on one host though said to be there", "0-1")


def check_switched_off(mpi, fleet):
    """By a script around the program, which knows its host; whatever is said of the library."""
    program = mpi.compile("off", PROGRAM)
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 2})
    script = jobs.SCRATCH / "off.sh"
    for how in ("export FATHOM_DISABLE=1", "unset LD_PRELOAD"):
        script.write_text(f'#!/bin/sh\n[ "$(hostname)" = nodeb ] && {how}\nexec "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        words = [*launcher, script, program]
        for everywhere in (None, "1"):
            job = start(jobs.BARE, [jobs.FATHOM, "run", "--quiet", "--", *words], FATHOM_EVERYWHERE=everywhere)
            check_part(mpi, job, f"fathom run, {how} on one host, FATHOM_EVERYWHERE={everywhere}", "0-1")
        pass_on = ["-x", "LD_PRELOAD"] if mpi.name == "openmpi" else []
        job = start(jobs.PRELOAD, [*launcher, *pass_on, script, program])
        check_part(mpi, job, f"bare preload, {how} on one host", "0-1")


def check_two_programs(mpi, fleet):
    program = mpi.compile("two", PROGRAM)
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 2})
    words = [*launcher[:-1], "2", program, ":", "-n", "2", "env", "FATHOM_DISABLE=1", program]
    job = start(jobs.BARE, [jobs.FATHOM, "run", "--quiet", "--", *words], FATHOM_EVERYWHERE="1")
    check_part(mpi, job, "fathom run, one program of two is switched off", "0-1")


def check_stepping_aside(mpi, fleet):
    """Ranks that know the library to be everywhere, but cannot or may not measure, take part in what is collective."""
    program = mpi.compile("aside", PROGRAM)
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 2})
    run = [jobs.FATHOM, "run", "--quiet", "--", *launcher, program]
    segments, scratch = jobs.SCRATCH / f"segments-{mpi.name}", jobs.SCRATCH / f"tmp-{mpi.name}"
    segments.mkdir(mode=0o700)
    scratch.mkdir()
    fleet.hide("nodeb", segments)
    fleet.on("nodeb", "mount", "-o", "remount,ro", str(segments), cwd="/")
    places = {"FATHOM_EVERYWHERE": "1", "FATHOM_DIR": str(segments), "TMPDIR": str(scratch)}
    check_part(mpi, start(jobs.BARE, run, **places), "the segments of one host are where the other sees them", "0-1,2-3")
    shutil.rmtree(scratch / "fathom-0")
    for number in ("", *[f"-{n}" for n in range(2, 9)]):
        (scratch / f"fathom-0{number}").touch()  # so that there is no second choice
    check_part(mpi, start(jobs.BARE, run, **places), "one host has no place for segments", "0-1,2-3")
    fleet.set("nodeb", "FATHOM_DISABLE", "1")
    check_part(mpi, start(jobs.BARE, run, FATHOM_EVERYWHERE="1"), "one host switches Fathom off", "0-1")


def check_buffered(mpi, fleet):
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 1})
    job = start(jobs.BARE, [jobs.FATHOM, "run", "--quiet", "--", *launcher, mpi.compile("buffered", BUFFERED)],
                FATHOM_EVERYWHERE="1")
    tap.equal(job.status, 0, f"{mpi.short}: a message that is left to MPI_Finalize arrives")
    tap.ok(len(job.profiles()) == 1 and job.report()["job"]["complete"], f"{mpi.short}: and the profile is complete", job)


def main():
    hosts.require()
    for mpi in jobs.MPIS:
        with hosts.Hosts("nodea", "nodeb") as fleet:
            check_buffered(mpi, fleet)
            check_missing_library(mpi, fleet)
            check_switched_off(mpi, fleet)
            check_two_programs(mpi, fleet)
            check_stepping_aside(mpi, fleet)
        with hosts.Hosts("nodea") as fleet:
            forget_environment(fleet)
            if mpi.name == "openmpi":  # MPICH's launcher passes every variable on
                check_partly(mpi, fleet)
    tap.done()


main()
