#!/usr/bin/env python3
"""However it is sampled, or not at all, a program says the same and ends the same; and of a rate that makes no sense one
sentence is said: as an option it is refused, in the environment it means none."""
import subprocess

import counting
import jobs

RANKS = 2
# what --sample is given -> (samples a second that the report tells of, whether samples must be there)
RATES = {None: (97, True), "1000": (997, True), "cpu:100": (100, True), "off": (None, False), "0": (None, False)}
BAD = ("fast", "-5", "1e3", "100 ", "cpu:", "10001", "99999999999999999999", "100.5", "")


def lines(output):
    """Ranks write in any order; messages of mpirun about a status have its process numbers."""
    return sorted(line for line in output.decode().splitlines() if line.startswith("rank "))


def said(job):
    return job.status, lines(job.stdout), lines(job.stderr)


def whole(job):
    return [sorted(output.splitlines()) for output in (job.stdout, job.stderr)]


def start(mpi, program, status, sample):
    """fathom run --sample, as a user types it."""
    job, env = jobs.prepare(jobs.AROUND)
    words = [jobs.FATHOM, "run", "--quiet"] + (["--sample", sample] if sample is not None else [])
    done = subprocess.run([*words, "--", *mpi.mpirun(RANKS), program, str(status)], cwd=job.work, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    return job


def check_sampled(tap, title, job, hz, sampled):
    calls = job.report()["calls"]
    if not sampled:
        tap.equal(calls, None, f"{title}: without samples")
        return
    tap.ok(calls and round(calls["hz"]) == hz and calls["samples"] > 0, f"{title}: {hz} samples a second",
           calls and (calls["hz"], calls["samples"]))


def check_rates(tap, mpi):
    program = counting.compile_program(mpi, "faithful", "faithful.c", flags=["-O2", "-lm"])
    for status in (0, 3):
        bare = jobs.run(jobs.BARE, mpi, RANKS, [program, status])
        wanted = said(bare)
        tap.ok(wanted[0] == status and len(wanted[1]) == RANKS and all("0 broken, 1 woken, 1 alarms" in w for w in wanted[1]),
               f"{mpi.short}, status {status}: the program by itself", bare)
        for sample in RATES if status == 0 else ("1000", "off"):
            title = f"{mpi.short}, status {status}, --sample {sample or 'not given'}"
            job = start(mpi, program, status, sample)
            tap.equal(said(job), wanted, f"{title}: the same")
            if status == 0:
                tap.equal(whole(job), whole(bare), f"{title}: and nothing else")
                check_sampled(tap, title, job, *RATES[sample])


def run_echo(words, env):
    """In a directory of its own."""
    job, variables = jobs.prepare(jobs.AROUND, env)
    done = subprocess.run([jobs.FATHOM, "run", "--quiet", *words, "sh", "-c", "echo started"], cwd=job.work, env=variables,
                          capture_output=True, text=True, timeout=jobs.LIMIT_S, check=False)
    return done, job


def one_sentence(done):
    return len(done.stderr.splitlines()) == 1 and "samples per second" in done.stderr


def check_bad(tap, value):
    done, _ = run_echo(["--sample", value], {})
    tap.ok(done.returncode == 2 and not done.stdout and one_sentence(done), f"--sample '{value}' is refused", done)
    if not value:  # an empty variable is one that is not given
        return
    done, job = run_echo([], {"FATHOM_SAMPLE": value})
    tap.ok(done.returncode == 0 and done.stdout == "started\n" and one_sentence(done) and f"'{value}'" in done.stderr
           and job.report()["calls"] is None, f"FATHOM_SAMPLE='{value}' is told of, and the command runs without samples", done)
    done, job = run_echo(["--sample", "97"], {"FATHOM_SAMPLE": value})
    tap.ok(done.returncode == 0 and not done.stderr, f"FATHOM_SAMPLE='{value}' does not matter beside --sample", done)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_rates(tap, mpi)
    for value in BAD:
        check_bad(tap, value)
    for way in (jobs.AROUND, jobs.INSIDE):
        job = jobs.run(way, jobs.MPIS[0], RANKS, ["true"], env={"FATHOM_SAMPLE": "fast"})
        sentences = 1 if way == jobs.AROUND else 0  # ranks would all say it
        tap.equal((job.status, job.stderr.decode().count("FATHOM_SAMPLE")), (0, sentences), f"{way}: said once at most")
    tap.done()


main()
