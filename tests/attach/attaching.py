"""`fathom attach` for tests: programs without MPI, and what is said of them."""
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jobs"))
import jobs  # noqa: E402


def compile_program(name):
    path = jobs.SCRATCH / name
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-o", str(path), str(HERE / "programs" / f"{name}.c"),
                    "-pthread"], check=True)
    return str(path)


def start(*command):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)


def finish(job):
    """Tells a program that waits for that to end; what it has printed."""
    job.send_signal(signal.SIGUSR1)
    return job.communicate()[0]


def wait_until(condition):
    """However long it takes; a test that waits in vain is ended from outside."""
    while not condition():
        time.sleep(0.01)


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


def wait_for_ranks(process, ranks):
    """Until all ranks have MPI in them and are past their start; their pids."""
    while process.poll() is None:
        below, found = {process.pid}, []
        for stat in sorted(pathlib.Path("/proc").glob("[0-9]*/stat"), key=lambda p: int(p.parent.name)):
            try:
                own, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
                if int(rest[1]) in below:
                    below.add(own)
                    found += [own] if "libmpi" in (stat.parent / "maps").read_text() else []
            except OSError:
                continue
        if len(found) >= ranks:
            time.sleep(1)
            return found
        time.sleep(0.1)
    raise TimeoutError(f"{ranks} ranks below {process.pid}")


def more_steps(steps, took_s, needed_s):
    """How many steps of a model last so long, with some to spare, where `steps` of them did not."""
    return max(2 * steps, int(1.3 * steps * needed_s / took_s))


def kill_again_and_again(pid, watched, kills, hz, longest_s):
    """Fathom is killed while it looks at a job, wherever it is; threads of `watched` that are stopped or traced then."""
    bad = []
    for _ in range(kills):
        tool = subprocess.Popen([jobs.FATHOM, "attach", str(pid), "--hz", str(hz)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=jobs.environment(jobs.SCRATCH / "none"))
        time.sleep(random.uniform(0.05, longest_s))
        tool.kill()
        tool.wait()
        bad += [thread for process in watched for thread in threads_of(process) if thread[0] in "Tt" or thread[1]]
    return bad
