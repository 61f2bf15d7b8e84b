#!/usr/bin/env python3
"""C++, Python, and a C program that loads MPI privately: counted once per call, and the language is told."""
import subprocess

import counting
import jobs


def check_tally(tap, title, job, language):
    if not tap.ok(job.status == 0, f"{title}: the results are right", job):
        return None
    report = job.report()
    told = counting.read_lines(job, "tally")
    # the constructors of Open MPI's old C++ binding, which its compiler links, ask whether MPI is initialised
    got = {name: f for name, f in counting.figures(report).items() if name != "MPI_Initialized"}
    wrong = counting.differences(got, counting.sums(told))
    tap.ok(not wrong and told, f"{title}: calls and bytes", *wrong)
    tap.equal(report["job"]["language"], language, f"{title}: the language is {language}")
    return report


def check_sites(tap, title, report, module):
    others = sorted({f"{s['routine']} in {s['module']}" for s in report["mpi"]["sites"]
                     if s["module"] != module and s["routine"] != "MPI_Initialized"})
    tap.ok(not others, f"{title}: call sites lie in {module.rsplit('/', 1)[-1]}", *others)


def check_cxx(tap, mpi):
    program = counting.compile_program(mpi, "solver", "solver.cpp", "tally.c")
    title = f"C++, {mpi.short}"
    report = check_tally(tap, title, jobs.run(jobs.PRELOAD, mpi, 3, [program]), "C++")
    if report:
        check_sites(tap, title, report, program)


def check_private(tap, mpi):
    """MPI loaded by dlopen for one plug-in alone, as Python does with its extension modules."""
    plugin = counting.compile_program(mpi, "plugin.so", "plugin.c", "tally.c", flags=["-shared", "-fPIC"])
    host = jobs.SCRATCH / "host"
    subprocess.run(["gcc", "-O1", "-o", str(host), str(counting.PROGRAMS / "host.c")], check=True)
    for way in (jobs.PRELOAD, jobs.AROUND):
        title = f"loaded privately, {mpi.short}, {way}"
        report = check_tally(tap, title, jobs.run(way, mpi, 2, [host, plugin]), "C")
        if report:
            check_sites(tap, title, report, plugin)


KNOWN = {  # calls, bytes, sent, received of one rank of known.py
    "MPI_Init_thread": (1, 0, 0, 0),
    "MPI_Sendrecv": (9, 360, 360, 360),
    "MPI_Barrier": (7, 0, 0, 0),
    "MPI_Irecv": (1, 12, 0, 12),
    "MPI_Ssend": (1, 12, 12, 0),
    "MPI_Wait": (1, 0, 0, 0),
    "MPI_Comm_split": (1, 0, 0, 0),
    "MPI_Finalize": (1, 0, 0, 0),
}


def check_python(tap):
    mpi = next((m for m in jobs.MPIS if m.name == "openmpi"), None)
    python = "/usr/bin/python3"
    if not mpi or subprocess.run([python, "-c", "import mpi4py.MPI"], capture_output=True, check=False).returncode:
        tap.skip("Python", "mpi4py for Open MPI is not installed")
        return
    command = [python, str(counting.PROGRAMS / "known.py")]
    ranks = 4
    for way in jobs.WAYS:
        title = f"Python, {way}"
        job = jobs.run(way, mpi, ranks, command)
        if not tap.ok(job.status == 0, f"{title}: the results are right", job):
            continue
        report = job.report()
        got = counting.figures(report)
        wrong = counting.differences({name: got.get(name) for name in KNOWN},
                                     {name: tuple(ranks * f for f in figures) for name, figures in KNOWN.items()})
        tap.ok(not wrong, f"{title}: calls and bytes", *wrong)
        tap.equal(report["job"]["language"], "Python", f"{title}: the language is Python")
        tap.ok("/known.py." in job.profiles()[0] and "/python3" in report["job"]["executable"],
               f"{title}: the job is called by its script", job.profiles(), report["job"]["executable"])
    counter = counting.counter_library(mpi)
    job = jobs.run(jobs.BARE, mpi, ranks, command, env={"LD_PRELOAD": f"{jobs.LIBRARY} {counter}"})
    seen = counting.sums(counting.read_lines(job, "counter"))
    got = {name: figures[:1] for name, figures in counting.figures(job.report()).items()}
    # mpi4py calls these from within MPI_Finalize and after it, too: no profile holds that
    for name in ("MPI_Finalized", "MPI_Comm_free_keyval"):
        got.pop(name), seen.pop(name)
    wrong = counting.differences(got, seen)
    tap.ok(not wrong and len(seen) > 10, "Python: an independent counter saw the same calls", *wrong)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_cxx(tap, mpi)
        check_private(tap, mpi)
    check_python(tap)
    tap.done()


main()
