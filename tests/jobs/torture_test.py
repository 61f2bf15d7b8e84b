#!/usr/bin/python3
"""Kills at random moments: jobs of two users on one host, on both MPIs, started in every way, sampled, under small
limits, with full disks, with a directory that somebody else has made first. Afterwards, for each job:
    lost         a rank that had come through MPI_Init is not in the job's profile, a count lies outside of what the rank
                 itself had begun and done, or a killed job is called complete
    harmed       a job that nobody killed printed or returned something else than without Fathom, or a job does not end
    left behind  a file or a process of Fathom is still there after `fathom collect`
TORTURE_ROUNDS says how many jobs (`make torture`: 1,000), TORTURE_SEED makes the same ones again.
"""
import concurrent.futures
import itertools
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import threading
import time

import jobs
import users
from jobs import AROUND, BARE, INSIDE, MPIS, PRELOAD, Tap

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "24"))
SEED = int(os.environ.get("TORTURE_SEED", str(random.SystemRandom().randrange(1 << 32))))
LIMIT_S = 120
GRACE_S = 20  # after the launcher was killed its ranks may take a while to notice

# Laid over a directory that every system has and every user can reach, in a mount namespace of our own.
PLACE = pathlib.Path("/mnt")
USERS = (0, 65533)
STRANGER = 65532

ROUTINES = ("MPI_Allreduce", "MPI_Sendrecv", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Barrier")
INITIALIZED, FINALIZING, FINALIZED = 1, 2, 3
MOST_RANKS = 16
TALLY = struct.Struct(f"<Q{len(ROUTINES)}Q{len(ROUTINES)}Q")

# What a job's surroundings may be. Limits are words for the shell's ulimit; each is used only where a job without Fathom
# lives with it.
LIMITS = {"few files": "-n 64", "little memory": "-v 1500000"}
SURROUNDINGS = ("plain", "plain", "plain", "full disk", "read-only output", "small segments", "squatted", *LIMITS)

# Whom a kill is for, by weight.
TARGETS = {"a rank": 6, "all ranks": 2, "the launcher": 2, "fathom": 2, "everything": 2, "nobody": 3}


class Tally:
    """What a rank has counted itself."""

    def __init__(self, words):
        self.state = words[0]
        self.begun = dict(zip(ROUTINES, words[1:]))
        self.done = dict(zip(ROUTINES, words[1 + len(ROUTINES):]))


def kill_all(pids):
    """Those that were still there."""
    killed = []
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        except ProcessLookupError:
            pass
    return killed


class Round:
    """One job: how it is started, whom the kill is for, and when."""

    def __init__(self, number, user, chance, usable_limits):
        self.number, self.user = number, user
        self.mpi = chance.choice(MPIS)
        self.way = chance.choice((AROUND, INSIDE, PRELOAD))
        self.ranks = chance.randint(1, 4)
        self.surroundings = chance.choice([s for s in SURROUNDINGS if s not in LIMITS or (self.mpi.name, s) in usable_limits])
        self.target = chance.choices(list(TARGETS), TARGETS.values())[0]
        if self.target == "fathom" and self.way == PRELOAD:
            self.target = "a rank"
        self.moment = chance.random()
        self.victim = chance.random()
        self.hertz = chance.choice((97, 997))
        self.work = PLACE / "jobs" / f"{user}-{number}"
        self.killed = []

    def __str__(self):
        return (f"job {self.number} (seed {SEED}): user {self.user}, {self.mpi.short}, {self.way}, {self.ranks} ranks, "
                f"{self.surroundings}, {self.hertz} Hz; killed at {self.moment:.3f}: {self.target} {self.killed}")

    # ---- where it runs ----

    @property
    def shared_memory(self):
        return pathlib.Path(f"/dev/shm/fathom-{self.user}")

    def prepare(self):
        for directory in (self.work, self.work / "home", self.work / "tmp", self.work / "out"):
            directory.mkdir(parents=True)
            os.chown(directory, self.user, self.user)
        tally = self.work / "tally"
        tally.write_bytes(bytes(MOST_RANKS * TALLY.size))
        os.chown(tally, self.user, self.user)
        if self.surroundings == "squatted":
            shutil.rmtree(self.shared_memory, ignore_errors=True)
            self.shared_memory.mkdir()
            (self.shared_memory / "x.run").write_text("\033]0;not yours\007\n", encoding="utf-8")
            os.chown(self.shared_memory, STRANGER, STRANGER)

    def environment(self):
        env = jobs.environment(self.work, {
            "FATHOM_DIR": None, "HOME": str(self.work / "home"), "TMPDIR": str(self.work / "tmp"),
            "TORTURE": f"{self.user}-{self.number}", "FATHOM_SAMPLE": str(self.hertz)})
        if self.surroundings == "full disk":
            env["FATHOM_OUTPUT"] = str(PLACE / "full" / f"{self.number}.fathom")
        elif self.surroundings == "read-only output":
            env["FATHOM_OUTPUT"] = str(PLACE / "closed" / f"{self.number}.fathom")
        elif self.surroundings == "small segments":
            env["FATHOM_DIR"] = str(PLACE / "small" / str(self.user))
        if self.way == PRELOAD:
            env["LD_PRELOAD"] = str(PLACE / "fathom" / "libfathom.so.0")
        return env

    def as_user(self):
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--"] if self.user else []

    def limited(self):
        limit = LIMITS.get(self.surroundings)
        return ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh"] if limit else []

    # ---- what it does ----

    def start(self, way, duration_ms=300):
        steps = 60
        program = [str(PLACE / f"torture.{self.mpi.name}"), str(self.work / "tally"), str(steps),
                   str(duration_ms * 1000 // steps // self.ranks)]
        words = jobs.command_line(way, self.mpi, self.ranks, program)
        words = [str(PLACE / "fathom" / "fathom") if word == jobs.FATHOM else word for word in words]
        env = self.environment()
        if way == BARE:
            env.pop("LD_PRELOAD", None)
        with open(self.work / "stdout", "wb") as out, open(self.work / "stderr", "wb") as err:
            return subprocess.Popen([*self.as_user(), *self.limited(), *words], cwd=self.work, env=env,
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)

    def processes(self):
        """pid -> name of the program, of all that belong to this job."""
        mark = f"TORTURE={self.user}-{self.number}\0".encode()
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes() + b"\0":
                        found[int(entry.name)] = pathlib.Path(os.readlink(entry / "exe")).name
                except OSError:
                    pass
        return found

    def kill(self):
        """SIGKILL for whom it is meant; nobody, if there is none of them at this moment."""
        alive = self.processes()
        ranks = sorted(pid for pid, name in alive.items() if name.startswith("torture."))
        wanted = {
            "a rank": ranks[int(self.victim * len(ranks)):][:1],
            "all ranks": ranks,
            "the launcher": [pid for pid, name in alive.items() if name.startswith(("mpirun", "mpiexec", "orterun"))],
            "fathom": [pid for pid, name in alive.items() if name == "fathom"],
            "everything": list(alive),
            "nobody": []}[self.target]
        self.killed = [f"{alive[pid]} {pid}" for pid in kill_all(wanted)]

    def wait(self, process):
        """The job's status once the command that was typed has returned; None: it does not."""
        try:
            return process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            return None

    def wait_for_rest(self, grace_s=GRACE_S):
        """All processes of the job have ended. What a killed launcher leaves running is ended here."""
        end = time.monotonic() + grace_s
        while self.processes():
            if time.monotonic() > end:
                kill_all(self.processes())
            time.sleep(0.02)

    # ---- what became of it ----

    def tallies(self):
        data = (self.work / "tally").read_bytes()
        return [Tally(TALLY.unpack_from(data, i * TALLY.size)) for i in range(self.ranks)]

    def profiles(self):
        return sorted(itertools.chain(self.work.rglob("*.fathom"), (PLACE / "full").glob(f"{self.number}.*")))

    def elsewhere(self):
        return ["-o", str(self.work / "out")] if self.surroundings in ("full disk", "read-only output") else []

    def collect(self):
        return subprocess.run([*self.as_user(), str(PLACE / "fathom" / "fathom"), "collect", "--wait", "20",
                               *self.elsewhere()], cwd=self.work,
                              env={k: v for k, v in self.environment().items() if k != "LD_PRELOAD"},
                              capture_output=True, timeout=LIMIT_S, check=False)

    def left(self):
        """Files of Fathom's that nobody needs any more."""
        places = [PLACE / "small" / str(self.user), self.work]
        if self.surroundings != "squatted":
            places.append(self.shared_memory)
        found = [p for place in places if place.is_dir() for p in place.rglob("*")
                 if p.is_file() and (self.work not in p.parents or p.suffix in (".tmp", ".run", ".segment"))]
        return found + [p for p in PLACE.glob("full/*") if p.suffix == ".tmp"] + \
            [p for p in pathlib.Path("/dev/shm").glob(f"fathom-{self.user}?*/*") if p.is_file()]


# ---- judging ----

def is_left_by_hydra(job):
    """Hydra waits for ever when what it has started itself is killed and the rank below is not: with a shell in Fathom's
    place in 26 of 26 trials."""
    return job.mpi.name == "mpich" and job.way == INSIDE and any(name.startswith("fathom ") for name in job.killed)


def told_in_time(job):
    """Whether whoever waits for this job must find its profile when it returns, without `fathom collect`."""
    if job.surroundings in ("full disk", "read-only output"):
        return False  # said, and kept for `fathom collect -o`
    if job.way == AROUND:
        return not any(name.startswith("fathom ") for name in job.killed)
    return job.way == INSIDE and job.target in ("a rank", "nobody")


def judge_counts(job, report):
    """What is wrong with the counts of a profile, or None."""
    seen = jobs.calls(report)
    tallies = job.tallies()
    for name in ROUTINES:
        least, most = sum(t.done[name] for t in tallies), sum(t.begun[name] for t in tallies)
        if not least <= seen.get(name, 0) <= most:
            return f"{name}: {seen.get(name, 0)} calls in the profile, {least} to {most} were made"
    return None


def judge_profile(job, profile):
    report = jobs.Job(job.work, job.work).report(str(profile))
    wrong = judge_counts(job, report)
    if wrong:
        return wrong
    tallies = job.tallies()
    if any(t.state == INITIALIZED for t in tallies) and report["job"]["complete"]:
        return "called complete, but a rank did not come to MPI_Finalize"
    if all(t.state == FINALIZED for t in tallies) and not job.killed and not report["job"]["complete"]:
        return f"called incomplete, but all ranks came through MPI_Finalize: {report['job']['ends']}"
    return None


def judge(job, status):
    """lost, harmed, left behind: a text of what is wrong for each of these, as far as there is something."""
    faults = []
    expected = any(t.state >= INITIALIZED for t in job.tallies())
    if status is None:
        if not is_left_by_hydra(job):
            faults.append(("harmed", "the job does not end"))
        job.wait_for_rest(0)
    if expected and told_in_time(job) and status is not None and len(job.profiles()) != 1:
        faults.append(("lost", f"{len(job.profiles())} profiles when the job has returned"))
    job.wait_for_rest()
    collected = job.collect()
    if not job.killed:
        output = (job.work / "stdout").read_bytes()
        if status != 0 or output != f"all {job.ranks} ranks are through\n".encode():
            faults.append(("harmed", f"status {status}, output {output!r}, stderr {(job.work / 'stderr').read_bytes()!r}"))
    if b"\033" in collected.stderr + collected.stdout + (job.work / "stderr").read_bytes():
        faults.append(("harmed", "a stranger's escape sequence was printed"))
    found = job.profiles()
    if expected and len(found) != 1:
        faults.append(("lost", f"{len(found)} profiles {found}; collect: {collected.returncode} {collected.stdout!r} {collected.stderr!r}"))
    if len(found) == 1:
        try:
            wrong = judge_profile(job, found[0])
        except (subprocess.CalledProcessError, LookupError, KeyError) as error:
            wrong = f"the profile cannot be read: {error!r}"
        if wrong:
            faults.append(("lost", wrong))
    left = job.left()
    if left or collected.returncode != 0:
        faults.append(("left behind", f"{left}; collect: {collected.returncode} {collected.stdout!r} {collected.stderr!r}"))
    return faults


def play(job, duration_s):
    """Runs the job with its kill; returns (whether a profile was due, faults)."""
    job.prepare()
    process = job.start(job.way)
    until = time.monotonic() + job.moment * 1.2 * duration_s
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.002)
    if process.poll() is None:
        job.kill()
    status = job.wait(process)
    faults = judge(job, status)
    due = any(t.state >= INITIALIZED for t in job.tallies())
    for path in [job.work, *job.left(), *PLACE.glob(f"full/{job.number}.*")]:  # no other job is to be blamed for it
        (shutil.rmtree if path.is_dir() else os.unlink)(path)
    if job.surroundings == "squatted":
        shutil.rmtree(job.shared_memory, ignore_errors=True)
    return due, faults


# ---- the whole ----

def mount(directory, options):
    directory.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(directory)], check=True)


def build_place():
    mount(pathlib.Path("/dev/shm"), "mode=1777,size=2g")
    mount(PLACE, "mode=755,size=4g")
    mount(PLACE / "full", "mode=1777,size=64k")
    mount(PLACE / "closed", "ro,size=64k")
    mount(PLACE / "small", "mode=1777,size=6m")
    try:
        with open(PLACE / "full" / "filler", "wb", buffering=0) as filler:
            while filler.write(b"x" * 4096):
                pass
    except OSError:
        pass
    (PLACE / "fathom").mkdir()
    for file in (jobs.FATHOM, jobs.LIBRARY):
        shutil.copy(file, PLACE / "fathom")
    (PLACE / "jobs").mkdir(mode=0o755)
    for mpi in MPIS:
        text = (pathlib.Path(__file__).parent / "programs" / "torture.c").read_text(encoding="utf-8")
        # gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short
        shutil.copy(mpi.compile("torture", text, "-Wno-stringop-overflow"), PLACE)


def try_bare():
    """How long a job takes by itself, and which of the limits it lives with."""
    usable, durations, number = set(), {}, itertools.count(-1, -1)
    for mpi in MPIS:
        for surroundings in ("plain", *LIMITS):
            for user in USERS if surroundings in LIMITS else USERS[:1]:
                job = Round(next(number), user, random.Random(0), ())
                job.mpi, job.surroundings, job.ranks = mpi, surroundings, 4
                job.prepare()
                started = time.monotonic()
                status = job.wait(job.start(BARE))
                durations.setdefault(mpi.name, time.monotonic() - started)
                if status == 0 and user == USERS[-1]:
                    usable.add((mpi.name, surroundings))
    return usable, durations


def main():
    tap = Tap()
    if not users.have_own_mounts(__file__):
        tap.skip("random kills", "needs root, and mounts of its own")
        tap.done()
    build_place()
    usable, durations = try_bare()
    tap.note(f"TORTURE_SEED={SEED}; without Fathom a job takes {durations}; limits: {sorted(usable)}")
    results, lock = [], threading.Lock()

    def worker(turn, user):
        for number in range(turn, ROUNDS, len(USERS)):
            job = Round(number, user, random.Random(f"{SEED}/{number}"), usable)
            due, faults = play(job, durations[job.mpi.name])
            with lock:
                results.append((due, faults))
                for kind, text in faults:
                    tap.note(f"{kind}: {job}\n    {text}")
                if len(results) % 100 == 0:
                    tap.note(f"{len(results)} of {ROUNDS} jobs")

    # One user's jobs one after the other: what is left of one must not be taken for another's.
    with concurrent.futures.ThreadPoolExecutor(len(USERS)) as pool:
        for future in [pool.submit(worker, turn, user) for turn, user in enumerate(USERS)]:
            future.result()
    due = sum(d for d, _ in results)
    tap.ok(due > ROUNDS // 3, f"{due} of {ROUNDS} jobs came through MPI_Init: a profile of each is due")
    for kind in ("lost", "harmed", "left behind"):
        bad = sum(any(k == kind for k, _ in faults) for _, faults in results)
        tap.ok(bad == 0, f"{bad} {kind}")
    tap.done()


main()
