#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong at a site and must not lose or double a job: everything of a job is killed at once, the disk of the database is
full, the file system of the spool is full, rsyslog dies and comes back, records are of a newer Fathom."""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "jobs")]
import daemons
import jobs
import log_lines
import rsyslog

WORK = pathlib.Path(tempfile.mkdtemp(prefix="trouble-", dir=os.environ.get("TMPDIR")))
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 25; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    FILE *file = fopen(argv[1 + rank], "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    for (;;)
        pause();
}
"""
# the limits of a file system: only root can make a small one, in a mount namespace of its own
FULL = r"""
set -e
mount -t tmpfs -o size=1500k,mode=755 none "$2"
"$1" site init --no-spool --store "$2/site.db" >/dev/null
status=0
"$1" site ingest --store "$2/site.db" --batch 50 "$3" >"$4/first.out" 2>"$4/first.err" || status=$?
echo "$status"
mount -o remount,size=200m "$2"
"$1" site ingest --store "$2/site.db" "$3" >"$4/second.out" 2>&1
"$1" site query --store "$2/site.db" --format json "SELECT key FROM jobs" >"$4/keys.json"
"$1" site query --store "$2/site.db" --format json "SELECT SUM(jobs) AS n FROM day_jobs" >"$4/sum.json"
"""


FULL_SPOOL = r"""
set -e
fathom=$1 spool=$2 said=$3
shift 3
fill() { head -c 9m /dev/zero >"$spool/filler" 2>"$said/filled" || true; }
run() { status=0; "$@" || status=$?; echo "$status"; }
mount -t tmpfs -o size=512k,mode=1733 none "$spool"
mkdir -m 1733 "$spool/records"
fill
run "$@" >"$said/job.status" 2>"$said/job.err"
ls -A "$spool" >"$said/job.left"
rm "$spool/filler"
run "$@" >"$said/again.status" 2>"$said/again.err"
ls -A "$spool" >"$said/again.left"
fill
run "$fathom" site send --config "$FATHOM_SITE_CONFIG" >"$said/send.status" 2>"$said/send.err"
ls -A "$spool" "$spool/records" >"$said/send.left"
rm "$spool/filler"
run "$fathom" site send --config "$FATHOM_SITE_CONFIG" >"$said/sent.status" 2>"$said/sent.err"
ls -A "$spool" "$spool/records" >"$said/sent.left"
"""


def fathom(*words, **more):
    return subprocess.run([jobs.FATHOM, "site", *map(str, words)], capture_output=True, text=True, check=False, timeout=120, **more)


def made_up(n, seed=3):
    made = fathom("simulate", "--jobs", n, "--seed", seed)
    return [(int(uid), text) for uid, text in (line.split(" ", 1) for line in made.stdout.splitlines())]


def key_of(text):
    return json.loads(text)["job"]["key"]


def killed_at_once(tap):
    """kill -9 of fathom run, mpirun and all ranks: what they measured is in memory, and the node collects it."""
    mpi = jobs.Mpi("openmpi")
    program = mpi.compile("trouble", PROGRAM)
    job, env = jobs.prepare(jobs.AROUND)
    ready = [job.work / f"ready{i}" for i in range(2)]
    config = job.work / "site.conf"
    spool, records = job.work / "spool", job.work / "records"
    for folder in (spool, records):
        folder.mkdir()
    config.write_text(f"spool = {spool}\nrun = spool\nsend = spool\nrecord_spool = {records}\n", encoding="utf-8")
    env["FATHOM_SITE_CONFIG"] = str(config)
    with open(os.devnull, "w", encoding="utf-8") as null:
        started = subprocess.Popen(jobs.command_line(jobs.AROUND, mpi, 2, [str(program), *map(str, ready)]), cwd=job.work, env=env,
                                   stdout=null, stderr=null, start_new_session=True)
    up = daemons.wait_for(lambda: all(path.exists() and path.read_text() for path in ready), 60)
    of_job = daemons.processes_of(job.segments)
    for pid in of_job:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    started.wait()
    tap.ok(up and len(of_job) >= 4, "a job runs, and all of its processes are killed", up, of_job)
    collected = subprocess.run([jobs.FATHOM, "collect", "--wait", "30", str(job.segments)], cwd=job.work, env=env, timeout=60,
                               capture_output=True, check=False)
    sent = fathom("send", env=env)
    found = list(records.glob("*.json"))
    tap.ok(collected.returncode == 0 and sent.returncode == 0 and len(found) == 1, "its record is made of what is left", collected,
           sent, found)
    store = WORK / "killed.db"
    fathom("init", "--no-spool", "--store", store, env=env)
    fathom("ingest", "--store", store, records, env=env)
    rows = json.loads(fathom("query", "--store", store, "--format", "json",
                             "SELECT ranks, complete, mpi_s > 0 AS measured FROM jobs").stdout)
    tap.equal(rows, [{"ranks": 2, "complete": 0, "measured": 1}], "and is in the database, as incomplete")


def full_disk(tap, documents):
    if daemons.missing("unshare", "mount"):
        tap.skip("a full disk", "only root can make a small file system")
        return
    for name in ("small", "said"):
        (WORK / name).mkdir()
    log = WORK / "full.log"
    log.write_text("".join(line for uid, text in documents for line in log_lines.lines(uid, text)), encoding="utf-8")
    done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", FULL, "sh", jobs.FATHOM, str(WORK / "small"),
                           str(log), str(WORK / "said")], capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, "FATHOM_SITE_CONFIG": os.devnull})
    said = {path.name: path.read_text() for path in (WORK / "said").iterdir()}
    tap.ok(done.stdout == "1\n" and said["first.err"].count("\n") == 1 and "full" in said["first.err"],
           "a full disk of the database: status 1 and one sentence", done, said.get("first.err"))
    keys = collections.Counter(row["key"] for row in json.loads(said["keys.json"]))
    tap.ok(keys == collections.Counter(key_of(text) for _, text in documents) and
           json.loads(said["sum.json"]) == [{"n": len(documents)}], "with room again, every job is there once", said.get("second.out"))


def full_spool(tap):
    """The file system of the spool is full when a job ends, and when its record is made."""
    if daemons.missing("unshare", "mount"):
        tap.skip("a full spool", "only root can make a small file system")
        return
    job, env = jobs.prepare(jobs.AROUND)
    spool, said, config = job.work / "spool", job.work / "said", job.work / "site.conf"
    for folder in (spool, said):
        folder.mkdir()
    config.write_text(f"spool = {spool}\nrun = spool\nsend = spool\nrecord_spool = {spool}/records\n", encoding="utf-8")
    env["FATHOM_SITE_CONFIG"] = str(config)
    mpi = jobs.Mpi("openmpi")
    program = mpi.compile("ends", PROGRAM.replace("for (;;)\n        pause();", "MPI_Finalize();\n    return 7 * rank;"))
    command = jobs.command_line(jobs.AROUND, mpi, 2, [str(program), "/dev/null", "/dev/null"])
    done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", FULL_SPOOL, "sh", jobs.FATHOM, str(spool), str(said),
                           *map(str, command)], cwd=job.work, env=env, capture_output=True, text=True, check=False, timeout=180)
    said = {path.name: path.read_text() for path in said.iterdir()}
    profile = next(iter(said.get("again.left", "").splitlines()), "")
    tap.ok(done.returncode == 0 and said["job.status"] == said["again.status"] == "7\n" and
           sorted(said["job.left"].split()) == ["filler", "records"], "a full spool: the job ends as without it, no piece is left",
           done, said)
    tap.ok(profile.endswith(".fathom") and said["again.left"].split() == [profile, "records"], "with room again, a profile is left",
           said)
    tap.ok(said["send.status"].endswith("\n1\n") and said["send.err"].count("\n") == 1 and "No space left" in said["send.err"] and
           profile in said["send.left"] and ".json" not in said["send.left"], "no room for a record: the profile stays, and why is said",
           said)
    tap.ok(said["sent.status"].endswith("\n0\n") and profile not in said["sent.left"] and said["sent.left"].count(".json") == 1,
           "with room again, the record is sent once", said)


def rsyslog_dies(tap, documents):
    why = rsyslog.unavailable()
    if why:
        tap.skip("rsyslog that dies", why)
        return
    store, env = WORK / "log.db", {**os.environ, "FATHOM_SITE_CONFIG": os.devnull}
    fathom("init", "--no-spool", "--store", store, env=env)
    half = len(documents) // 2
    with rsyslog.Rsyslog() as daemon:
        count = send(daemon, documents[:half])
        daemon.lines(count)
        with subprocess.Popen([jobs.FATHOM, "site", "ingest", "--store", store, "--follow", "--quiet", daemon.records],
                              env=env) as service:
            try:
                daemon.process.kill()
                daemon.process.wait()
                daemon.socket.unlink(missing_ok=True)
                (daemon.folder / "rsyslogd.pid").unlink(missing_ok=True)
                daemon.launch()
                count += send(daemon, documents[half:])
                daemon.lines(count)
                wanted = collections.Counter(key_of(text) for _, text in documents)
                tap.ok(daemons.wait_for(lambda: keys_in(store, env) == wanted, 30), "rsyslog is killed and comes back: all jobs once",
                       count, keys_in(store, env))
            finally:
                service.send_signal(signal.SIGTERM)


def send(daemon, documents):
    """As root; returns the number of lines."""
    count = 0
    with daemons.socket.socket(daemons.socket.AF_UNIX, daemons.socket.SOCK_DGRAM) as out:
        out.connect(str(daemon.socket))
        for _, text in documents:
            for chunk in log_lines.chunks(text):
                out.send(f"<14>Nov 18 17:13:24 fathom: {chunk}".encode())
                count += 1
    return count


def keys_in(store, env):
    got = fathom("query", "--store", store, "--format", "json", "SELECT key FROM jobs", env=env)
    return collections.Counter(row["key"] for row in json.loads(got.stdout)) if got.returncode == 0 else got.stderr


def other_versions(tap, documents):
    """A newer Fathom adds keys and routines, an older one lacks some."""
    store, env = WORK / "versions.db", {**os.environ, "FATHOM_SITE_CONFIG": os.devnull}
    fathom("init", "--no-spool", "--store", store, env=env)
    newer, older = (json.loads(text) for _, text in documents[:2])
    newer["fathom"] = 9
    newer["gpu"] = {"kernels": [{"name": "k", "time_s": 1}], "deep": {"er": [1, 2, {"x": None}]}}
    newer["job"]["energy_j"] = 17
    newer["mpi"]["routines"].append({"name": "MPI_Future", "calls": 3, "time_s": 0.5, "energy_j": 1})
    for key in ("efficiency", "io", "memory", "counters", "split", "findings"):
        older.pop(key, None)
    log = WORK / "versions.log"
    log.write_text("".join(line for uid, record in ((5, newer), (6, older)) for line in log_lines.lines(uid, json.dumps(record))),
                   encoding="utf-8")
    got = fathom("ingest", "--store", store, log, env=env)
    rows = json.loads(fathom("query", "--store", store, "--format", "json",
                             "SELECT uid, ranks, parallel IS NULL AS unknown FROM jobs ORDER BY uid", env=env).stdout)
    tap.ok("2 added" in got.stdout and [(row["uid"], row["unknown"]) for row in rows] == [(5, 0), (6, 1)],
           "records of a newer and of an older Fathom", got, rows)
    routines = json.loads(fathom("query", "--store", store, "--format", "json",
                                 "SELECT name FROM names WHERE name = 'MPI_Future'", env=env).stdout)
    tap.equal(routines, [{"name": "MPI_Future"}], "with routines that this one does not know")


def main():
    tap = jobs.Tap()
    documents = made_up(400)
    killed_at_once(tap)
    full_disk(tap, documents)
    full_spool(tap)
    rsyslog_dies(tap, documents[:40])
    other_versions(tap, documents)
    shutil.rmtree(WORK, ignore_errors=True)
    tap.done()


if __name__ == "__main__":
    main()
