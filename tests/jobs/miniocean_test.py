#!/usr/bin/env python3
"""The timers of the ocean model: ranks that have only land stand apart in them, however the blocks are distributed;
and the model says the same with Fathom's timers, with empty ones, and under Fathom."""
import json
import re
import subprocess

import jobs
import ocean_model

RANKS, STEPS = 16, 3
SMALL = ["--steps", STEPS, "--grid", "192x144", "--levels", "16"]
LAND = {"cartesian": {2, 3, 6, 7}, "packed": {14, 15}}  # as its README tells


def members(text):
    """The ranks of "0-3,7"."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def check_groups(tap, title, histograms, land):
    """Longest events first: groups of ranks with ocean, then groups of ranks with land alone, and no mixed one."""
    groups = [members(h["ranks"]) for h in histograms]
    of_land = [group for group in groups if group <= land]
    tap.ok(set().union(*of_land) == land and groups[-len(of_land):] == of_land,
           f"{title}: ranks on land stand apart", groups)


def check(tap, mpi, program, distribution):
    title, land = f"{mpi.short}, {distribution}", LAND[distribution]
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, *SMALL, "--dist", distribution])
    output = job.stdout.decode()
    if not tap.ok(job.status == 0, f"{title}: the model runs", job):
        return output
    tap.ok(f"{RANKS} ({distribution}), {RANKS - len(land)} with ocean, 0 to" in output,
           f"{title}: the model knows of {len(land)} ranks on land", output)
    timers = {t["name"]: t for t in job.report()["timers"]}
    tap.equal({name: t["parent"] for name, t in timers.items()},
              {"step": "", "baroclinic_driver": "step", "barotropic_driver": "step",
               "pcg iteration": "barotropic_driver", "halo": "*"}, f"{title}: its timers and where they are started")
    iterations = int(re.search(r"solver: (\d+) iterations", output)[1])
    events = {"step": STEPS, "baroclinic_driver": STEPS, "barotropic_driver": STEPS, "pcg iteration": iterations,
              "halo": 3 * STEPS + iterations}
    tap.equal({name: (t["ranks"], t["events"]["min"], t["events"]["max"]) for name, t in timers.items()},
              {name: (f"0-{RANKS - 1}", n, n) for name, n in events.items()}, f"{title}: their events")
    check_groups(tap, title, timers["baroclinic_driver"]["histograms"], land)
    check_one(tap, title, job.profiles()[0])
    return output


def check_one(tap, title, profile):
    """--timer shows one timer alone, and names all where there is none of that name."""
    report = [jobs.FATHOM, "report", profile, "--timer"]
    halo = subprocess.run([*report, "halo", "--format", "json"], capture_output=True, check=True)
    none = subprocess.run([*report, "hello"], capture_output=True, check=False, text=True)
    tap.ok([t["name"] for t in json.loads(halo.stdout)["timers"]] == ["halo"] and none.returncode == 1
           and not none.stdout and "no timer 'hello', only baroclinic_driver, barotropic_driver, halo" in none.stderr,
           f"{title}: one timer alone", none.stderr)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        timed = ocean_model.build(mpi, timed=True)
        outputs = {distribution: check(tap, mpi, timed, distribution) for distribution in LAND}
    plain = ocean_model.build(jobs.MPIS[0])
    libraries = subprocess.run(["ldd", plain], capture_output=True, check=True, text=True).stdout
    tap.ok("fathom" not in libraries, "built without Fathom it needs none", libraries)
    for distribution, output in outputs.items():
        bare = jobs.run(jobs.BARE, jobs.MPIS[0], RANKS, [plain, *SMALL, "--dist", distribution])
        tap.equal(bare.stdout.decode(), output, f"{distribution}: the same output without timers")
    tap.done()


main()
