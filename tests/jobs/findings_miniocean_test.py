#!/usr/bin/env python3
"""The faults of the ocean model are found with their lines, and vanish with the options that remove them."""
import ahead
import jobs
import ocean_model

RANKS, TRIES = 2, 8
GOOD = ["--dist", "balanced", "--fused"]
SMALL = ["--steps", 40, "--levels", 8]
LATENCY = ["--steps", 1500, "--levels", 1, "--grid", "32x24", "--blocks", "4x4"]  # nothing but small messages
# fault -> (options, sound options, rule, file, functions)
FAULTS = {
    "land": ([*SMALL, "--fused", "--seed", 10], [*SMALL, *GOOD, "--seed", 10], "imbalance", None, None),
    "two sums": ([*LATENCY, "--dist", "balanced"], [*LATENCY, *GOOD], "successive-reductions", "pcg.f90",
                 {"pcg::sum_products"}),
    "serial output": ([*SMALL, *GOOD, "--serial-output"], [*SMALL, *GOOD], "serial-stage", None,
                      {"output::output_serial", "output::write_map", "miniocean::write_output"}),
    "serial input": ([*SMALL, *GOOD, "--serial-input"], [*SMALL, *GOOD], "serial-stage", "coupler.f90",
                     {"forcing::forcing_read"}),
    "floats": ([*SMALL, *GOOD, "--floats"], [*SMALL, *GOOD], "drift", None, None),
}


def findings(mpi, program, options, until):
    """Rule -> finding, of the first run of which `until` is true; of the last one if there is none."""
    for _ in range(TRIES):
        job = jobs.run(jobs.AROUND, mpi, RANKS, [*ahead.AHEAD, program, *options], prefix=ahead.AHEAD,
                       env={"OMPI_MCA_hwloc_base_binding_policy": "none"})
        found = {f["rule"]: f for f in job.report()["findings"]} if job.status == 0 else {"failed": str(job)}
        if until(found):
            break
    return found


def check(tap, mpi):
    program = ocean_model.build(mpi, timed=True)
    checked = []  # sound options, which several faults have in common
    for name, (options, sound, rule, file, functions) in FAULTS.items():
        found = findings(mpi, program, options, lambda found: rule in found)
        finding = found.get(rule)
        if tap.ok(finding, f"{mpi.short}, {name}: {rule}", found):
            tap.ok((not functions or finding["function"] in functions) and (not file or finding["file"] == file),
                   f"{mpi.short}, {name}: where", finding)
        if sound in checked:
            continue
        checked.append(sound)
        # a core that is slower than the other looks like imbalance
        known = {"no-cpu"} if rule == "imbalance" else {"no-cpu", "imbalance"}
        found = findings(mpi, program, sound, lambda found: not set(found) - known)
        tap.ok(not set(found) - known, f"{mpi.short}, {name}: nothing with {' '.join(map(str, sound))}", found)


jobs.check_each(check)
