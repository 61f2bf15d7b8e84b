#!/usr/bin/env python3
"""Many timers and many threads: where room runs out histograms become coarse before a timer is refused, counts and totals
stay exact, and the report says what was lost. Threads of OpenMP have events of their own."""
import counting
import jobs

RANKS = 2
MOST = 1024
LINKED = [f"-I{jobs.SOURCE / 'include'}", f"-L{jobs.BUILD}", "-lfathom", f"-Wl,-rpath,{jobs.BUILD}"]
COARSE, REFUSED = "without their first digit", "timer starts and stops ignored"


def amount(report, text):
    """Of the note with this text; 0 if there is none."""
    return sum(note["amount"] for note in report["job"]["notes"] if text in note["text"])


def in_histograms(timer):
    return sum(round(b["avg"] * len(counting.ranks_of(h["ranks"]))) for h in timer["histograms"] for b in h["bins"])


def check_many(tap, mpi, program, timers, events, env):
    """The report of a job of that many timers, of which the first MOST must be there with all events."""
    title = f"{mpi.short}, {timers} timers"
    job = jobs.run(jobs.BARE, mpi, RANKS, [program, timers, events], env=env)
    tap.ok(job.status == 0 and not job.stdout and not job.stderr, f"{title}: the program ends well", job)
    report = job.report()
    wanted = {f"timer {i}": (events, events, events * RANKS, events * RANKS) for i in range(min(timers, MOST))}
    tap.equal({t["name"]: (t["events"]["min"], t["events"]["max"], in_histograms(t),
                           t["first_half"]["events"] + t["second_half"]["events"]) for t in report["timers"]}, wanted,
              f"{title}: each has all its events, in its histogram too")
    spent = [[int(word) for word in path.read_text(encoding="utf-8").split()] for path in job.work.glob("spent.*")]
    inside, around = (sum(numbers) / 1e9 for numbers in zip(*spent))
    total = sum(t["time_s"] for t in report["timers"])
    tap.ok(timers > MOST or inside <= total <= around, f"{title}: totals are exact", inside, total, around)
    return title, report


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "many-timers", "many_timers.c", flags=LINKED)
    title, report = check_many(tap, mpi, program, 60, 4, {"FATHOM_MEMORY": "256K"})
    tap.ok(amount(report, COARSE) > 0 and amount(report, REFUSED) == 0,
           f"{title}: with little memory histograms are coarse, and the report says so", report["job"]["notes"])
    title, report = check_many(tap, mpi, program, 1000, 2, {})
    tap.equal(amount(report, REFUSED), 0, f"{title}: none is refused")
    title, report = check_many(tap, mpi, program, 1100, 2, {})
    tap.equal(amount(report, REFUSED), RANKS * 2 * 2 * (1100 - MOST), f"{title}: what is refused is counted")
    check_memory(tap, mpi)
    check_openmp(tap, mpi, counting.compile_program(mpi, "openmp", "openmp.c", flags=["-fopenmp", *LINKED]), "C")
    fortran = counting.compile_program(mpi, "fortran-openmp", "openmp.F90",
                                       first=[str(jobs.SOURCE / "fortran" / "fathom.f90")],
                                       flags=["-fopenmp", f"-J{jobs.SCRATCH}", *LINKED])
    check_openmp(tap, mpi, fortran, "Fortran")


def check_memory(tap, mpi):
    """A task without memory for what a child sends leaves it out, and nobody waits for ever."""
    program = counting.compile_program(mpi, "short-of-memory", "short_of_memory.c", flags=LINKED)
    job = jobs.run(jobs.BARE, mpi, 4, [program])
    text = job.stdout.decode()
    tap.ok(job.status == 0 and text.startswith("*** profile for 4 tasks ***\n") and
           text.count("\ntasks: 0-2\nevents per task: 1 max, 1 min, 1 avg (3 tasks)\n") == 1000,
           f"{mpi.short}: a task without memory leaves its child out", text[:2000], job.stderr.decode())


def check_openmp(tap, mpi, program, language):
    title = f"{mpi.short}, OpenMP in {language}"
    job = jobs.run(jobs.BARE, mpi, RANKS, [program])
    tap.ok(job.status == 0, f"{title}: the program ends well", job)
    timers = {t["name"]: t for t in job.report()["timers"]}
    tap.equal({name: (t["events"]["min"], t["events"]["max"], t["threads"]) for name, t in timers.items()},
              {"region": (1, 1, RANKS), "team": (60, 60, 3 * RANKS)}, f"{title}: each thread has its own events")
    team, region = timers["team"], timers["region"]
    per_thread = team["thread_total_s"]
    tap.ok(0 < per_thread["min"] <= per_thread["avg"] <= per_thread["max"] < team["total_s"]["max"],
           f"{title}: totals of threads", per_thread, team["total_s"])
    tap.ok(region["thread_total_s"] == region["total_s"], f"{title}: of one thread they are those of the task", region)


jobs.check_each(check_mpi)
