#!/usr/bin/env python3
"""No wait in libc is broken or cut short by a sample, and its time is credited to the path that waited."""
import sampling
import jobs

THEMES = {"poll": 1000, "poll-now": 1000, "ppoll": 1000, "select": 1000, "pselect": 1000, "epoll": 1000, "nanosleep": 1000,
          "clock_nanosleep": 1000, "usleep": 1000, "sleep": 1, "thrd_sleep": 1000, "sem": 1000, "semtimedop": 1000,
          "messages": 1000, "write": 1000, "writev": 1000, "send": 1000, "sendto": 1000, "sendmsg": 1000,
          "receive-all": 1000, "receive-some": 50, "terminal": 50, "pwritev2": 1000, "limits": 1000, "random": 100, "read": 50,
          "fallocate": 100, "sigpause": 500, "wrong": 100,
          "cancellation": 1000}
# theme -> the function that waits, for which there is one
FUNCTIONS = {"poll": "do_poll", "ppoll": "do_ppoll", "select": "do_select", "epoll": "do_epoll",
             "nanosleep": "do_nanosleep", "usleep": "do_usleep", "sleep": "do_sleep", "sem": "do_sem",
             "semtimedop": "do_semtimedop"}


def check(tap, program, reader, theme, calls):
    job = sampling.run([program, theme, calls])
    tap.equal((job.status, job.stdout.decode()), (0, f"{theme}: 0 broken, 0 wrong, 0 early\n"),
              f"{theme}: {calls} calls are as without samples")
    if theme in FUNCTIONS:
        samples = sampling.Samples(job, reader)
        waited = samples.seconds(sampling.function_of(program, FUNCTIONS[theme]))
        wall = samples.counts["wall_ns"] / 1e9
        # the program does nothing else; but it takes its time to be loaded
        tap.ok(0.6 * wall < waited <= 1.01 * wall, f"{theme}: the time is credited to the path that waited",
               f"{waited} s of {wall} s", *samples.paths)


def check_stdio(tap, program):
    """Calls inside libc cannot be held: the sample ends them itself, but for a moment behind it (doc/LIMITS.md)."""
    calls = 300
    job = sampling.run([program, "ended-stdio", calls])
    words = job.stdout.decode().split()
    tap.ok(job.status == 0 and words[2] == "broken," and int(words[1]) <= calls // 20 and words[3:] == ["0", "wrong,", "0", "early"],
           "ended-stdio: at most 5 % of the signals that come with a sample do not end their call", job)


def names(node):
    return {node["name"]}.union(*(names(child) for child in node["children"]))


def check_name(tap, program):
    """A report has libc's name of the call, and nothing of what stands in front of it."""
    job = jobs.run(jobs.AROUND, None, 1, [program, "nanosleep", "200"], env={"FATHOM_SAMPLE": "1000"})
    found = names(job.report()["calls"]["root"])
    tap.ok("nanosleep" in found and not any(n and (n.startswith("fm_") or "libfathom" in n) for n in found),
           "a wait has libc's name in a report", found)


def main():
    tap = jobs.Tap()
    program, reader = sampling.compile_program("waits"), sampling.reader()
    bare = sampling.run([program, "raw", 300], sampled=False)
    tap.equal(bare.stdout.decode(), "raw: 0 broken, 0 wrong, 0 early\n", "a system call past libc ends well without samples")
    raw = sampling.run([program, "raw", 300])
    tap.ok(not raw.stdout.startswith(b"raw: 0 broken"), "samples come: a system call past libc is broken", raw)
    for theme, calls in THEMES.items():
        check(tap, program, reader, theme, calls)
    ended = sampling.compile_program("ended_waits")
    check(tap, ended, reader, "ended", 900)
    check_stdio(tap, ended)
    check_name(tap, program)
    tap.done()


main()
