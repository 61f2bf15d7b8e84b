#!/usr/bin/env python3
"""Regions, pauses and subtotals: MPI_Pcontrol from C and Fortran, also with a second argument that is none, and
Fathom's own calls."""
import counting
import jobs

RANKS = 2
LINKED = [f"-L{jobs.BUILD}", "-lfathom", f"-Wl,-rpath,{jobs.BUILD}"]
SOURCE_FORTRAN = str(jobs.SOURCE / "fortran" / "fathom.f90")


def regions(report):
    """Path -> entries and calls by routine."""
    return {r["path"]: (r["entries"], {x["name"]: x["calls"] for x in r["routines"]})
            for r in report["mpi"]["regions"]}


def times(n, wanted):
    """The same on n ranks."""
    return {path: (n * entries, {name: n * calls for name, calls in routines.items()})
            for path, (entries, routines) in wanted.items()}


def noted(report, word):
    return sum(note["amount"] for note in report["job"]["notes"] if word in note["text"])


def subtotals(report):
    return [(s["label"], s["collective"], s["rank"], s["ranks"], {r["name"]: r["calls"] for r in s["routines"]})
            for s in report["job"]["snapshots"]]


class Checks:
    """One run of the program for each case; its report, and what it must say."""

    def __init__(self, tap, mpi, program):
        self.tap, self.mpi, self.program = tap, mpi, program

    def report(self, case, way=jobs.PRELOAD):
        job = jobs.run(way, self.mpi, RANKS, [self.program, case])
        self.title = f"{self.mpi.short}, {case}"
        return job.report() if self.tap.ok(job.status == 0, f"{self.title}: the program ends well", job) else None

    def equal(self, got, wanted, what):
        self.tap.equal(got, wanted, f"{self.title}: {what}")

    def nested(self):
        report = self.report("nested")
        long_name = "a name/with spaces, and 37 more letters: aaaaaaaaaaaa".replace("/", "_")
        self.equal({path.replace("a name/with", "a name_with"): r for path, r in regions(report).items()}, times(RANKS, {
            "outer": (1, {"MPI_Barrier": 2, "MPI_Bcast": 12, "MPI_Allreduce": 1, "MPI_Pcontrol": 7}),
            "outer/inner": (3, {"MPI_Bcast": 12, "MPI_Pcontrol": 3}),
            "inner": (1, {"MPI_Barrier": 5, "MPI_Pcontrol": 1}),
            long_name: (1, {"MPI_Barrier": 1, "MPI_Pcontrol": 1}),
        }), "regions, entries and calls")
        self.equal(jobs.calls(report)["MPI_Barrier"], RANKS * 9, "calls of the whole program")
        self.equal(jobs.calls(report)["MPI_Pcontrol"], RANKS * 12, "MPI_Pcontrol is counted")

    def many(self):
        report = self.report("many")
        self.equal((len(subtotals(report)), noted(report, "snapshots dropped")), (RANKS * 16, RANKS * 4),
                   "what is beyond the limit is noted")

    def unmatched(self):
        report = self.report("unmatched")
        self.equal(regions(report), times(RANKS, {
            "outer": (1, {"MPI_Barrier": 2, "MPI_Pcontrol": 2}),
            "outer/inner": (1, {"MPI_Barrier": 2, "MPI_Pcontrol": 1}),
            "never ended": (1, {"MPI_Barrier": 4, "MPI_Finalize": 1}),
        }), "regions")
        self.equal(noted(report, "region ends"), RANKS * 3, "ends without a beginning are counted")

    def paused(self):
        report = self.report("paused")
        self.equal(jobs.calls(report), {name: RANKS * n for name, n in {
            "MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Barrier": 6, "MPI_Irecv": 1, "MPI_Ssend": 1,
            "MPI_Wait": 1, "MPI_Pcontrol": 3, "MPI_Finalize": 1}.items()}, "nothing is counted in a pause")
        self.equal(counting.figures(report)["MPI_Irecv"], (RANKS, 8 * RANKS, 0, 8 * RANKS),
                   "a receive posted before it keeps its length")
        self.equal(regions(report), times(RANKS, {"after": (1, {"MPI_Barrier": 1, "MPI_Pcontrol": 1})}), "a region later")

    def garbage(self):
        report = self.report("garbage")
        self.equal(regions(report), times(RANKS, {"the edge": (1, {"MPI_Barrier": 2, "MPI_Pcontrol": 1})}),
                   "only a real name makes a region")
        self.equal(jobs.calls(report)["MPI_Pcontrol"], RANKS * 30, "all calls are counted")
        self.equal(jobs.calls(report)["MPI_Barrier"], RANKS * 15, "and those between them")

    def snapshots(self):
        report = self.report("snapshots")
        base = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1}
        one = base | {"MPI_Barrier": 2, "MPI_Pcontrol": 1}
        every = {name: 2 * n for name, n in (base | {"MPI_Barrier": 5, "MPI_Bcast": 1, "MPI_Pcontrol": 1}).items()}
        every["MPI_Pcontrol"] += 1
        self.equal(sorted(subtotals(report)), sorted([("of one", False, 1, 1, one), ("of all", True, None, 2, every)]),
                   "subtotals of one and of all")

    def own(self, way=jobs.PRELOAD):
        report = self.report("own", way)
        self.title += f", {way}"
        wanted = {"solver": (1, {"MPI_Barrier": 5}), "solver/inner loop": (1, {"MPI_Barrier": 3})}
        if way == jobs.INSIDE: # the program named after `fathom run` is measured from its start
            wanted["before MPI"] = (1, {})
        self.equal(regions(report), times(RANKS, wanted), "regions")
        self.equal(noted(report, "region ends"), RANKS, "an end without a beginning")
        base = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Barrier": 5}
        double = {name: 2 * n for name, n in base.items()}
        self.equal(sorted(subtotals(report), key=str), sorted([
            ("so far", True, None, 2, double), ("of the first", False, 0, 1, base), ("", True, None, 2, double)],
            key=str), "subtotals")


def check_fortran(tap, mpi, flags):
    title = f"{mpi.short}, Fortran {' '.join(flags) or 'mpif.h'}"
    # the module first: its .mod lands in the scratch directory
    program = counting.compile_program(mpi, "fortran-regions" + "".join(flags), "regions.F90", first=[SOURCE_FORTRAN],
                                       flags=[*flags, f"-J{jobs.SCRATCH}", *LINKED])
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program])
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return
    report = job.report()
    tap.equal(regions(report), times(RANKS, {"solver": (1, {"MPI_Barrier": 5}), "solver/inner": (3, {"MPI_Barrier": 3})}),
              f"{title}: regions")
    tap.equal(jobs.calls(report), {name: RANKS * n for name, n in {
        "MPI_Init": 1, "MPI_Barrier": 8, "MPI_Pcontrol": 3, "MPI_Finalize": 1}.items()}, f"{title}: calls and a pause")
    base = {"MPI_Init": 1, "MPI_Barrier": 8, "MPI_Pcontrol": 3}
    wanted = [("mine", False, rank, 1, base) for rank in range(RANKS)]
    wanted.append(("so far", True, None, RANKS, {name: RANKS * n for name, n in base.items()}))
    tap.equal(sorted(subtotals(report), key=str), sorted(wanted, key=str), f"{title}: subtotals")


def check_mpi(tap, mpi):
    checks = Checks(tap, mpi, counting.compile_program(mpi, "regions", "regions.c"))
    for case in (checks.nested, checks.unmatched, checks.paused, checks.garbage, checks.snapshots, checks.many):
        case()
    include = f"-I{jobs.SOURCE / 'include'}"
    checks.program = counting.compile_program(mpi, "own", "regions.c", flags=["-DWITH_FATHOM", include, *LINKED])
    for way in (jobs.PRELOAD, jobs.INSIDE):
        checks.own(way)
    job = jobs.run(jobs.BARE, mpi, RANKS, [checks.program, "own"])
    tap.ok(job.status == 0 and len(regions(job.report())) == 2, f"{mpi.short}: linked with -lfathom and not preloaded",
           job)
    for flags in ([], ["-DUSE_MPI"], ["-DUSE_F08"]):
        check_fortran(tap, mpi, flags)


jobs.check_each(check_mpi)
