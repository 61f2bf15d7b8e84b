#!/usr/bin/env python3
"""Nearly every routine of MPI called from C: Fathom's counts and bytes are those that the program knows and that an
independent PMPI counter below it saw; on both MPIs, with 2, 3 and 4 ranks, in every way of starting."""
import counting
import jobs


def check_run(tap, title, job):
    """Fathom against the program's own tally; what the tally is, for more."""
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return None
    report, told = job.report(), counting.read_lines(job, "tally")
    known = counting.sums(told)
    wrong = counting.differences(counting.figures(report), known)
    tap.ok(not wrong and known, f"{title}: calls and bytes of {len(known)} routines", *wrong)
    wrong = counting.spread_differences(report, told)
    tap.ok(not wrong, f"{title}: calls per rank", *wrong)
    return told


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "all", *counting.ALL)
    counter = counting.counter_library(mpi)
    for ranks in (2, 3, 4):
        title = f"{mpi.short}, {ranks} ranks"
        job = jobs.run(jobs.BARE, mpi, ranks, [program], env={"LD_PRELOAD": f"{jobs.LIBRARY} {counter}"})
        told = check_run(tap, title, job)
        if told:
            known = {name: figures[:1] for name, figures in counting.sums(told).items()}
            seen = counting.sums(counting.read_lines(job, "counter"))
            # MPICH itself calls one more routine by its public name, in MPI_Finalize
            wrong = counting.differences({name: seen[name] for name in seen if name in known}, known)
            tap.ok(not wrong, f"{title}: the independent counter agrees", *wrong)
    for way in jobs.WAYS:
        check_run(tap, f"{mpi.short}, {way}", jobs.run(way, mpi, 2, [program]))


jobs.check_each(check_mpi)
