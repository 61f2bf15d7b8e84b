#!/usr/bin/env python3
"""Threads that sleep in the C library until somebody lets them go on are found waiting, whatever they are called in
there; reading is work."""
import json
import re
import subprocess
import time

import attaching
from attaching import jobs

WORK = ("read",)


def kinds():
    text = (attaching.HERE / "programs" / "asleep.c").read_text(encoding="utf-8")
    return re.findall(r"^IN\(in_(\w+),", text, re.M)


def start(program, threads):
    """The program, once all its threads sleep."""
    job = subprocess.Popen([program], stdin=subprocess.PIPE)
    while [state for state, _ in attaching.threads_of(job.pid)] != ["S"] * threads:
        time.sleep(0.01)
    return job


def nodes(node):
    yield node
    for child in node["children"]:
        yield from nodes(child)


def main():
    tap = jobs.Tap()
    names, profile, modules = kinds(), jobs.SCRATCH / "asleep.fathom", jobs.SCRATCH / "modules"
    modules.write_text("".join(f"module {name} function in_{name}\n" for name in names), encoding="utf-8")
    job = start(attaching.compile_program("asleep"), len(names))
    seen = attaching.attach(job.pid, "--samples", 5, "--hz", 20, "--save", profile)
    job.stdin.close()
    tap.equal((seen.returncode, job.wait()), (0, 0), "attached, and it ends")
    report = json.loads(subprocess.run([jobs.FATHOM, "report", str(profile), "--format", "json", "--modules",
                                        str(modules)], capture_output=True, check=True).stdout)
    found = {node["name"]: (node["work_s"] > 0, node["waiting_s"] > 0) for node in nodes(report["modules"]["tree"])}
    for name in names:
        tap.equal(found.get(name), (name in WORK, name not in WORK),
                  f"{name} is {'work' if name in WORK else 'waiting'}: (work, waiting)")
    tap.done()


main()
