#!/usr/bin/env python3
"""fathom run: whoever signals its pid finds what the program would have done without it, with and without a guard
between the two."""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import time

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402

# Writes its pid, and then whatever it is sent; its argument tells what it does with signals: without one, nothing; if it
# "lingers", it waits for more of them before it ends.
PROGRAM = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t ending;
static void on(int number, siginfo_t *info, void *context)
{
    char text[64];
    int n = snprintf(text, sizeof text, "got %d with %d\\n", number, info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
    (void)context;
    if (write(1, text, n) < 0)
        _exit(9);
    ending = ending || (number != SIGCONT && number != SIGWINCH && number != SIGTSTP);
}
int main(int argc, char **argv)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO, .sa_sigaction = on};
    sigset_t all, before;
    sigfillset(&all);
    sigfillset(&action.sa_mask);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (int number = 1; argc > 1 && number <= SIGRTMAX; number++)
        if (number != SIGCHLD)
            sigaction(number, &action, NULL);
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    while (!ending)
        sigsuspend(&before);
    struct timespec left = {.tv_nsec = 500000000};
    if (argc > 1 && strcmp(argv[1], "lingers") == 0)
        for (sigprocmask(SIG_SETMASK, &before, NULL); nanosleep(&left, &left) != 0;)
            ;
    return 7;
}
"""
NAMES = ("HUP", "INT", "QUIT", "ABRT", "SEGV", "TRAP", "ALRM", "PIPE", "TERM", "USR1", "USR2", "XCPU", "XFSZ", "VTALRM",
         "PROF", "IO", "PWR", "SYS", "TTIN")
NUMBERS = tuple(getattr(signal, "SIG" + name) for name in NAMES) + (signal.SIGRTMIN + 2, signal.SIGRTMAX)
RUN, GUARDED = "fathom run", "fathom run as a rank"
WAYS = (jobs.BARE, RUN, GUARDED)
tap = jobs.Tap()


class Started:
    """The program, started in one of the ways in a process group of its own."""

    def __init__(self, way, program, *words, before=()):
        env = jobs.environment(jobs.SCRATCH / "segments")
        if way == GUARDED:
            env["PMI_RANK"] = "0"
        fathom = [] if way == jobs.BARE else [jobs.FATHOM, "run", "-q"]
        self.process = subprocess.Popen([*before, *fathom, program, *words], env=env, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, process_group=0, cwd=jobs.SCRATCH)
        self.pid = int(self.process.stdout.readline())

    def send(self, number):
        os.kill(self.process.pid, number)

    def outcome(self):
        try:
            output, _ = self.process.communicate(timeout=jobs.LIMIT_S)
        except subprocess.TimeoutExpired:
            output = b"no end"
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return self.process.returncode, output

    def state(self):
        return [pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
                for pid in (self.process.pid, self.pid)]

    def stopped(self):
        """How, once it has; None if it does not."""
        for _ in range(100):
            pid, status = os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)
            if pid:
                return os.WSTOPSIG(status) if os.WIFSTOPPED(status) else "ended"
            time.sleep(0.05)
        return None

    def goes_on(self):
        return any(time.sleep(0.02) or "T" not in self.state() for _ in range(250))


def is_gone(pid):
    for _ in range(250):
        if not pathlib.Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.02)
    return False


def check_same(program, words, what):
    for number in NUMBERS:
        seen = {}
        for way in WAYS:
            job = Started(way, program, *words)
            job.send(number)
            if number == signal.SIGTTIN and not words:
                job.stopped()
                job.send(signal.SIGTERM)
                job.send(signal.SIGCONT)
            seen[way] = job.outcome()
        tap.ok(len(set(seen.values())) == 1, f"signal {int(number)}: the same as without Fathom in a program that {what}",
               seen)


def check_values(program):
    for way in (RUN, GUARDED):
        job = Started(way, program, "handles")
        subprocess.run(["kill", "-s", "RTMIN+3", "-q", "41", str(job.process.pid)], check=True)
        wanted = f"got {signal.SIGRTMIN + 3} with 41\n".encode()
        tap.equal(job.outcome(), (7, wanted), f"{way}: a queued signal keeps its value")


def check_harmless(program):
    for way in (RUN, GUARDED):
        job = Started(way, program, "handles")
        for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTERM):
            job.send(number)
            line = job.process.stdout.readline()
            tap.equal(line, f"got {int(number)} with 0\n".encode(), f"{way}: signal {int(number)} is passed on, once")
        tap.equal(job.outcome(), (7, b""), f"{way}: and no others")


def check_ignored(program):
    for way in (RUN, GUARDED):
        job = Started(way, program, before=("env", "--ignore-signal=INT,HUP,XCPU"))
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGTERM):
            job.send(number)
        tap.equal(job.outcome()[0], -signal.SIGTERM, f"{way}: signals that are ignored stay ignored")
        job = Started(way, program, "handles", before=("env", "--ignore-signal=INT"))
        job.send(signal.SIGINT)
        tap.equal(job.outcome(), (7, b"got 2 with 0\n"), f"{way}: until the program handles them")


def check_job_control(program):
    for way in WAYS:
        for whom in ("the process", "its group"):
            job = Started(way, program)
            for number in (signal.SIGTSTP, signal.SIGTTOU):
                os.killpg(job.process.pid, number) if whom == "its group" else job.send(number)
                tap.ok(job.stopped() == number and set(job.state()) == {"T"},
                       f"{way}: signal {int(number)} to {whom} stops it, and its parent knows", job.state())
                os.killpg(job.process.pid, signal.SIGCONT) if whom == "its group" else job.send(signal.SIGCONT)
                tap.ok(job.goes_on(), f"{way}: SIGCONT to {whom} continues it", job.state())
            job.send(signal.SIGTERM)
            tap.equal(job.outcome()[0], -signal.SIGTERM, f"{way}: then it ends as ever")


def check_stops_of_its_own(program):
    """Whoever stops the program alone continues it alone: we may not be left behind."""
    for way in (RUN, GUARDED):
        job = Started(way, program)
        os.kill(job.pid, signal.SIGSTOP)
        while job.state()[1] != "T":
            time.sleep(0.01)
        tap.ok(job.state()[0] != "T", f"{way}: a stop of the program alone is its own")
        os.kill(job.pid, signal.SIGCONT)
        job.send(signal.SIGTERM)
        tap.equal(job.outcome()[0], -signal.SIGTERM, f"{way}: and it goes on")
        job = Started(way, program, "handles")
        job.send(signal.SIGTSTP)
        job.process.stdout.readline()
        tap.ok("T" not in job.state(), f"{way}: a program that does not stop does not stop us")
        job.send(signal.SIGTERM)
        job.outcome()


class Terminal:
    """An interactive shell at a terminal of its own."""

    def __init__(self, env):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noediting", "-i"], env)

    def type(self, line):
        os.write(self.fd, line.encode() + b"\n")

    def shows(self, pattern):
        """Waits for it, behind what was waited for before."""
        end = time.monotonic() + 20
        while not (found := re.search(pattern, self.text)) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                self.text += os.read(self.fd, 4096)
        self.text = self.text[found.end():] if found else self.text
        return bool(found)

    def close(self):
        """Also when something that is stopped has kept the terminal."""
        for group in {os.tcgetpgrp(self.fd), self.pid}:
            os.killpg(group, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def check_stops_at_terminal(number, way):
    env = jobs.environment(jobs.SCRATCH / "segments", {"PS1": "at prompt> ", "LC_ALL": "C", "PMI_RANK": "0" if way == GUARDED else None})
    terminal = Terminal(env)
    pause = "sleep 0.5; " if way == GUARDED else ""  # what stops again at once may not be seen to have gone on
    terminal.type(f"cd {jobs.SCRATCH}; {'' if way == jobs.BARE else jobs.FATHOM + ' run -q '}"
                  f"sh -c 'kill -{number} $$; echo twice; {pause}kill -{number} $$; exit 5'")
    what = f"{way}: a command that sends itself SIG{number} at a terminal"
    stopped = rb"\n\[1\]\+  Stopped"
    seen = terminal.shows(stopped) and terminal.shows(rb"at prompt> ")
    if tap.ok(seen, f"{what} gives it to the shell", terminal.text):
        terminal.type("fg")
        tap.ok(terminal.shows(rb"\ntwice") and terminal.shows(stopped), f"{what} does so again after fg", terminal.text)
        terminal.type("fg; echo status $?")
        tap.ok(terminal.shows(rb"\nstatus 5"), f"{what} goes on to its end", terminal.text)
    terminal.close()


def check_terminal(_):
    for way in WAYS:
        for number in ("TSTP", "STOP"):
            check_stops_at_terminal(number, way)


def outcome_of(words, env=None):
    done = subprocess.run(words, env=jobs.environment(jobs.SCRATCH / "segments", env), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, cwd=jobs.SCRATCH, timeout=jobs.LIMIT_S, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith(b"got")]


def check_timeout(program):
    """It signals its group or its child alone, and a program whose signal was lost with SIGKILL. The SIGCONT it sends
    behind may come too late to be seen."""
    for options in ([], ["--foreground"], ["-s", "TERM", "--fore"], ["--sig", "TERM", "--f"], ["-vsTERM"]):
        status, got = outcome_of(["timeout", "-k", "5", *options, "1", jobs.FATHOM, "run", "-q", program, "handles"])
        tap.ok(status == 124 and b"got 15 with 0" in got, f"timeout {' '.join(options)}: its signal comes", status, got)
    script = f"trap : TERM; {jobs.FATHOM} run -q {program} lingers; true"
    status, got = outcome_of(["timeout", "-k", "5", "1", "sh", "-c", script])
    tap.equal((status, got.count(b"got 15 with 0")), (124, 1), "timeout: its signal comes once through a shell, too")


def check_launchers(program):
    """They signal the group of a rank, and with it the program."""
    for mpi in jobs.MPIS:
        for how, shell in (("", []), (", behind a shell, too", ["sh", "-c", 'trap : USR1; "$@"; true', "sh"])):
            job = Started(RUN, program, "lingers", before=mpi.mpirun(1) + shell)
            job.send(signal.SIGUSR1)
            output = job.outcome()[1]
            tap.equal(output.count(b"got 10"), 1, f"{mpi.short}: what mpirun sends to the ranks comes once{how}")


def check_kill(program):
    for way in (RUN, GUARDED):
        job = Started(way, program)
        job.send(signal.SIGKILL)
        tap.ok(is_gone(job.pid), f"{way}: SIGKILL ends the program, too")
        os.killpg(job.process.pid, signal.SIGKILL)
        tap.equal(job.outcome()[0], -signal.SIGKILL, f"{way}: as it ends the run")


def forget_ignored():
    """What whoever started us ignores (nohup; a shell, for what it starts in the background) our programs would, too."""
    for number in NUMBERS:
        if number != signal.SIGINT or signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main():
    forget_ignored()
    program = jobs.compile_plain("signalled", PROGRAM)
    check_same(program, ("handles",), "handles it")
    check_same(program, (), "does not handle it")
    check_values(program)
    check_harmless(program)
    check_ignored(program)
    check_job_control(program)
    check_stops_of_its_own(program)
    check_timeout(program)
    check_launchers(program)
    check_terminal(program)
    check_kill(program)
    tap.done()


main()
