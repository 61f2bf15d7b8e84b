#!/usr/bin/env python3
"""Calls and bytes of file I/O are those that the program makes: of each file, in every way of reading and writing; what
children, sockets and MPI itself do is not among them."""
import re
import subprocess

import jobs

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
KEYS = ("opens", "reads", "writes", "seeks", "syncs", "read_bytes", "written_bytes", "rewritten_bytes")
RANKS = 2


def text_of(name):
    return (PROGRAMS / name).read_text(encoding="utf-8")


def printed(job):
    """{file: figures}, summed over the ranks that print it; and how many these are."""
    sums, ranks = {}, {}
    for line in job.stdout.decode().splitlines():
        name, *figures = line.split() or [""]
        if not figures or not all(figure.lstrip("-").isdigit() for figure in figures):
            continue  # of mpirun
        sums[name] = [a + int(b) for a, b in zip(sums.get(name, [0] * len(figures)), figures)]
        ranks[name] = ranks.get(name, 0) + 1
    return sums, ranks


def files_of(report, work):
    """{name relative to the job's directory: item} of those below it."""
    start = str(work.resolve()) + "/"
    return {item["path"][len(start):]: item for item in report["io"]["files"] if item["path"].startswith(start)}


def check_split(tap, title, report):
    """Each second counts once: the parts add up to the wall times. MPI-IO is in MPI. Time without a CPU is taken from all
    parts, so that I/O is at most what the clock says."""
    split, ranks = report["split"], report["split"]["per_rank"]
    parts = ("program_s", "mpi_s", "io_s", "no_cpu_s")
    walls = [process["wall_s"] for process in report["processes"]]
    sums = [sum(part or 0 for part in of) for of in zip(*(ranks[part] for part in parts))]
    tap.ok(all(abs(a - b) < 1e-6 for a, b in zip(sums, walls)) and len(sums) == len(walls) and
           abs(sum(split[part] or 0 for part in parts) - sum(walls)) < 1e-6, f"{title}: the split adds up", split, walls)
    tap.ok(0 < split["io_s"] <= report["io"]["time_s"] + 1e-6 and
           all(part <= whole + 1e-6 for part, whole in zip(ranks["io_s"], report["io"]["per_rank"]["time_s"])),
           f"{title}: I/O in the split", split, report["io"]["per_rank"])


def compare(tap, title, job, mpi_ranks="0-1"):
    sums, ranks = printed(job)
    report = job.report()
    found = files_of(report, job.work)
    check_split(tap, title, report)
    for name, wanted in sums.items():
        item = found.get(name)
        got = [item[key] for key in KEYS] if item else None
        if wanted[-1] < 0 and got:
            wanted, got = wanted[:-1], got[:-1]
        tap.equal(got, wanted, f"{title}: {name}")
    names = {name for name in found if not name.endswith(".fathom")}
    tap.equal(names, set(sums), f"{title}: no other file")
    tap.equal({name: found[name]["ranks"] for name in sums if ranks[name] > 1 and name in found},
              {name: mpi_ranks for name in sums if ranks[name] > 1}, f"{title}: ranks that share a file")
    return report, found


def check_c(tap, mpi):
    program = mpi.compile("files", text_of("files.c"), "-pthread")
    for way in jobs.WAYS:
        job = jobs.run(way, mpi, RANKS, [program])
        title = f"{mpi.short}, {way}"
        if not tap.equal(job.status, 0, f"{title}: it runs"):
            tap.note(job)
            continue
        report, found = compare(tap, title, job)
        tap.ok(found["mpi.dat"]["mpi"] == 1 and found["posix.dat"]["mpi"] == 0 and found["stdio.txt"]["stdio"] == 1,
               f"{title}: interfaces", found["mpi.dat"])
        tap.ok(found["formatted.txt"]["write_s"] < 0.3, f"{title}: formatting is not I/O", found["formatted.txt"])
        io = report["io"]
        tap.ok(0 < io["time_s"] and 0 < io["mpi_time_s"] <= report["mpi"]["time_s"] and
               abs(sum(io["per_rank"]["time_s"]) - io["time_s"]) < 1e-6 and
               sum(io["per_rank"]["bytes"]) == io["read_bytes"] + io["written_bytes"] and
               abs(sum(p["io_s"] for p in report["processes"]) - io["time_s"]) < 1e-6, f"{title}: sums", io["per_rank"])
        tap.ok(sum(size["reads"] + size["writes"] for size in io["sizes"]) <= io["reads"] + io["writes"],
               f"{title}: sizes of requests", io["sizes"])
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program], env={"FATHOM_SAMPLE": "off"})
    compare(tap, f"{mpi.short}, without samples", job)
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "killed"])
    compare(tap, f"{mpi.short}, a rank is killed", job)
    off = jobs.run(jobs.AROUND, mpi, RANKS, [program], env={"FATHOM_IO": "off"}).report()
    tap.ok(off["split"]["io_s"] is None and not off["io"]["files"] and off["mpi"]["time_s"] > 0,
           f"{mpi.short}: switched off", off["split"], off["io"])
    text = subprocess.run([jobs.FATHOM, "report", "--view", "io", *job.profiles()], capture_output=True, check=True)
    # of the heaviest files only; which these are depends on what else the machine does
    tap.ok(b"File I/O: " in text.stdout and re.search(rb"\b(shared|mpi|posix)\.dat\b", text.stdout), f"{mpi.short}: the view", text.stdout.decode())


def check_fortran(tap, mpi):
    job = jobs.run(jobs.AROUND, mpi, RANKS, [mpi.compile("filesf", text_of("files.f90"), "-w", suffix="f90")])
    report = job.report()
    found = files_of(report, job.work)
    check_split(tap, f"{mpi.short}, Fortran", report)
    for name, (read, written) in printed(job)[0].items():
        item = found.get(name, {})
        tap.ok(item.get("fortran") == 1 and item.get("read_bytes", -1) >= read and item.get("written_bytes") == written and
               item.get("rewritten_bytes") == 0,
               f"{mpi.short}, Fortran: {name}", item)


def check_many(tap, mpi):
    """More files than a process has space for: their sums are kept, in one class over all ranks."""
    job, env = jobs.prepare(jobs.AROUND)
    (job.work / "many").mkdir()
    program = mpi.compile("files", text_of("files.c"), "-pthread")
    words = jobs.command_line(jobs.AROUND, mpi, RANKS, [program, "many"])
    done = subprocess.run(words, cwd=job.work, env=env, capture_output=True, timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout = done.returncode, done.stdout
    sums, _ = printed(job)
    report = job.report()
    classes = [item for item in report["io"]["classes"] if item["name"].startswith("out.*.* below ")]
    tap.equal([item["name"].split(" below ")[0] for item in classes], ["out.*.*"], f"{mpi.short}, many files: one class")
    tap.equal([classes[0][key] for key in KEYS], sums["many"], f"{mpi.short}, many files: all are counted")
    tap.equal(classes[0]["files"], 2 * 1000, f"{mpi.short}, many files: their number")
    tap.ok(len(report["io"]["files"]) <= 32 + 20, f"{mpi.short}, many files: few by name", len(report["io"]["files"]))
    tap.ok(any(note["code"] == "files-combined" for note in report["job"]["notes"]), f"{mpi.short}, many files: it is said",
           report["job"]["notes"])


PYTHON = """
import tempfile
from mpi4py import MPI
rank = MPI.COMM_WORLD.Get_rank()
with open(f"python.{rank}.bin", "wb") as out:
    for i in range(100):
        out.write(bytes(10000))
with tempfile.NamedTemporaryFile(dir="/dev/shm", suffix=".shm") as out:
    out.write(bytes(5000))
with open(f"python.{rank}.bin", "rb", buffering=0) as back:
    assert len(back.read(12345)) == 12345
for letter in "abcdefghijklmn":
    with open(f"name.{letter}x", "w") as out:
        out.write("x")
"""


def check_python(tap):
    mpi = next((mpi for mpi in jobs.MPIS if mpi.name == "openmpi"), None)
    if not mpi:
        tap.skip("Python", "Open MPI is not installed")
        return
    script = jobs.SCRATCH / "files.py"
    script.write_text(PYTHON, encoding="utf-8")
    job = jobs.run(jobs.AROUND, mpi, RANKS, ["/usr/bin/python3", script])
    report = job.report()
    found = files_of(report, job.work)
    tap.equal([item["written_bytes"] for item in report["io"]["files"] if item["path"].endswith(".shm")], [5000] * RANKS,
              "Python: files in /dev/shm")
    text = subprocess.run([jobs.FATHOM, "report", "--view", "io", *job.profiles()], capture_output=True, check=True).stdout
    tap.ok(b" more classes (--all shows them)" in text, "Python: many classes", text.decode())
    for rank in range(RANKS):
        item = found.get(f"python.{rank}.bin", {})
        tap.equal((item.get("opens"), item.get("written_bytes"), item.get("read_bytes"), item.get("ranks")),
                  (2, 1000000, 12345, str(rank)), f"Python: file of rank {rank}")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_c(tap, mpi)
        check_fortran(tap, mpi)
        check_many(tap, mpi)
    check_python(tap)
    tap.done()


main()
