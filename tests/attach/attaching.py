"""`fathom attach` for tests: programs without MPI, and what is said of them."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mpi"))
import jobs  # noqa: E402


def compile_program(name):
    path = jobs.SCRATCH / name
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-o", str(path), str(HERE / "programs" / f"{name}.c"),
                    "-pthread"], check=True)
    return str(path)


def start(*command):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)


def attach(pid, *options, prefix=()):
    words = [*prefix, jobs.FATHOM, "attach", str(pid), *[str(word) for word in options]]
    return subprocess.run(words, capture_output=True, text=True, timeout=jobs.LIMIT_S, check=False,
                          env=jobs.environment(jobs.SCRATCH / "none"))


def stream(text):
    """The objects of --json."""
    return [json.loads(line) for line in text.splitlines()]


def shares(last):
    """Module -> (share, width of its interval or None)."""
    return {m["name"]: (m["share"], m["interval_width"]) for m in last["modules"]}


def threads_of(pid):
    """(state, tracer) of every thread."""
    found = []
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except (OSError, ProcessLookupError):
            continue
        found.append((lines["State"][0], int(lines["TracerPid"])))
    return found
