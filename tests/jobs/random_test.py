#!/usr/bin/python3
"""Random programs (programs/random.c): requests of every kind completed in every way, with errors, callbacks that call
MPI and pauses in between. What they receive is what was sent, and what Fathom says of them is what they did. Give it
numbers to start from others: random_test.py FIRST COUNT."""
import sys

import counting
import jobs

RANKS = 4
# messages of a round, rounds, memory
CASES = {"few": (40, 12, None), "hundreds of requests": (900, 3, "64M"), "in a small table": (40, 12, "256K")}


def check(tap, mpi, program, case, seed):
    messages, rounds, memory = CASES[case]
    title = f"{mpi.short}, {case}, seed {seed}"
    job = jobs.run(jobs.PRELOAD, mpi, RANKS, [program, str(seed), str(rounds), str(messages)],
                   env={"FATHOM_MEMORY": memory})
    if not tap.ok(job.status == 0 and job.stdout.count(b"all as it must be") == RANKS, f"{title}: ends well", job):
        return
    report = job.report()
    wrong = counting.differences(counting.figures(report), counting.sums(counting.read_lines(job, "tally")))
    tap.ok(not wrong, f"{title}: no call and no byte is lost", *wrong, *jobs.notes(report))


def check_jumps(tap, mpi, program, seed):
    """Which receives a wait has ended that was left by longjmp is not known: only the calls are."""
    title = f"{mpi.short}, left by longjmp, seed {seed}"
    job = jobs.run(jobs.PRELOAD, mpi, RANKS, [program, str(seed), "12", "40", "jump"])
    if not tap.ok(job.status == 0 and job.stdout.count(b"all as it must be") == RANKS, f"{title}: ends well", job):
        return
    got = {name: figures[:1] for name, figures in counting.figures(job.report()).items()}
    wanted = {name: figures[:1] for name, figures in counting.sums(counting.read_lines(job, "tally")).items()}
    wrong = counting.differences(got, wanted)
    tap.ok(not wrong, f"{title}: no call is lost", *wrong)


def main():
    first, count = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (1, 2)
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = counting.compile_program(mpi, "random", "random.c", "tally.c")
        for seed in range(first, first + count):
            for case in CASES:
                check(tap, mpi, program, case, seed)
            check_jumps(tap, mpi, program, seed)
    tap.done()


main()
