#!/usr/bin/env python3
"""Call paths of the ocean model, as it is built for users: the ways to the solver are there with their lines, waiting is
at the line that waits, and calls, callers, flat and the exports agree to the ns."""
import json
import subprocess

import jobs
import ocean_model
from trees import check_agreement, check_csv, ns, walk

RANKS = 4


def check_paths(tap, title, calls):
    ways = {}
    for node, way in walk(calls["root"]):
        names = [up["name"] for up in way if up["kind"] == "frame"]
        if node["name"] == "MPI_Allreduce" and node["kind"] == "routine" and "pcg::pcg_solve" in names:
            ways[node["file"], node["line"]] = names
    source = (jobs.SOURCE / "examples/miniocean/pcg.f90").read_text(encoding="utf-8").splitlines()
    tap.ok(ways and all(line and "mpi_allreduce" in source[line - 1] for _, line in ways),
           f"{title}: waiting is at the lines that wait", ways)
    tap.ok(all(names[0] == "main" and names.index("barotropic::barotropic_step") < names.index("pcg::pcg_solve")
               for names in ways.values()), f"{title}: on the way from main to the solver", ways)
    statements = [n for n, _ in walk(calls["root"]) if n["kind"] == "statement" and n["line"]]
    tap.ok(any(n["file"] == "baroclinic.f90" for n in statements), f"{title}: work is in source lines")
    tap.ok(calls["complete_fraction"] > 0.95 and calls["samples"] > 100, f"{title}: stacks are complete", calls["samples"])


def check_exports(tap, title, profile, calls):
    total = ns(calls, "time_s")
    for name, read in (
            ("collapsed", lambda text: sum(int(line.rpartition(" ")[2]) for line in text.splitlines())),
            ("speedscope", lambda text: sum(json.loads(text)["profiles"][0]["weights"])),
            ("hatchet", lambda text: sum(ns(node["metrics"], "time (inc)") for node in json.loads(text)))):
        done = subprocess.run([jobs.FATHOM, "export", "--to", name, profile], capture_output=True, text=True, check=False)
        tap.equal((done.returncode, read(done.stdout)), (0, total), f"{title}: {name} has all of it")


def check_text(tap, title, profile):
    for view in ("calls", "callers", "flat"):
        done = subprocess.run([jobs.FATHOM, "report", "--view", view, profile], capture_output=True, text=True,
                              check=False)
        longest = max(map(len, done.stdout.splitlines()))
        tap.ok(done.returncode == 0 and not done.stderr and "MPI_Allreduce" in done.stdout and longest <= 108,
               f"{title}: view {view}", done)
        lines = len(done.stdout.splitlines())
        tap.ok(lines <= 90, f"{title}: it has {lines} lines")
    done = subprocess.run([jobs.FATHOM, "report", profile], capture_output=True, text=True, check=False)
    tap.ok("\nHot path: main" in done.stdout or "\nHot path: .. > " in done.stdout, f"{title}: the summary", done)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = ocean_model.build(mpi)
        job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "--steps", 3], env={"FATHOM_SAMPLE": "1000"})
        if not tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{mpi.short}: the model runs", job):
            continue
        profile = job.profiles()[0]
        calls = job.report()["calls"]
        check_agreement(tap, mpi.short, calls)
        check_csv(tap, mpi.short, profile, calls)
        check_paths(tap, mpi.short, calls)
        check_exports(tap, mpi.short, profile, calls)
        check_text(tap, mpi.short, profile)
    tap.done()


main()
