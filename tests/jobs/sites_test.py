#!/usr/bin/env python3
"""Call sites have the names and lines of the source, in C and Fortran, in text, JSON and CSV."""
import csv
import io
import os
import re
import subprocess

import counting
import jobs

PLACE = re.compile(r"@ (MPI_\w+) (.*?)(?: \*/)?$")


def wanted_of(source):
    """(routine, line, functions innermost first) of each marked line."""
    found = []
    for number, line in enumerate((jobs.SOURCE / "tests/jobs/programs" / source).read_text().splitlines(), 1):
        match = PLACE.search(line)
        if match:
            found.append((match[1], number, match[2].split(" < ")))
    return sorted(found)


def report(profile, *options, **env):
    return subprocess.run([jobs.FATHOM, "report", profile, *options], capture_output=True, text=True, check=False,
                          env={**os.environ, **env})


def check_program(tap, title, mpi, source, program):
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program])
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return None
    wanted = wanted_of(source)
    sites = [site for site in job.report()["mpi"]["sites"] if site["routine"] in {w[0] for w in wanted}]
    got = sorted((s["routine"], s["line"], [s["function"]] + [f["function"] for f in s["inlined_into"]]) for s in sites)
    if source.endswith("F90"):  # what is inlined there is the compiler's choice
        got = [(routine, line, functions[:1]) for routine, line, functions in got]
    tap.equal(got, wanted, f"{title}: routines, lines and functions")
    whole = str(jobs.SOURCE / "tests/jobs/programs" / source)
    tap.equal({(s["file"], s["path"]) for s in sites}, {(source, whole)}, f"{title}: files")
    text = report(job.profiles()[0], "--by", "site")
    missing = [f"{w[2][0]} ({source}:{w[1]})" for w in wanted if f"{w[2][0]} ({source}:{w[1]})" not in text.stdout]
    missing += [name for w in wanted for name in w[2][1:] if f"\n  inlined into {name} ({source}:" not in text.stdout]
    tap.ok(not missing and text.stderr == "", f"{title}: in text", *missing, text.stdout, text.stderr)
    rows = list(csv.DictReader(io.StringIO(report(job.profiles()[0], "--by", "site", "--format", "csv").stdout)))
    got = sorted((row["routine"], int(row["line"]), row["function"]) for row in rows
                 if row["routine"] in {w[0] for w in wanted})
    tap.equal(got, [(w[0], w[1], w[2][0]) for w in wanted], f"{title}: in CSV")
    return job


def check_bad_days(tap, mpi, program, job):
    """A program that is gone, or another one by now, is named once, unless its names were found before."""
    profile = job.profiles()[0]
    nothing_kept = {"XDG_CACHE_HOME": str(jobs.SCRATCH / f"empty.{mpi.name}")}
    os.rename(program, program + ".kept")
    text = report(profile, "--by", "site")
    tap.ok(text.stderr == "" and "solve (sites.c:" in text.stdout, f"{mpi.short}: names that were found are kept", text)
    text = report(profile, "--by", "site", **nothing_kept)
    tap.ok(text.returncode == 0 and text.stderr.count("\n") == 1 and program in text.stderr, f"{mpi.short}: a program "
           "that is gone is named once", text.stderr)
    tap.ok(os.path.basename(program) + "+0x" in text.stdout, f"{mpi.short}: its sites are offsets", text.stdout)
    tap.equal(report(profile).stderr, "", f"{mpi.short}: who asks for no names is told nothing")
    counting.compile_program(mpi, os.path.basename(program).split(".")[0], "sites.c", flags=["-O0"])
    text = report(profile, "--by", "site", **nothing_kept)
    tap.ok("not the program that was measured" in text.stderr and text.stderr.count("\n") == 1,
           f"{mpi.short}: another program is not taken for it", text.stderr)
    os.rename(program + ".kept", program)
    subprocess.run(["objcopy", "--only-keep-debug", program, program + ".debug"], check=True)
    subprocess.run(["strip", program], check=True)
    text = report(profile, "--by", "site")
    tap.ok(os.path.basename(program) + "+0x" in text.stdout, f"{mpi.short}: stripped, its sites are offsets", text.stdout)
    told = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    name = re.search(r"Build ID: ([0-9a-f]+)", told)[1]
    store = jobs.SCRATCH / f"debug.{mpi.name}"
    (store / ".build-id" / name[:2]).mkdir(parents=True)
    os.rename(program + ".debug", store / ".build-id" / name[:2] / (name[2:] + ".debug"))
    for options, env in ((["--debug-path", str(store)], {}), ([], {"FATHOM_DEBUG_PATH": str(store)})):
        text = report(profile, "--by", "site", *options, **env)
        tap.ok("solve (sites.c:" in text.stdout, f"{mpi.short}: its debug file is found, {options[:1] or 'environment'}",
               text.stdout, text.stderr)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = counting.compile_program(mpi, "sites_c", "sites.c", flags=["-O2"])
        job = check_program(tap, f"{mpi.short}, C", mpi, "sites.c", program)
        if job:
            check_bad_days(tap, mpi, program, job)
        for variant, flags in (("use mpi", []), ("use mpi_f08", ["-DUSE_F08"])):
            program = counting.compile_program(mpi, "sites_f" + str(len(flags)), "sites.F90", flags=["-O2", *flags])
            check_program(tap, f"{mpi.short}, {variant}", mpi, "sites.F90", program)
    tap.done()


main()
