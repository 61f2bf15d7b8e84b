"""Jobs for tests: programs built for an MPI, started with and without Fathom in every way there is, and what they
leave behind. Each job has its own working directory and its own directory of segments, so that a test can say
"nothing is left" while others run.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", SOURCE / "build"))
FATHOM = str(BUILD / "fathom")
LIBRARY = str(BUILD / "libfathom.so.0")
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="jobs-"))

# The ways of starting. BARE is without Fathom.
BARE, AROUND, INSIDE, PRELOAD = "without Fathom", "fathom run -- mpirun", "mpirun fathom run", "bare preload"
WAYS = (AROUND, INSIDE, PRELOAD)
LIMIT_S = 90


class Tap:
    """Prints results as they come and the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, *details):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            for detail in details:
                self.note(detail)
        return good

    def equal(self, got, wanted, name):
        return self.ok(got == wanted, name, f"got    {got!r}", f"wanted {wanted!r}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # skip {why}", flush=True)

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}", flush=True)

    def done(self):
        for mpi in BOTH:
            if mpi not in MPIS:
                self.skip(f"with {mpi.short}", "it is not installed")
        print(f"1..{self.count}", flush=True)
        shutil.rmtree(SCRATCH, ignore_errors=True)
        sys.exit(1 if self.failed else 0)


class Mpi:
    """One of the MPIs of Debian: Open MPI or MPICH."""

    def __init__(self, name):
        self.name = name
        self.short = "Open MPI" if name == "openmpi" else "MPICH"

    @property
    def installed(self):
        return all(shutil.which(f"{tool}.{self.name}") for tool in ("mpicc", "mpifort", "mpirun"))

    def mpirun(self, ranks):
        words = [shutil.which(f"mpirun.{self.name}")]
        return words + (["--oversubscribe"] if self.name == "openmpi" else []) + ["-n", str(ranks)]

    def compile(self, name, text, *flags, suffix="c"):
        """Builds a program from its text and returns its path."""
        source = SCRATCH / f"{name}.{suffix}"
        target = SCRATCH / f"{name}.{self.name}"
        source.write_text(text, encoding="utf-8")
        compiler = f"mpifort.{self.name}" if suffix == "f90" else f"mpicc.{self.name}"
        subprocess.run([compiler, "-O1", "-g", "-o", str(target), str(source), *flags], check=True)
        return str(target)


BOTH = (Mpi("openmpi"), Mpi("mpich"))
MPIS = [mpi for mpi in BOTH if mpi.installed]


def text(name):
    """Of a program that several tests run."""
    return (SOURCE / "tests/jobs/programs" / name).read_text(encoding="utf-8")


def compile_plain(name, text, *flags):
    """A program without MPI."""
    source, target = SCRATCH / f"{name}.c", SCRATCH / name
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-g", "-o", str(target), str(source), *flags], check=True)
    return str(target)


class Job:
    """What one started command did: status, stdout, stderr; and what lies in its directories."""

    def __init__(self, work, segments):
        self.work, self.segments = pathlib.Path(work), pathlib.Path(segments)
        self.status, self.stdout, self.stderr = None, b"", b""

    def left(self):
        """Names of all files in the directory of segments."""
        return sorted(p.name for p in self.segments.iterdir()) if self.segments.is_dir() else []

    def profiles(self):
        return sorted(str(p) for p in self.work.glob("*.fathom"))

    def collect(self, *options):
        """`fathom collect` as a user would type it in the job's directory."""
        return subprocess.run([FATHOM, "collect", *options], cwd=self.work, env=environment(self.segments),
                              capture_output=True, timeout=LIMIT_S, check=False)

    def report(self, profile=None):
        """The profile as JSON; the job must have exactly one unless it is named."""
        if profile is None:
            found = self.profiles()
            if len(found) != 1:
                raise LookupError(f"{len(found)} profiles {found} in {self.work}, segments left: {self.left()}")
            profile = found[0]
        out = subprocess.run([FATHOM, "report", "--format", "json", profile], capture_output=True, check=True)
        return json.loads(out.stdout)

    def __str__(self):
        return (f"status {self.status}\nstdout:\n{self.stdout.decode('utf-8', 'replace')}\n"
                f"stderr:\n{self.stderr.decode('utf-8', 'replace')}\nsegments left: {self.left()}")


def environment(segments, more=None):
    """That of the tests, with the job's own directory of segments. None as a value removes a variable."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("FATHOM_")}
    env["FATHOM_DIR"] = str(segments)
    # for a test started by hand; tests/run sets the same
    env.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    env.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    env.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    for name, value in (more or {}).items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


def command_line(way, mpi, ranks, command, quiet=True):
    """The words to start `command` with in this way; mpi None: without a launcher."""
    launcher = mpi.mpirun(ranks) if mpi else []
    run = [FATHOM, "run"] + (["--quiet"] if quiet else [])
    if way == AROUND:
        return run + ["--"] + launcher + command
    if way == INSIDE:
        return launcher + run + command
    return launcher + command


def prepare(way, env=None, files=()):
    """A job not yet started, and its environment."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="work-", dir=SCRATCH))
    job = Job(work, work / "segments")
    for file in files:
        shutil.copy(file, work)
    variables = environment(job.segments, env)
    if way == PRELOAD:
        variables["LD_PRELOAD"] = ":".join(filter(None, [LIBRARY, variables.get("LD_PRELOAD")]))
    return job, variables


def run(way, mpi, ranks, command, env=None, quiet=True, prefix=(), files=()):
    """Starts the command and waits for its end. `prefix`: words put in front of everything; `files`: copied into the
    job's directory first. An LD_PRELOAD in `env` comes after Fathom's library."""
    job, variables = prepare(way, env, files)
    words = list(prefix) + command_line(way, mpi, ranks, [str(word) for word in command], quiet)
    # Into files: what a job leaves running must not hold the test up.
    with open(job.work / "stdout.txt", "w+b") as out, open(job.work / "stderr.txt", "w+b") as err:
        try:
            job.status = subprocess.run(words, cwd=job.work, env=variables, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=err, timeout=LIMIT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            job.status = "no end"
        out.seek(0)
        err.seek(0)
        job.stdout, job.stderr = out.read(), err.read()
    return job


def check_each(*checks):
    """The whole of a test that looks at the same with every MPI: check(tap, mpi)."""
    tap = Tap()
    for mpi in MPIS:
        for check in checks:
            check(tap, mpi)
    tap.done()


def at_once(number, tasks):
    """Runs functions without arguments, `number` at a time; results in the order of the tasks."""
    with concurrent.futures.ThreadPoolExecutor(number) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def calls(report):
    """Routine -> number of calls of all ranks."""
    return {routine["name"]: routine["calls"] for routine in report["mpi"]["routines"]}


def spread(report):
    """Routine -> (calls of the rank with fewest, of the rank with most, ranks)."""
    return {r["name"]: (r["per_rank"]["calls"]["min"], r["per_rank"]["calls"]["max"], r["ranks"])
            for r in report["mpi"]["routines"]}


def ends(report):
    """(ranks, how, inside) of every group of ranks that did not end normally."""
    return [(end["ranks"], end["how"], end["inside"]) for end in report["job"]["ends"]]


def notes(report):
    return [note["text"] for note in report["job"]["notes"]]
