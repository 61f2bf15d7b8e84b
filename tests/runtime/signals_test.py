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


def main():
    tap = jobs.Tap()
    program = sampling.compile_program("signals")
    for theme in THEMES:
        bare, job = sampling.run([program, theme], sampled=False), sampling.run([program, theme])
        tap.equal((job.status, job.stdout.decode()), (bare.status, bare.stdout.decode()), f"{theme}: as without samples")
        if theme in GO_ON:
            tap.equal((bare.stderr, job.stderr), (b"sampled 0\n", b"sampled 1\n"), f"{theme}: samples go on")
    tap.done()


main()
