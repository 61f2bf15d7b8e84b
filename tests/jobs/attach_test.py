#!/usr/bin/env python3
"""`fathom attach` to MPI jobs that were started without Fathom: they do what they do without it, and their modules are
found; and to jobs under Fathom, whose segments are read."""
import json
import pathlib
import re
import subprocess
import sys
import time

import debian
import jobs
import ocean_model

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "attach"))
import attaching  # noqa: E402

OCEAN = ["--grid", "192x144", "--levels", "16"]
KILLS = 12  # with each MPI
HZ = 40
SAMPLES_OF_A_JOB = 400  # so many that a tenth of the time is not missed by chance


def start(way, mpi, ranks, command):
    job, env = jobs.prepare(way)
    words = jobs.command_line(way, mpi, ranks, [str(word) for word in command])
    process = subprocess.Popen(words, cwd=job.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    return job, process


def attach_in_time(mpi, program, ranks, profile):
    """A run that is long enough to be looked at: how long that is nobody knows before."""
    steps = 400 // ranks
    samples = max(SAMPLES_OF_A_JOB // ranks, HZ)
    for _ in range(8):
        command = [program, *OCEAN, "--steps", steps]
        _, process = start(jobs.BARE, mpi, ranks, command)
        started = time.monotonic()
        try:
            attaching.wait_for_ranks(process, ranks)
            seen = attaching.attach(process.pid, "--samples", samples, "--hz", HZ, "--save", profile)
            in_time = process.poll() is None and seen.returncode == 0
        except TimeoutError:
            in_time = False
        out, err = process.communicate(timeout=jobs.LIMIT_S)
        if in_time:
            break
        steps = attaching.more_steps(steps, time.monotonic() - started, samples / HZ + 3)
    return command, seen, (process.returncode, out, err)


def ocean(tap, mpi, program, ranks):
    title = f"{mpi.short}, {ranks} ranks"
    job, _ = jobs.prepare(jobs.BARE)
    profile = job.work / "ocean.fathom"
    command, seen, ended = attach_in_time(mpi, program, ranks, profile)
    bare = jobs.run(jobs.BARE, mpi, ranks, command)
    tap.equal(ended, (bare.status, bare.stdout.decode(), bare.stderr.decode()), f"{title}: output and status are as ever")
    if not tap.ok(seen.returncode == 0, f"{title}: attached", seen.stdout, seen.stderr):
        return
    report = job.report(profile)
    names = {m["name"]: m["work_s"] + m["transfer_s"] + m["waiting_s"] for m in report["modules"]["list"]}
    whole = sum(names.values())
    tap.equal((report["job"]["ranks"], report["job"]["mpi"], report["job"]["hosts_list"][0]["ranks"]),
              (ranks, mpi.short, f"0-{ranks - 1}"), f"{title}: ranks, and which MPI")
    tap.ok({"mpi", "barotropic.f90"} <= set(names) and names["mpi"] > 0.05 * whole,
           f"{title}: modules of the model, and MPI", names)
    top = next(c for c in report["modules"]["tree"]["children"])
    tap.ok(top["name"] == "miniocean.f90" and top["work_s"] + top["transfer_s"] + top["waiting_s"] > 0.9 * whole,
           f"{title}: called by the main program", names, top["name"])
    waiting = sum(m["waiting_s"] for m in report["modules"]["list"])
    tap.ok(waiting > 0, f"{title}: some of it is waiting", names)
    tap.equal([m["work_s"] for m in report["modules"]["list"] if m["name"] == "mpi"], [0], f"{title}: MPI does no work")
    tap.ok(re.search(r"samples at \d+ points in time.*stopped .* times", seen.stdout.replace("\n ", "")),
           f"{title}: how long threads were stopped is told", seen.stdout)


def under_fathom(tap, mpi):
    title = f"{mpi.short}, under Fathom"
    job, process = start(jobs.AROUND, mpi, 4, [mpi.compile("until_told", jobs.text("until_told.c")), "5"])
    attaching.wait_for_ranks(process, 4)
    seen = attaching.attach(process.pid, "--for", 2, "--json")
    alive = process.poll() is None
    (job.work / "enough").touch()
    process.communicate(timeout=jobs.LIMIT_S)
    tap.ok(alive and process.returncode == 5, f"{title}: the job runs on and ends as ever", process.returncode)
    lines = attaching.stream(seen.stdout)
    tap.ok(lines and lines[-1]["stops"] is None and lines[-1]["samples"] > 0 and lines[-1]["ranks"] == 4,
           f"{title}: its segments are read, and nothing is stopped", seen.stdout, seen.stderr)
    tap.equal(len(job.profiles()), 1, f"{title}: its profile is written as ever")


def killed(tap, mpi, program):
    title = f"{mpi.short}, 16 ranks"
    _, process = start(jobs.BARE, mpi, 16, [program, *OCEAN, "--steps", 1000000])
    ranks = attaching.wait_for_ranks(process, 16)
    bad = attaching.kill_again_and_again(process.pid, ranks, KILLS, 100, 0.4)
    tap.equal((bad, process.poll()), ([], None), f"{title}: {KILLS} kills of Fathom leave no thread stopped or traced")
    process.terminate()
    process.communicate()


def results(out):
    """What LAMMPS has computed: its table, and nothing of how long that took."""
    return re.findall(r"(?m)^ +\d+ +[-\d. ]+$", out.partition("Step")[2].partition("Loop time")[0])


def lammps(tap):
    program = debian.lammps(steps=3000)
    if not program:
        tap.skip("LAMMPS", "it is not installed")
        return
    bare = jobs.run(jobs.BARE, program.mpi, 4, program.command)
    _, process = start(jobs.BARE, program.mpi, 4, program.command)
    attaching.wait_for_ranks(process, 4)
    seen = attaching.attach(process.pid, "--for", jobs.LIMIT_S, "--json")
    out, err = process.communicate()
    last = attaching.stream(seen.stdout)[-1]
    tap.ok(len(results(out)) == 151, "LAMMPS computes", out)
    tap.equal((process.returncode, results(out), err), (bare.status, results(bare.stdout.decode()), bare.stderr.decode()),
              "LAMMPS: results and status are as ever")
    tap.ok(last["ranks"] == 4 and any("pair_lj" in m["name"] or "lammps" in m["name"] for m in last["modules"]),
           "LAMMPS: its own code is found", json.dumps(last))


def main():
    tap = jobs.Tap()
    for mpi, ranks in zip(jobs.MPIS, (10, 2)):
        program = ocean_model.build(mpi)
        ocean(tap, mpi, program, ranks)
        killed(tap, mpi, program)
        under_fathom(tap, mpi)
    lammps(tap)
    tap.done()


main()
