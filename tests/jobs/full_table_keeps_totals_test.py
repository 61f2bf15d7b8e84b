#!/usr/bin/env python3
"""A table that is far too small gives up detail, and says so, but never the totals of a routine in a region."""
import counting
import jobs

SMALL = {"FATHOM_MEMORY": "256K"}


def regions_told(job):
    """(region, routine) -> calls and bytes of all ranks, as the program knows them."""
    total = {}
    for path in job.work.glob("regions.[0-9]"):
        for line in path.read_text(encoding="utf-8").splitlines():
            region, routine, calls, size = line.split()
            old = total.get((region, routine), (0, 0))
            total[region, routine] = (old[0] + int(calls), old[1] + int(size))
    return total


def regions_got(report):
    return {(r["name"], x["name"]): (x["calls"], x["bytes"]) for r in report["mpi"]["regions"] for x in r["routines"]
            if x["name"] != "MPI_Pcontrol"}


def rules(report):
    return [finding["rule"] for finding in report["findings"]]


def check_totals(tap, title, job, receives=True):
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return None
    report = job.report()
    got, wanted = counting.figures(report), counting.sums(counting.read_lines(job, "tally"))
    if not receives: # more are pending at a time than are followed in so small a segment
        tap.equal(got["MPI_Irecv"][0], wanted["MPI_Irecv"][0], f"{title}: nonblocking receives are counted")
        tap.ok(any("length" in text for text in jobs.notes(report)), f"{title}: missing lengths are noted")
        got.pop("MPI_Irecv"), wanted.pop("MPI_Irecv")
    wrong = counting.differences(got, wanted)
    tap.ok(not wrong, f"{title}: the totals of every routine are exact", *wrong)
    return report


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "many_keys", "many_keys.c", "tally.c")
    for regions in (1, 20, 60):
        title = f"{mpi.short}, {regions} regions"
        job = jobs.run(jobs.PRELOAD, mpi, 3, [program, regions], env=SMALL)
        report = check_totals(tap, title, job)
        if not report:
            continue
        notes = [text for text in jobs.notes(report) if "detail" in text or "without" in text]
        tap.ok(notes, f"{title}: the loss of detail is noted", *jobs.notes(report))
        tap.ok("incomplete" in rules(report), f"{title}: and is a finding", rules(report))
        if regions <= 20:
            wrong = counting.differences(regions_got(report), regions_told(job))
            tap.ok(not wrong, f"{title}: the totals of every routine in every region are exact", *wrong[:5])
    title = f"{mpi.short}, roomy"
    job = jobs.run(jobs.PRELOAD, mpi, 3, [program, 3])
    report = check_totals(tap, title, job)
    tap.ok(report and len(report["mpi"]["sites"]) > 50 and "incomplete" not in rules(report),
           f"{title}: nothing is given up", *jobs.notes(report))
    program = counting.compile_program(mpi, "all", *counting.ALL)
    check_totals(tap, f"{mpi.short}, all routines", jobs.run(jobs.PRELOAD, mpi, 2, [program], env=SMALL), False)


jobs.check_each(check_mpi)
