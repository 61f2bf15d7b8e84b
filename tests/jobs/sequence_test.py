#!/usr/bin/env python3
"""The sequence of a job with planted phases: they are there in their order and as long as they were, whatever the rate,
however small the segment, beside threads and forked children, of a killed job, and seen from outside."""
import csv
import io
import json
import re
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import jobs

PHASE_S = 0.6
MAP = "module alpha function alpha\nmodule beta function beta descend\nmodule gamma function gamma_\n" \
      "module main file *.c\n"
WAITS = ("main", "waiting")
PHASES = {0: [("alpha", "work"), ("beta", "work"), WAITS], 1: [("beta", "work"), ("alpha", "work"), WAITS]}


def fathom(*words):
    return subprocess.run([jobs.FATHOM, *map(str, words)], capture_output=True, text=True, check=False)


def report(profile, *options):
    path = jobs.SCRATCH / "modules.txt"
    path.write_text(MAP, encoding="utf-8")
    return fathom("report", profile, "--modules", path, *options)


def rows_of(profile):
    return list(csv.DictReader(io.StringIO(report(profile, "--view", "sequence", "--format", "csv").stdout)))


def joined(phases):
    """Neighbours that are the same as one."""
    result = []
    for what, time_s in phases:
        if result and result[-1][0] == what:
            result[-1][1] += time_s
        else:
            result.append([what, time_s])
    return result


def phases_of(rows, rank):
    """What a rank did of what was planted, with its time, without what took less than a tenth of a phase: MPI starts and
    ends around it, and a sample is where the clock is read."""
    all_of_it = [((row["module"], row["state"]), float(row["end_s"]) - float(row["start_s"])) for row in rows
                 if int(row["rank"]) == rank]
    phases = joined((what, time_s) for what, time_s in all_of_it if what in PHASES[0])
    return joined((what, time_s) for what, time_s in phases if time_s >= PHASE_S / 10)


def check_phases(tap, title, job, rows):
    """The order is exact, after the wait for the others to begin. A phase is as long as the program says, up to a cell at
    each end and what MPI does around it."""
    for rank, wanted in PHASES.items():
        phases = phases_of(rows, rank)
        phases = phases[1:] if phases and phases[0][0] == WAITS else phases
        tap.equal([what for what, _ in phases], wanted, f"{title}: rank {rank} has its phases in their order")
        told = [float(word) for word in (job.work / f"lengths.{rank}").read_text(encoding="utf-8").split()]
        lengths = [time_s for _, time_s in phases]
        tap.ok(len(told) == 3 and all(abs(seen - said) < 0.3 * PHASE_S for seen, said in zip(lengths, told)),
               f"{title}: rank {rank}: their lengths", lengths, told)
    gamma = [row for row in rows if row["module"] == "gamma"]
    tap.equal(gamma, [], f"{title}: other threads and processes are not in it")


def run(mpi, program, mode, env, title, tap):
    job = jobs.run(jobs.AROUND, mpi, 2, [program, mode], env=env)
    if tap.ok(len(job.profiles()) == 1 and (job.status == 0) == (mode != "kill"), f"{title}: runs", job):
        return job
    return None


def check_forms(tap, title, profile):
    rows = rows_of(profile)
    document = json.loads(report(profile, "--format", "json").stdout)["sequence"]
    runs = []
    for row in document["ranks"]:
        at = 0
        for module, waits, n, transfers in row["runs"]:
            start = document["start_s"] + at * document["moment_s"]
            at += n
            if module is not None:
                runs.append((row["rank"], document["modules"][module]["name"],
                             "waiting" if waits else "transfer" if transfers else "work",
                             round(start, 6), round(document["start_s"] + at * document["moment_s"], 6)))
        tap.equal(at, document["moments"], f"{title}: JSON, rank {row['rank']}: every moment is there")
    tap.equal([(int(r["rank"]), r["module"], r["state"], round(float(r["start_s"]), 6), round(float(r["end_s"]), 6))
               for r in rows], runs, f"{title}: CSV has what JSON has")
    text = report(profile, "--view", "sequence")
    lines = text.stdout.splitlines()
    signs = {m.group(1): m.group(2) for m in re.finditer(r"^rank (\d) (.*)$", text.stdout, re.MULTILINE)}
    tap.ok(text.returncode == 0 and not text.stderr and max(map(len, lines)) <= 108 and ": waiting " in lines[0],
           f"{title}: the text", text)
    planted = [re.sub("[^ABm]", "", signs[rank]) for rank in "01"]
    tap.ok(re.fullmatch(r"m{0,9}A+B+m+", planted[0]) and re.fullmatch(r"m{0,9}B+A+m+", planted[1]),
           f"{title}: letters are phases, small ones wait", text.stdout)
    svg = report(profile, "--view", "sequence", "--format", "svg")
    titles = {node.text.partition(" ")[2].rpartition(" ")[0]
              for node in ElementTree.fromstring(svg.stdout).iter("{http://www.w3.org/2000/svg}title")}
    tap.ok(any(re.search(r"0: alpha, work", t) for t in titles) and any(re.search(r"1: main, waiting", t) for t in titles),
           f"{title}: the picture", titles)


def check_limits(tap, title, profile, full):
    """It did not fit, so cells became longer; and a small tree was full."""
    document = json.loads(report(profile, "--format", "json").stdout)
    sequence = document["sequence"]
    tap.ok(sequence["moment_s"] > 0.0005 and 500 <= sequence["moments"] <= 1024, f"{title}: cells became longer",
           sequence["moment_s"], sequence["moments"])
    tap.equal(document["calls"]["folded_s"] > 0, full, f"{title}: whether there was room for all paths")


def check_attach(tap, mpi, program):
    """From outside, at the same time as the job; what it shows is what it saves."""
    title = f"{mpi.short}, from outside"
    job, env = jobs.prepare(jobs.BARE)
    started = subprocess.Popen(jobs.command_line(jobs.BARE, mpi, 2, [program, "told"]), cwd=job.work, env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while started.poll() is None and not all((job.work / f"ready.{rank}").exists() for rank in PHASES):
        time.sleep(0.01)
    profile = jobs.SCRATCH / f"attached.{mpi.name}"
    attach = subprocess.Popen([jobs.FATHOM, "attach", str(started.pid), "--for", "60", "--hz", "50", "--view", "sequence",
                               "--save", profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in attach.stderr:  # how many samples it has so far
        if ", 0 samples" not in line:
            break
    (job.work / "go").touch()
    stdout, stderr = attach.communicate(timeout=jobs.LIMIT_S)
    status = started.wait(timeout=jobs.LIMIT_S)
    if not tap.ok(attach.returncode == 0 and status == 0, f"{title}: attached", status, stdout, stderr):
        return
    for rank, wanted in PHASES.items():
        seen = [what for what, _ in phases_of(rows_of(profile), rank)]
        tap.ok(len(seen) > 1 and seen == [WAITS, *wanted][-len(seen):], f"{title}: rank {rank} has its phases", seen)
    shown = [line for line in stdout.splitlines() if line.startswith("rank ")]
    again = fathom("report", profile, "--view", "sequence").stdout.splitlines()
    tap.ok(shown and shown == [line for line in again if line.startswith("rank ")], f"{title}: what is shown is saved",
           stdout)


def main():
    tap = jobs.Tap()
    source = (jobs.SOURCE / "tests/jobs/programs/phases.c").read_text(encoding="utf-8")
    for mpi in jobs.MPIS:
        program = mpi.compile("phases", source, "-lpthread")
        for mode, env in (("", {}), ("", {"FATHOM_SAMPLE": "5000"}), ("threads", {}), ("fork", {}), ("kill", {}),
                          ("deep", {"FATHOM_SAMPLE": "5000", "FATHOM_MEMORY": "256K"})):
            title = ", ".join(filter(None, [mpi.short, mode, *env.values()]))
            job = run(mpi, program, mode, env, title, tap)
            if not job:
                continue
            profile = job.profiles()[0]
            check_phases(tap, title, job, rows_of(profile))
            if env:
                check_limits(tap, title, profile, mode == "deep")
            if not mode and not env:
                check_forms(tap, title, profile)
        check_attach(tap, mpi, program)
        none = jobs.run(jobs.AROUND, mpi, 2, [program], env={"FATHOM_SAMPLE": "off"})
        text = report(none.profiles()[0], "--view", "sequence")
        tap.ok(text.returncode == 0 and text.stdout.startswith("No sequence was recorded"),
               f"{mpi.short}: without samples there is none", text)
    tap.done()


main()
