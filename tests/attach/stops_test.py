#!/usr/bin/env python3
"""What `fathom attach` does to a process: nothing that it could notice. No system call is interrupted, no signal is lost,
and it runs on whatever happens to Fathom."""
import ctypes
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import time

import attaching
from attaching import jobs

KILLS = 50
LONG = 600  # seconds: until it is told to end
PTRACE_SEIZE, PTRACE_DETACH, PTRACE_INTERRUPT = 0x4206, 17, 0x4207


def system_calls(tap):
    job = attaching.start(attaching.compile_program("waits"), 4)
    attaching.wait_until(lambda: len(attaching.threads_of(job.pid)) == 10)
    seen = attaching.attach(job.pid, "--for", 2, "--hz", 300, "--view", "calls")
    out = job.communicate()[0]
    tap.ok(seen.returncode == 0 and "poll" in seen.stdout, "calls that sleep are seen", seen.stdout, seen.stderr)
    for line in out.splitlines():
        name, often, interrupted = line.split()
        tap.ok(often == "1" and interrupted == "0", f"no {name} ends with EINTR", line)
    tap.equal((job.returncode, len(out.splitlines())), (0, 9), "the program ends as ever")


def whole_calls(tap, program, cut, title):
    """cut: how many calls may give less than they were asked for."""
    job = attaching.start(attaching.compile_program(program), 4)
    attaching.attach(job.pid, "--for", 2.5, "--hz", 300)
    out = job.communicate()[0]
    tap.ok(re.fullmatch(rf"\d\d+ \w+, {cut} not whole\n", out), title, out)


def brink(tap):
    job = attaching.start(attaching.compile_program("brink"), 4)
    time.sleep(0.3)
    if job.poll() == 3:
        tap.skip("nothing is read beyond a stack", "userfaultfd is not allowed")
        return
    seen = attaching.attach(job.pid, "--for", 1, "--hz", 100)
    job.communicate()
    tap.equal((seen.returncode, job.returncode), (0, 9), "nothing is read beyond a stack")


def execs(tap):
    """A process of several threads that replaces itself while they are looked at: neither waits for the other."""
    program = attaching.compile_program("execs")
    for _ in range(3):
        job = attaching.start(program, 40)
        seen = attaching.attach(job.pid, "--for", 1.5, "--hz", 300)
        out = job.communicate()[0]
        tap.ok((job.returncode, out) == (7, "done\n") and seen.returncode in (0, 1), "exec by one of several threads", out,
               seen.stderr)


def signals(tap, phases):
    job = attaching.start(phases, LONG, 3, 2000)
    attaching.wait_until(lambda: len(attaching.threads_of(job.pid)) == 3)
    seen = attaching.attach(job.pid, "--for", 2.5, "--hz", 300, "--json")
    out = attaching.finish(job)
    tap.equal((job.returncode, out), (7, "2000 signals, 0 wrong, status 0\n"), "2,000 signals arrive, in their order")
    last = attaching.stream(seen.stdout)[-1]
    tap.ok(last["stops"]["count"] > 100, "while threads were stopped", last)


def stopped_by_user(tap, phases):
    job = attaching.start(phases, LONG, 2)
    attaching.wait_until(lambda: len(attaching.threads_of(job.pid)) == 2)
    job.send_signal(signal.SIGSTOP)
    attaching.wait_until(lambda: all(state == "T" for state, _ in attaching.threads_of(job.pid)))
    seen = attaching.attach(job.pid, "--for", 1, "--hz", 100, "--json")
    states = attaching.threads_of(job.pid)
    tap.ok(states and all(state == "T" for state, _ in states), "what the user has stopped stays so", states)
    tap.ok(seen.returncode == 0, "and can be looked at", seen.stderr)
    job.send_signal(signal.SIGCONT)
    attaching.finish(job)
    tap.equal(job.returncode, 7, "until the user lets it go on")


def killed(tap, phases):
    job = attaching.start(phases, LONG, 4)
    bad = attaching.kill_again_and_again(job.pid, [job.pid], KILLS, 1000, 0.3)
    tap.equal(bad, [], f"{KILLS} kills of Fathom leave no thread stopped or traced")
    tap.equal(job.poll(), None, "and the program runs on")
    attaching.finish(job)
    tap.equal(job.returncode, 7, "to its end")


def ended_by_user(tap, phases):
    job = attaching.start(phases, LONG)
    tool = subprocess.Popen([jobs.FATHOM, "attach", str(job.pid), "--for", "100"], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, env=jobs.environment(jobs.SCRATCH / "none"))
    tool.stderr.readline()  # the first figures are there
    tool.send_signal(signal.SIGINT)
    out = tool.communicate()[0]
    tap.ok(tool.returncode == 0 and "phases.c" in out, "Ctrl-C ends it with what was found", out)
    job.kill()
    job.communicate()


def has_sigint(pid, *lists):
    """Whether SIGINT is in one of these lists of a process."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return any(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1 for line in lines if line.startswith(lists))


def end_by_two_signals(pid, sink, pause):
    """Status (None: it did not end) and what was said."""
    tool = subprocess.Popen([jobs.FATHOM, "attach", str(pid), "--for", "100", "--json"], stdout=sink,
                            stderr=subprocess.PIPE, text=True, env=jobs.environment(jobs.SCRATCH / "none"))
    attaching.wait_until(lambda: has_sigint(tool.pid, "SigBlk"))  # it asks for them itself now
    time.sleep(pause)
    tool.send_signal(signal.SIGINT)
    attaching.wait_until(lambda: tool.poll() is not None or not has_sigint(tool.pid, "SigPnd", "ShdPnd"))
    tool.send_signal(signal.SIGTERM)
    try:
        status = tool.wait(timeout=jobs.LIMIT_S)
    except subprocess.TimeoutExpired:
        tool.kill()
        status = None
    return status, tool.communicate()[1]


def nobody_reads(tap, phases):
    """A full pipe does not keep it from ending: the first signal ends the watching, the second the last line."""
    job = attaching.start(phases, LONG)
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    try:
        while True:
            os.write(sink, bytes(512))
    except BlockingIOError:
        os.set_blocking(sink, True)
    for pause in (0.2, 0.5, 1):  # before its first line, after two seconds
        status, said = end_by_two_signals(job.pid, sink, pause)
        if "no thread of the job ran in time" not in said:  # on a busy machine
            break
    tap.equal(status, -signal.SIGTERM, "it ends though nobody reads what it says")
    tap.equal([thread for thread in attaching.threads_of(job.pid) if thread[0] in "Tt" or thread[1]], [],
              "and holds nothing")
    job.kill()
    job.communicate()
    os.close(source)
    os.close(sink)


def forbidden(tap, phases):
    job = attaching.start(phases, LONG)
    if os.getuid() == 0 and shutil.which("setpriv"):
        other = attaching.attach(job.pid, prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        tap.equal((other.returncode, other.stderr),
                  (1, f"fathom attach: process {job.pid} belongs to user root: only that user or root may attach to "
                      "it.\n"), "somebody else's process is refused")
    else:
        tap.skip("somebody else's process is refused", "needs root")
    threaded = attaching.start(phases, LONG, 2)
    attaching.wait_until(lambda: len(attaching.threads_of(threaded.pid)) == 2)
    thread = next(int(tid) for tid in os.listdir(f"/proc/{threaded.pid}/task") if int(tid) != threaded.pid)
    seen = attaching.attach(thread)
    tap.equal((seen.returncode, seen.stderr),
              (2, f"fathom attach: {thread} is a thread; give the PID of its process, {threaded.pid}.\n"),
              "a thread is told from a process")
    threaded.kill()
    threaded.communicate()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace(PTRACE_SEIZE, job.pid, None, None)
    held = attaching.attach(job.pid)
    tap.ok(held.returncode == 1 and f"is being traced by process {os.getpid()} (a debugger)" in held.stderr,
           "so is one that a debugger has", held.stderr)
    libc.ptrace(PTRACE_INTERRUPT, job.pid, None, None)
    os.waitpid(job.pid, 0)
    libc.ptrace(PTRACE_DETACH, job.pid, None, None)
    job.kill()
    job.communicate()
    none = attaching.attach(job.pid)
    tap.equal((none.returncode, none.stderr), (2, f"fathom attach: no such process: {job.pid}.\n"),
              "and one that is not there")


def files(tap, phases):
    """What cannot be read or written is said before anything is watched."""
    job = attaching.start(phases, LONG)
    folder = jobs.SCRATCH / "nowhere"
    for words, sentence in (
            (["--save", folder / "file"], f"cannot write {folder}/file: No such file or directory"),
            (["--save", jobs.SCRATCH], f"cannot write {jobs.SCRATCH}: it exists and is not a regular file; give another name"),
            (["--save", "/dev/null"], "cannot write /dev/null: it exists and is not a regular file; give another name"),
            (["--modules", "/dev/zero"], "/dev/zero is neither a file nor a pipe"),
            (["--modules", folder], f"cannot open {folder}: No such file or directory")):
        seen = attaching.attach(job.pid, "--samples", 1, *words)
        tap.equal((seen.returncode, seen.stdout, seen.stderr), (1, "", f"fathom attach: {sentence}.\n"),
                  f"{' '.join(map(str, words))}")
    tap.ok(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is what it was")
    closed = jobs.SCRATCH / "closed"
    closed.mkdir(mode=0o500)
    if os.getuid() == 0:
        tap.skip("a directory that is not writable", "root may write everywhere")
    else:
        seen = attaching.attach(job.pid, "--samples", 1, "--save", closed / "file")
        tap.equal((seen.returncode, seen.stdout, seen.stderr),
                  (1, "", f"fathom attach: cannot write {closed}/file: Permission denied.\n"), "a closed directory")
    job.kill()
    job.communicate()


def usage(tap):
    for words, sentence in ((["x"], "'x' is not a process ID"), ([], "no process given"),
                            (["1", "--until", "x"], "--until needs a percentage"), (["1", "--hz", "0"], "--hz needs"),
                            (["1", "--view", "mpi"], "unknown view 'mpi'"), (["1", "--for", "-1"], "--for"),
                            (["1", "--hosts", "-x"], "--hosts needs")):
        out = subprocess.run([jobs.FATHOM, "attach", *words], capture_output=True, text=True, check=False)
        tap.ok(out.returncode == 2 and re.search(re.escape(sentence), out.stderr), f"attach {' '.join(words)}", out)


def main():
    tap = jobs.Tap()
    phases = attaching.compile_program("phases")
    system_calls(tap)
    whole_calls(tap, "writes", "0", "no write to a pipe is cut short")
    # Calls that take long and never sleep look like computing: that they can be harmed shows when one was.
    whole_calls(tap, "large", "[01]", "of calls that take long one at most is cut short")
    brink(tap)
    execs(tap)
    signals(tap, phases)
    stopped_by_user(tap, phases)
    killed(tap, phases)
    ended_by_user(tap, phases)
    nobody_reads(tap, phases)
    forbidden(tap, phases)
    files(tap, phases)
    usage(tap)
    tap.done()


main()
