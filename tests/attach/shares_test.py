#!/usr/bin/env python3
"""The shares that `fathom attach` tells are those of the program, as exactly as it says, and by the same modules as
those of a profile that is saved."""
import json
import subprocess

import attaching
from attaching import jobs

TRUTH = {"ocean": 0.6, "atmosphere": 0.3, "coupler": 0.1}
REPETITIONS, AT_LEAST = 20, 15  # with 95 % each, fewer happen once in 3,000 times
MODULES = "".join(f"module {name} function {name}\n" for name in TRUTH) + "module clock library *\n"


def file_of_modules():
    path = jobs.SCRATCH / "modules"
    path.write_text(MODULES, encoding="utf-8")
    return path


def covers(found):
    """What the clock takes belongs to whoever asks for it: told apart here, and the rest must stand in proportion."""
    whole = sum(found[name][0] for name in TRUTH)
    return all(abs(found[name][0] / whole - share) <= found[name][1] / whole / 2 + 1e-9
               for name, share in TRUTH.items())


def intervals(tap, phases):
    job = attaching.start(phases, 600, 2)
    right, texts = 0, []
    for _ in range(REPETITIONS):
        out = attaching.attach(job.pid, "--samples", 100, "--hz", 100, "--json", "--modules", file_of_modules())
        found = attaching.shares(attaching.stream(out.stdout)[-1])
        right += covers(found)
        texts.append({name: found[name] for name in TRUTH})
    job.kill()
    job.communicate()
    tap.ok(right >= AT_LEAST, f"{right} of {REPETITIONS} intervals cover the truth", *texts)
    # in most runs: on a busy machine, moments that follow each other see the same phase
    widths = sorted(found[name][1] for found in texts for name in TRUTH)
    tap.ok(widths[0] > 0 and widths[len(widths) // 2] < 0.5, "and are not as wide as the world", widths)


def until(tap, phases):
    job = attaching.start(phases, 600)
    out = attaching.attach(job.pid, "--until", "12%", "--hz", 200, "--json", "--modules", file_of_modules())
    job.kill()
    job.communicate()
    lines = attaching.stream(out.stdout)
    found = attaching.shares(lines[-1])
    tap.ok(lines[-1]["final"] and not any(line["final"] for line in lines[:-1]), "the last line of a stream is final")
    tap.ok(all(width < 0.12 for share, width in found.values() if share > 0.02), "--until is kept", found)


def saved(tap, phases):
    job = attaching.start(phases, 600, 3)
    attaching.wait_until(lambda: len(attaching.threads_of(job.pid)) == 3)
    profile = jobs.SCRATCH / "phases.fathom"
    out = attaching.attach(job.pid, "--for", 2, "--hz", 50, "--save", profile, "--modules", file_of_modules())
    text = attaching.finish(job)
    tap.ok(out.returncode == 0 and "ocean" in out.stdout.splitlines()[2], "the view of modules", out.stdout, out.stderr)
    tap.equal((job.returncode, text), (7, "0 signals, 0 wrong, status 0\n"), "the program is as ever")
    report = json.loads(subprocess.run([jobs.FATHOM, "report", str(profile), "--format", "json", "--modules",
                                        str(file_of_modules())], capture_output=True, check=True).stdout)
    text = subprocess.run([jobs.FATHOM, "report", str(profile)], capture_output=True, text=True, check=True).stdout
    tap.ok("phases on 1 rank: sampled by fathom attach for" in text and "\nphases: work" in text,
           "its report says that it has samples alone, and shows the modules", text)
    names = {m["name"] for m in report["modules"]["list"]}
    tap.ok(set(TRUTH) <= names, "the saved profile has the modules", names)
    wall, sampled = report["job"]["wall_s"], report["calls"]["samples"] * 0.02
    tap.ok(wall / 2 < sampled <= 3 * wall + 0.1, "and the time of three threads", wall, sampled)
    exported = subprocess.run([jobs.FATHOM, "export", "--to", "collapsed", str(profile)], capture_output=True, text=True,
                              check=False).stdout
    tap.ok("main;model;ocean" in exported, "and call paths for other tools", exported)
    tap.ok(exported.startswith("model;") or "\nmodel;" in exported, "of threads that run beside the first, too", exported)


def main():
    tap = jobs.Tap()
    phases = attaching.compile_program("phases")
    intervals(tap, phases)
    until(tap, phases)
    saved(tap, phases)
    tap.done()


main()
