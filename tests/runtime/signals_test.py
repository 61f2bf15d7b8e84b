#!/usr/bin/env python3
"""Signals of a program that is sampled: it may use every one, also that of the samples, and sees none that is not its
own."""
import sampling
import jobs

THEMES = ("all-handlers", "flags", "wait-all", "wait-often", "wait-one", "descriptor", "suspend", "masks", "stacks",
          "named-set", "sent", "break-waits", "default", "timers", "first-thread", "interrupted",
          "hold", "wrong-address", "children")
# of these: samples go on afterwards
GO_ON = ("flags", "wait-often", "wait-one", "stacks")
# which thread the kernel gives a signal to depends on what else runs on the machine
VARIES, TRIES = ("first-thread",), 3


def both(program, theme):
    """Without and with samples; again where they differ by chance."""
    for _ in range(TRIES if theme in VARIES else 1):
        bare, job = sampling.run([program, theme], sampled=False), sampling.run([program, theme])
        if bare.stdout == job.stdout:
            break
    return bare, job


def main():
    tap = jobs.Tap()
    program = sampling.compile_program("signals")
    for theme in THEMES:
        bare, job = both(program, theme)
        tap.equal((job.status, job.stdout.decode()), (bare.status, bare.stdout.decode()), f"{theme}: as without samples")
        if theme in GO_ON:
            tap.equal((bare.stderr, job.stderr), (b"sampled 0\n", b"sampled 1\n"), f"{theme}: samples go on")
    stepped = sampling.run([sampling.compile_program("stepped")], sampled=False, hz=1000)
    tap.equal((stepped.status, stepped.stdout), (0, b"many signals, 0 within a sample\n"),
              "a signal at any instruction of a sample waits for its end")
    tap.done()


main()
