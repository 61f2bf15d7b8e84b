#!/usr/bin/env python3
"""Fortran programs, with mpif.h, `use mpi` and `use mpi_f08`: every call is counted once, with its bytes; what the
bindings call for their own needs is not; sentinels get through; call sites lie in the program."""
import counting
import jobs

VARIANTS = {"mpif.h": [], "use mpi": ["-DUSE_MPI"], "use mpi_f08": ["-DUSE_F08"]}


def check_sites(tap, title, report, program):
    elsewhere = sorted({f"{site['routine']} in {site['module']}" for site in report["mpi"]["sites"]
                        if site["module"] != program})
    tap.ok(not elsewhere, f"{title}: call sites lie in the program", *elsewhere)


def check(tap, title, program, job):
    if not tap.ok(job.status == 0, f"{title}: the results are right", job):
        return
    report, told = job.report(), counting.read_lines(job, "tally")
    known = counting.sums(told)
    wrong = counting.differences(counting.figures(report), known)
    tap.ok(not wrong and known, f"{title}: calls and bytes of {len(known)} routines", *wrong)
    wrong = counting.spread_differences(report, told)
    tap.ok(not wrong, f"{title}: calls per rank", *wrong)
    check_sites(tap, title, report, program)
    tap.equal(report["job"]["language"], "Fortran", f"{title}: the language is Fortran")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        for variant, flags in VARIANTS.items():
            name = "counts" + "".join(flags)
            # calls with buffers of many types, without interfaces for them
            program = counting.compile_program(mpi, name, "counts.F90", flags=["-fallow-argument-mismatch", *flags])
            check(tap, f"{mpi.short}, {variant}", program, jobs.run(jobs.PRELOAD, mpi, 3, [program]))
        check(tap, f"{mpi.short}, {variant}, fathom run", program, jobs.run(jobs.AROUND, mpi, 2, [program]))
    tap.done()


main()
