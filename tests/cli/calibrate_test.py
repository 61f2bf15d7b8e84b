#!/usr/bin/python3
"""`fathom calibrate` measures both MPIs, and reports estimate with what it has written."""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import hosts  # noqa: E402
import jobs  # noqa: E402

MESSAGES = {"MPI_Send", "MPI_Recv", "MPI_Ssend", "MPI_Bsend", "MPI_Sendrecv", "MPI_Isend", "MPI_Irecv", "MPI_Wait",
            "MPI_Waitall"}
COLLECTIVES = {"MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Gather", "MPI_Gatherv",
               "MPI_Scatter", "MPI_Scatterv", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv",
               "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
# A machine with a microsecond of latency and 10 GB/s, whatever the machine of the tests is like.
IDEAL = {"fathom_calibration": 1, "mpi": "", "routines": [
    {"name": f"MPI_{name}", "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e10}
    for name in ("Allreduce", "Isend", "Irecv", "Waitall")]}
PROGRAM = jobs.SOURCE / "tests/jobs/programs/late_rank.c"


def calibrate(*words, env=None):
    return subprocess.run([jobs.FATHOM, "calibrate", *words], cwd=jobs.SCRATCH, capture_output=True, text=True,
                          env=jobs.environment(jobs.SCRATCH / "segments", env), timeout=300, check=False)


def fathom(*words, env=None):
    return subprocess.run([jobs.FATHOM, *words], cwd=jobs.SCRATCH, capture_output=True, text=True, check=False,
                          env=jobs.environment(jobs.SCRATCH / "segments", env))


def makes_sense(routine):
    """Nothing negative, more than nothing, and the points in order."""
    model = routine["model"]
    coefficients = [model[key] for key in ("constant_s", "per_log2_ranks_s", "per_byte_s", "per_byte_growth_s")]
    return min(coefficients) >= 0 and max(coefficients) > 0 and all(
        0 < point["min_s"] <= point["median_s"] and point["calls"] > 0 and 2 <= point["ranks"]
        for point in routine["measured"])


def check_ranks(tap, mpi, ranks, counts):
    """A calibration with some ranks; returns its file."""
    file = f"{mpi.name}.{ranks}.json"
    done = calibrate("--quick", "--seconds", "1", "-o", file, "--", *mpi.mpirun(ranks))
    if not tap.equal(done.returncode, 0, f"{mpi.short}: {ranks} ranks are measured"):
        tap.note(done.stdout + done.stderr)
        return None
    calibration = json.loads((jobs.SCRATCH / file).read_text(encoding="utf-8"))
    routines = {routine["name"]: routine for routine in calibration["routines"]}
    tap.equal(set(routines), MESSAGES | COLLECTIVES, f"{mpi.short}: all routines are there")
    tap.equal([name for name, routine in routines.items() if not makes_sense(routine)], [],
              f"{mpi.short}: and their models make sense")
    tap.equal({point["ranks"] for name in COLLECTIVES for point in routines[name]["measured"]}, counts,
              f"{mpi.short}: collectives of {sorted(counts)} ranks")
    cores = len(os.sched_getaffinity(0))
    tap.ok(calibration["mpi"].startswith(mpi.short + " ") and calibration["machine"]["ranks"] == ranks and
           calibration["machine"]["oversubscribed"] == (ranks > calibration["machine"]["cores"]) and
           calibration["machine"]["cores"] <= cores and calibration["command"].endswith(f"-n {ranks}"),
           f"{mpi.short}: it says on what it was made", calibration["machine"], calibration["mpi"],
           calibration["command"])
    tap.ok(("more ranks than cores" in done.stderr) == (ranks > calibration["machine"]["cores"]) and
           f"wrote {file}" in done.stderr, f"{mpi.short}: and says if that is too few cores", done.stderr)
    return jobs.SCRATCH / file


def estimates(profile, file):
    report = json.loads(fathom("report", profile, "--format", "json", "--calibration", file).stdout)
    return report, {routine["name"]: routine for routine in report["mpi"]["routines"]}


def check_report(tap, mpi, file):
    program = mpi.compile("late_rank", PROGRAM.read_text(encoding="utf-8"))
    job = jobs.run(jobs.AROUND, mpi, 2, [program, "late"])
    profile = job.profiles()[0]
    report, routines = estimates(profile, file)
    parts = ("latency_s", "transfer_s", "synchronisation_s")
    split = [routine for routine in routines.values() if routine["estimate"]["kind"] == "split"]
    tap.ok({"MPI_Allreduce", "MPI_Isend", "MPI_Irecv", "MPI_Waitall"} <= {routine["name"] for routine in split} and
           all(abs(sum(r["estimate"][part] for part in parts) - r["time_s"]) < 1e-5 for r in split) and
           all(r["estimate"][part] >= 0 for r in split for part in parts),
           f"{mpi.short}: latency, transfer and synchronisation add up to the time of a routine", routines)
    ideal = jobs.SCRATCH / "ideal.json"
    ideal.write_text(json.dumps(IDEAL), encoding="utf-8")
    by_hand = estimates(profile, ideal)[1]
    reduction = by_hand["MPI_Allreduce"]
    # rank 0 waits 40 times for a rank that sleeps for 10 ms, unless it comes late itself
    tap.ok(abs(reduction["estimate"]["latency_s"] - 80e-6) < 2e-6 and reduction["estimate"]["transfer_s"] < 1e-6 and
           reduction["estimate"]["synchronisation_s"] > reduction["time_s"] - 1e-3 > 0.1,
           f"{mpi.short}: waiting for a rank that sleeps is synchronisation", reduction)
    wait = by_hand["MPI_Waitall"]
    tap.ok(abs(wait["estimate"]["transfer_s"] - min(80 * 2**20 / 1e10, wait["time_s"] - 80e-6)) < 1e-4,
           f"{mpi.short}: MPI_Waitall has the transfer of what it waits for", wait)
    tap.equal(routines["MPI_Init"]["estimate"]["kind"], "local", f"{mpi.short}: MPI_Init exchanges no data")
    efficiency = report["efficiency"]
    calls = json.loads(fathom("report", profile, "--format", "json").stdout)
    tap.ok(efficiency["estimated_from"] == "calibration" and calls["efficiency"]["estimated_from"] == "calls" and
           abs(efficiency["serialisation"] * efficiency["transfer"] - efficiency["communication"]) < 1e-5,
           f"{mpi.short}: the efficiency uses it", efficiency)
    tap.ok("calibration" not in calls["mpi"] and "estimate" not in calls["mpi"]["routines"][0],
           f"{mpi.short}: without a calibration nothing is estimated")
    rows = {row["routine"]: row for row in csv.DictReader(io.StringIO(
        fathom("report", profile, "--view", "mpi", "--format", "csv", "--calibration", file).stdout))}
    tap.ok(all(abs(float(rows[r["name"]][part]) - r["estimate"][part]) < 2e-6 for r in split for part in parts) and
           rows["MPI_Init"]["estimate"] == "no data" and rows["MPI_Init"]["transfer_s"] == "",
           f"{mpi.short}: CSV has the same", rows)
    text = fathom("report", profile, "--view", "mpi", env={"FATHOM_CALIBRATION": str(file)}).stdout
    words = " ".join(text.split())
    tap.ok("synchr." in text and f"Estimates from {file}: {mpi.short}" in words and "another MPI" not in words,
           f"{mpi.short}: the view says from where", text)
    return profile


def check_hosts(tap, mpi):
    """Ranks of two hosts: messages within and between them."""
    with hosts.Hosts("nodea", "nodeb") as two:
        done = calibrate("--quick", "--seconds", "2", "-o", "hosts.json", "--", *two.mpirun(mpi, {"nodea": 2, "nodeb": 1}))
    if not tap.equal(done.returncode, 0, f"{mpi.short}: ranks of two hosts are measured"):
        tap.note(done.stdout + done.stderr)
        return
    calibration = json.loads((jobs.SCRATCH / "hosts.json").read_text(encoding="utf-8"))
    places = {place: {r["name"] for r in calibration["routines"] if r["place"] == place} for place in ("host", "hosts")}
    tap.ok(places == {"host": MESSAGES, "hosts": MESSAGES | COLLECTIVES} and calibration["machine"]["hosts"] == 2,
           f"{mpi.short}: messages within and between hosts, collectives over both", places)


def check_mistakes(tap, mpi, profile, file):
    name = mpi.short
    done = calibrate("-o", "none.json", "--", *mpi.mpirun(1))
    tap.ok(done.returncode == 1 and "only one rank" in done.stderr and not (jobs.SCRATCH / "none.json").exists(),
           f"{name}: one rank is not enough", done.stderr)
    done = calibrate("-o", "none.json", "--library", "/there/is/none.so", "--", *mpi.mpirun(2))
    tap.ok(done.returncode == 1 and "cannot open the MPI library" in done.stderr, f"{name}: no library", done.stderr)
    done = calibrate("-o", "none.json", "--library", "libm.so.6", "--", *mpi.mpirun(2))
    tap.ok(done.returncode == 1 and "not an MPI library" in done.stderr, f"{name}: another library", done.stderr)
    done = calibrate("--quick", "--seconds", "0.1", "-o", "/there/is/none.json", "--", *mpi.mpirun(2))
    tap.ok(done.returncode == 1 and "cannot write /there/is/none.json" in done.stderr, f"{name}: no directory to write to",
           done.stderr)
    damaged = jobs.SCRATCH / "damaged.json"
    damaged.write_text(pathlib.Path(file).read_text(encoding="utf-8")[:3000], encoding="utf-8")
    done = fathom("report", profile, "--view", "mpi", "--calibration", str(damaged))
    tap.ok(done.returncode == 1 and "not valid JSON" in done.stderr and not done.stdout, f"{name}: a damaged file",
           done.stderr)
    done = fathom("report", profile, "--view", "mpi", env={"FATHOM_CALIBRATION": "/there/is/none"})
    tap.ok(done.returncode == 1 and "cannot open the calibration /there/is/none" in done.stderr, f"{name}: no file",
           done.stderr)


def main():
    tap = jobs.Tap()
    for words, says in ((["--", "ls"], "'ls' is not a launcher"), (["mpirun"], "a launcher follows after --"),
                        (["--seconds", "x"], "--seconds needs a number"), (["--what"], "unknown option")):
        done = calibrate(*words)
        tap.ok(done.returncode == 2 and says in done.stderr, f"refused: {' '.join(words)}", done.stderr)
    made = {}
    for mpi in jobs.MPIS:
        made[mpi] = check_ranks(tap, mpi, 2, {2})
        check_ranks(tap, mpi, 3, {2, 3})
        if made[mpi]:
            profile = check_report(tap, mpi, made[mpi])
            check_mistakes(tap, mpi, profile, made[mpi])
        if os.geteuid() == 0:
            check_hosts(tap, mpi)
        else:
            tap.skip(f"{mpi.short}: ranks of two hosts", "needs root")
    if len(jobs.MPIS) == 2 and all(made.values()):
        text = " ".join(fathom("report", profile, "--view", "mpi", "--calibration", made[jobs.MPIS[0]]).stdout.split())
        tap.ok(f"The job used another MPI than the calibration: {jobs.MPIS[1].short}" in text,
               "a calibration of another MPI is said to be one", text)
    tap.done()


if __name__ == "__main__":
    main()
