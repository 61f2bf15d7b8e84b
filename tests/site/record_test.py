#!/usr/bin/python3
"""Jobs of both MPIs, complete and killed, leave a record whose numbers are those of the report; the options of a site."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import jobs  # noqa: E402

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    double from[100] = {0}, to[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 200; i++) {
        MPI_Allreduce(from, to, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(from, 7, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(from, 7, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && !strcmp(argv[1], "die") && rank == 1)
        raise(SIGKILL);
    if (argc > 1 && !strcmp(argv[1], "wait")) {
        FILE *ready = fopen(argv[2 + rank], "w");
        fclose(ready);
        pause();
    }
    MPI_Finalize();
    return 0;
}
"""
SECRET = "correct-horse-battery"


def record_of(profile, config=None):
    """The record as a document, and its length in bytes."""
    words = [jobs.FATHOM, "site", "record", str(profile), "--config", str(config or os.devnull)]
    out = subprocess.run(words, capture_output=True, timeout=60, check=True).stdout
    return (json.loads(out) if out else None), len(out.rstrip(b"\n")), out


def configured(job, text):
    path = job.work / "site.conf"
    path.write_text(text, encoding="utf-8")
    return path


def differences(record, report):
    """What the record says otherwise than the report, for all numbers that both have."""
    wrong = []

    def compare(name, got, wanted):
        if isinstance(wanted, float) or isinstance(got, float):
            same = got is not None and abs(got - wanted) <= 1e-9 * max(1, abs(wanted))
        else:
            same = got == wanted
        if not same:
            wrong.append(f"{name}: {got!r}, not {wanted!r}")

    job = report["job"]
    for key in ("id", "user", "build_id", "launcher", "mpi", "language", "started", "ended", "ranks", "hosts", "complete",
                "wall_s", "wall_sum_s", "overhead_s"):
        compare(key, record["job"].get(key, ""), job[key])
    compare("program", record["job"]["program"], os.path.basename(job["executable"]))
    compare("mpi.time_s", record["mpi"]["time_s"], report["mpi"]["time_s"])
    for key in ("program_s", "waiting_s", "io_s", "no_cpu_s"):
        compare(key, record["split"].get(key), report["split"][key])
    for key in ("parallel", "load_balance", "communication", "serialisation", "transfer"):
        compare(key, record["efficiency"].get(key), report["efficiency"][key])
    for key in ("read_bytes", "written_bytes", "calls"):
        compare(key, record["io"][key], report["io"][key])
    compare("memory", record["memory"].get("high_water_bytes"), job["memory_bytes"] and job["memory_bytes"]["max"])
    compare("routines", [r["name"] for r in record["mpi"]["routines"]], [r["name"] for r in report["mpi"]["routines"]])
    for got, wanted in zip(record["mpi"]["routines"], report["mpi"]["routines"]):
        for key in ("calls", "time_s", "bytes", "count_arguments"):
            compare(f"{got['name']}.{key}", got.get(key, 0), wanted[key])
        sizes = [c for c in report["mpi"]["communicators"] if c["routine"] == got["name"]]
        compare(f"{got['name']}.comm_calls", got.get("comm_calls"),
                sum(c["calls"] * c["size"] for c in sizes) if sizes else None)
    compare("findings", [(f["rule"], f.get("file"), f.get("line")) for f in record.get("findings", [])],
            [(f["rule"], f["file"], f["line"]) for f in report["findings"]])
    return wrong


def complete_job(tap, mpi):
    job = jobs.run(jobs.AROUND, mpi, 3, [mpi.program], env={"SLURM_JOB_ACCOUNT": "ocean", "SLURM_JOB_PARTITION": "long"})
    report = job.report()
    record, size, _ = record_of(job.profiles()[0])
    tap.ok(size <= 5000, f"{mpi.short}: a record has at most 5,000 bytes", size)
    tap.equal(differences(record, report), [], f"{mpi.short}: its numbers are those of the report")
    by_name = {r["name"]: r for r in record["mpi"]["routines"]}
    tap.equal([by_name["MPI_Allreduce"][k] for k in ("calls", "count_arguments", "comm_calls", "bytes")],
              [600, 60000, 1800, 480000], f"{mpi.short}: sums of count arguments and of communicator sizes")
    tap.equal((record["job"].get("account"), record["job"].get("partition")), ("ocean", "long"),
              f"{mpi.short}: account and partition of the batch system")
    tap.ok(record["job"]["compiler"].startswith("GNU C 1"), f"{mpi.short}: the compiler", record["job"])
    tap.ok("command" not in record["job"], f"{mpi.short}: no arguments unless the site wants them")


def killed_rank(tap, mpi):
    job = jobs.run(jobs.AROUND, mpi, 2, [mpi.program, "die"])
    record, size, _ = record_of(job.profiles()[0])
    tap.equal(differences(record, job.report()), [], f"{mpi.short}: the record of a job with a killed rank")
    tap.ok(not record["job"]["complete"] and record["job"]["end"] and size <= 5000,
           f"{mpi.short}: it says how it ended", record["job"])


def wait_for(paths):
    until = time.monotonic() + 60
    while not all(os.path.exists(p) for p in paths):
        if time.monotonic() > until:
            raise TimeoutError(f"no {paths}")
        time.sleep(0.02)


def killed_launcher(tap, mpi):
    """mpirun itself is killed, and nobody is left to collect: the node does."""
    job, env = jobs.prepare(jobs.PRELOAD)
    ready = [str(job.work / f"ready{i}") for i in range(2)]
    with open(os.devnull, "w", encoding="utf-8") as null:
        mpirun = subprocess.Popen(mpi.mpirun(2) + [mpi.program, "wait", *ready], cwd=job.work, env=env, stdout=null,
                                  stderr=null, start_new_session=True)
    try:
        wait_for(ready)
    finally:
        mpirun.send_signal(signal.SIGKILL)
        mpirun.wait()
    spool = job.work / "spool"
    spool.mkdir()
    config = configured(job, f"spool = {spool}\nrun = spool\n")
    collected = subprocess.run([jobs.FATHOM, "collect", "--wait", "30", str(job.segments)], cwd=job.work, check=False,
                               env=jobs.environment(job.segments, {"FATHOM_SITE_CONFIG": str(config)}),
                               capture_output=True, timeout=60)
    tap.ok(collected.returncode == 0, f"{mpi.short}: collected after mpirun was killed", collected)
    profiles = list(spool.glob("*.fathom"))
    tap.equal(len(profiles), 1, f"{mpi.short}: 'fathom collect' leaves the profile in the spool")
    record, size, _ = record_of(profiles[0])
    tap.equal(differences(record, job.report()), [], f"{mpi.short}: its record has the numbers of the report")
    tap.ok(not record["job"]["complete"] and size <= 5000, f"{mpi.short}: and is incomplete", record["job"])


def secrets(tap, mpi):
    env = {"OMPI_MCA_made_up_password": SECRET, "MPICH_API_TOKEN": SECRET, "I_MPI_SECRET": SECRET, "UCX_MADE_UP": "yes",
           "MY_TOKEN": SECRET}
    job = jobs.run(jobs.AROUND, mpi, 2, [mpi.program, f"--password={SECRET}", "--token", SECRET], env=env)
    config = configured(job, "arguments = on\n")
    record, _, text = record_of(job.profiles()[0], config)
    tap.ok(SECRET.encode() not in text, f"{mpi.short}: no secret in a record", text)
    tap.ok("--password=" in record["job"].get("command", ""), f"{mpi.short}: arguments without it, if wanted",
           record["job"])
    tap.equal(record["job"]["environment"].get("UCX_MADE_UP"), "yes", f"{mpi.short}: settings of MPI are there")


def site_options(tap, mpi):
    job = jobs.run(jobs.AROUND, mpi, 2, [mpi.program])
    profile = job.profiles()[0]
    name, user, host = os.path.basename(mpi.program), job.report()["job"]["user"], os.uname().nodename
    for text, what in ((f"exclude_programs = other {name[:4]}*\n", "program"), (f"exclude_users = {user}\n", "user")):
        tap.equal(record_of(profile, configured(job, text))[0], None, f"{mpi.short}: no record of an excluded {what}")
    tap.ok(record_of(profile, configured(job, "exclude_programs = other\n"))[0], f"{mpi.short}: one of others")
    key = job.work / "key"
    key.write_text("000102030405060708090a0b0c0d0e0f\n", encoding="utf-8")
    hashed = configured(job, f"hash_names = on\nhash_key = {key}\narguments = on\n")
    record, _, text = record_of(profile, hashed)
    plain = record_of(profile)[0]
    tap.ok(not any(f'"{word}"'.encode() in text for word in (name, user, host)), f"{mpi.short}: names are hashed", text)
    tap.ok(record["job"]["program"][0] == "h" and len(record["job"]["program"]) == 17 and
           record["job"]["path_hash"] != plain["job"]["path_hash"] and "command" not in record["job"],
           f"{mpi.short}: with the key", record["job"])
    tap.equal(record["mpi"], plain["mpi"], f"{mpi.short}: numbers stay")
    key.write_text("ff0102030405060708090a0b0c0d0e0f\n", encoding="utf-8")
    tap.ok(record_of(profile, hashed)[0]["job"]["program"] != record["job"]["program"],
           f"{mpi.short}: another key gives other hashes")
    key.write_text("short\n", encoding="utf-8")
    refused = subprocess.run([jobs.FATHOM, "site", "record", profile, "--config", str(hashed)], capture_output=True,
                             check=False, timeout=60)
    tap.ok(refused.returncode == 1 and b"32 hexadecimal digits" in refused.stderr, f"{mpi.short}: a wrong key is refused",
           refused)


def thinning(tap):
    """One in three small jobs, decided by the job alone, with its weight."""
    mpi = jobs.MPIS[0]
    program = jobs.compile_plain("small", "int main(void) { return 0; }")
    kept, left = 0, 0
    for _ in range(24):
        job = jobs.run(jobs.AROUND, None, 1, [program])
        config = configured(job, "thin_below_s = 1000\nthin_one_in = 3\n")
        record, again = record_of(job.profiles()[0], config)[0], record_of(job.profiles()[0], config)[0]
        if record != again or (record and record["job"].get("weight") != 3):
            tap.ok(False, "thinning is decided by the job, and records have their weight", record, again)
            return
        kept, left = kept + bool(record), left + (not record)
    tap.ok(kept > 0 and left > 0, "some small jobs are recorded and others not", kept, left)
    job = jobs.run(jobs.AROUND, mpi, 2, [mpi.program])
    record = record_of(job.profiles()[0], configured(job, "thin_below_s = 0.0001\nthin_one_in = 3\n"))[0]
    tap.ok(record and "weight" not in record["job"], "longer jobs are all recorded, without a weight")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        mpi.program = mpi.compile("records", PROGRAM)
        for check in (complete_job, killed_rank, killed_launcher, secrets, site_options):
            check(tap, mpi)
    thinning(tap)
    tap.done()


main()
