#!/usr/bin/env python3
"""Each rule finds the fault that it is about, with its place, and says nothing about a program that looks like it but is
sound. Where that is allowed, the ranks run before other programs, so that they have cores however busy the machine is; a
run in which they had none is repeated."""
import os
import subprocess

import ahead
import jobs

SOURCE = jobs.SOURCE / "tests/jobs/programs/faults.c"
RANKS, TRIES = 2, 8
LINKED = [f"-I{jobs.SOURCE / 'include'}", f"-L{jobs.BUILD}", "-lfathom", f"-Wl,-rpath,{jobs.BUILD}"]
# program -> rule, function, mark of the line ("": none), ranks
FAULTS = {
    "imbalance": ("imbalance", "compute", "uneven work", "0"),
    "turns": ("imbalance", "sum_of", "", "0-1"),
    "serial-stage": ("serial-stage", "write_results", "the stage", "0"),
    "serial-blocks": ("serial-stage", "write_blocks", "", "0"),
    "serial-text": ("serial-stage", "write_text", "", "0"),
    "read-and-broadcast": ("read-and-broadcast", "read_numbers", "the input", "0"),
    "barrier": ("barrier", "barrier", "the barrier", "0-1"),
    "late-sender": ("late-sender", "late_sender", "the receive", "0-1"),
    "late-receiver": ("late-receiver", "late_receiver", "the send", "0-1"),
    "small-messages": ("small-messages", "small_messages", "the message", "0-1"),
    "first-event": ("first-event", None, "", "0-1"),
    "drift": ("drift", None, "", "0-1"),
    "successive-reductions": ("successive-reductions", "successive", "the reduction", "0-1"),
    "io": ("io", "write_fields", "the field", "0-1"),
    "small-io": ("small-io", "write_records", "the record", "0-1"),
    "no-cpu": ("no-cpu", None, "", "0-1"),
}
# what the advice of a rule with several depends on
ADVICE = {"serial-stage": "Divide this work among all ranks", "serial-blocks": "with MPI-IO", "serial-text": "unformatted"}
FORTRAN = jobs.SOURCE / "tests/jobs/programs/faults_io.f90"


def lines_of(mark):
    text = SOURCE.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(text, 1) if line.endswith(f"/* {mark} */")}


def findings(job):
    return job.report()["findings"]


def start(mpi, program, name, kind):
    """Faulty no-cpu: all ranks on one core."""
    core = str(min(os.sched_getaffinity(0)))
    prefix = ["taskset", "-c", core] if (name, kind) == ("no-cpu", "fault") else ahead.AHEAD
    return jobs.run(jobs.AROUND, mpi, RANKS, [*ahead.AHEAD, program, name, kind], prefix=prefix,
                    env={"OMPI_MCA_hwloc_base_binding_policy": "none"})


def check_fault(tap, mpi, program, name):
    rule, function, mark, ranks = FAULTS[name]
    without_cores = 0
    for _ in range(TRIES):
        job = start(mpi, program, name, "fault")
        found = {f["rule"]: f for f in findings(job)} if job.status == 0 else {}
        if rule in found:
            break
        without_cores += "no-cpu" in found
    if without_cores == TRIES and rule != "no-cpu":
        tap.skip(f"{mpi.short}, {name}: found", f"the ranks had no cores in {TRIES} runs")
        return
    if not tap.ok(rule in found, f"{mpi.short}, {name}: found", job, found):
        return
    finding = found[rule]
    tap.equal((finding["function"], finding["ranks"]), (function, ranks), f"{mpi.short}, {name}: where")
    if mark:
        tap.ok(finding["line"] in lines_of(mark) and finding["file"] == "faults.c", f"{mpi.short}, {name}: the line",
               finding)
    tap.ok(finding["cost_s"] > 0 and 0 < finding["cost_fraction"] < 1 and finding["evidence"],
           f"{mpi.short}, {name}: what it costs and why", finding)
    shown = subprocess.run([jobs.FATHOM, "report", *job.profiles()], capture_output=True, text=True, check=True).stdout
    if rule == "no-cpu":
        tap.ok("2 ranks bound to the same core" in finding["text"], f"{mpi.short}, {name}: how they are bound", finding)
    if name in ADVICE:
        tap.ok([word for word in ADVICE.values() if word in finding["advice"]] == [ADVICE[name]],
               f"{mpi.short}, {name}: what to do", finding)
    words = " ".join(finding["text"].split())
    tap.ok(words in " ".join(shown.split()), f"{mpi.short}, {name}: shown by the summary", shown)


def check_sound(tap, mpi, program, name):
    """That the ranks had no cores, if so, is true."""
    rule = FAULTS[name][0]
    job = start(mpi, program, name, "sound")
    # reading numbers takes longer on a slower core
    known = {"no-cpu", "imbalance"} if rule == "read-and-broadcast" else {"no-cpu"}
    found = [f for f in findings(job) if f["rule"] not in known] if job.status == 0 else [job.status]
    if rule == "no-cpu":
        tap.ok(job.status == 0 and not found, f"{mpi.short}, {name}: nothing else in a sound program", *found)
        return
    tap.ok(not found, f"{mpi.short}, {name}: none in a sound program", *found)


def check_fortran(tap, mpi):
    """Records that are flushed one by one, and fields: as in C."""
    program = mpi.compile("faultsf", FORTRAN.read_text(encoding="utf-8"), "-O2", "-g", "-w", suffix="f90")
    for name in ("io", "small-io"):
        for _ in range(TRIES):
            job = start(mpi, program, name, "fault")
            found = {f["rule"]: f for f in findings(job)} if job.status == 0 else {}
            if name in found:
                break
        tap.ok(name in found and not {"io", "small-io"} - {name} & found.keys() and "*.dat below " in found[name]["text"],
               f"{mpi.short}, Fortran, {name}: found, with the files", job, found)
        tap.equal(found.get(name, {}).get("function", "").split("::")[-1], FAULTS[name][1],
                  f"{mpi.short}, Fortran, {name}: where")
        job = start(mpi, program, name, "sound")
        wrong = [f for f in findings(job) if f["rule"] in ("io", "small-io")] if job.status == 0 else [job.status]
        tap.ok(not wrong, f"{mpi.short}, Fortran, {name}: none in a sound program", *wrong)


def check(tap, mpi):
    program = jobs.SCRATCH / f"faults.{mpi.name}"
    subprocess.run([f"mpicc.{mpi.name}", "-O2", "-g", "-o", str(program), str(SOURCE), *LINKED], check=True)
    for name in FAULTS:
        check_fault(tap, mpi, program, name)
        check_sound(tap, mpi, program, name)
    check_fortran(tap, mpi)


jobs.check_each(check)
