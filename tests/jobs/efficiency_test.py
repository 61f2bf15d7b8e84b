#!/usr/bin/env python3
"""The factors of efficiency of a program of known imbalance are those that it measures itself, in its region and timer, and
from the first entry of its region and the first start of its timer on."""
import csv
import io
import json
import subprocess

import jobs

SOURCE = jobs.SOURCE / "tests/jobs/programs/uneven.c"
RANKS = 4
# What a rank can be interrupted for between its own clock and the one of a call, as part of 0.8 s.
NEAR = 0.1


def factors(walls, works):
    longest = max(works)
    return {"parallel": sum(works) / len(works) / max(walls), "load_balance": sum(works) / len(works) / longest,
            "communication": longest / max(walls)}


def near(got, wanted):
    return all(got[key] is not None and abs(got[key] - value) < NEAR for key, value in wanted.items())


def report(profile, *options):
    out = subprocess.run([jobs.FATHOM, "report", profile, *options], capture_output=True, check=True)
    return out.stdout.decode()


def is_product(got):
    return (abs(got["parallel"] - got["load_balance"] * got["communication"]) < 1e-5 and
            abs(got["communication"] - got["serialisation"] * got["transfer"]) < 1e-5)


def check(tap, mpi):
    program = mpi.compile("uneven", SOURCE.read_text(encoding="utf-8"), f"-I{jobs.SOURCE / 'include'}",
                          f"-L{jobs.BUILD}", "-lfathom", f"-Wl,-rpath,{jobs.BUILD}")
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program])
    own = [[float(word) for word in line.split()[1:]] for line in job.stdout.decode().splitlines()]
    if not tap.equal(len(own), RANKS, f"{mpi.short}: the program tells what it measured"):
        tap.note(job)
        return
    loop, rest = factors([r[0] for r in own], [r[1] for r in own]), factors([r[2] for r in own], [r[3] for r in own])
    got = job.report()["efficiency"]
    regions = {region["name"]: region for region in got["regions"]}
    tap.ok(is_product(got) and all(is_product(r) for r in regions.values()),
           f"{mpi.short}: each factor is the product of those below it", got)
    tap.ok(near(regions["loop"], loop), f"{mpi.short}: the factors of a region", regions, loop)
    tap.ok(got["load_balance"] > regions["loop"]["load_balance"],
           f"{mpi.short}: those of the run have what rank 0 does alone in them", got, regions)
    timer = got["timers"][0]
    tap.ok(timer["name"] == "step" and near(timer, loop) and timer["wall_balance"] > 1 - NEAR,
           f"{mpi.short}: the factors of a timer", timer, loop)
    profile = job.profiles()[0]
    for name in ("loop", "step"):
        late = json.loads(report(profile, "--format", "json", "--from-first", name))["efficiency"]
        tap.ok(near(late, rest) and late["from_first"]["name"] == name and late["transfer"] is None,
               f"{mpi.short}: from the first '{name}' on, the initialisation is left out", late, rest)
    rows = list(csv.DictReader(io.StringIO(report(profile, "--view", "efficiency", "--format", "csv"))))
    tap.equal([(row["kind"], row["name"]) for row in rows], [("run", ""), ("region", "loop"), ("timer", "step")],
              f"{mpi.short}: CSV has the run, regions and timers")
    tap.ok(all(abs(float(rows[1][key]) - regions["loop"][key]) < 1e-5 for key in loop), f"{mpi.short}: the same values")
    text = report(profile, "--from-first", "region")
    tap.ok("from the first entry of region 'loop' on" in text, f"{mpi.short}: text", text)


def check_threads(tap, mpi):
    """Waiting threads are known from samples, whose error is in the profile."""
    source = jobs.SOURCE / "tests/jobs/programs/uneven_threads.c"
    program = mpi.compile("uneven_threads", source.read_text(encoding="utf-8"), "-fopenmp")
    job = jobs.run(jobs.AROUND, mpi, 1, [program], env={"OMP_NUM_THREADS": "2"})
    worked, outside = (float(word) for word in job.stdout.decode().split())
    got = job.report()["efficiency"]
    tap.ok(got["openmp"] is not None and abs(got["openmp"] - worked / outside) < 2 * got["openmp_error"] + NEAR,
           f"{mpi.short}: the factor of threads", got, worked / outside)
    tap.ok(got["openmp"] and abs(got["hybrid"] - got["parallel"] * got["openmp"]) < 1e-5 and
           1.5 < got["threads_per_process"] < 2.5, f"{mpi.short}: a hybrid program has both factors", got)
    profile = job.profiles()[0]
    tap.ok("hybrid efficiency" in report(profile, "--view", "efficiency"), f"{mpi.short}: in the view")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check(tap, mpi)
        check_threads(tap, mpi)
    tap.done()


main()
