#!/usr/bin/env python3
"""Names of libc that the library exports: a program's own functions of such names are called as without us, with any
parameters; tools between the program and libc stay there, and no wait is broken because of them."""
import re
import subprocess

import sampling  # noqa: F401  (says where jobs is)
import jobs

OWN = """
#include <stdarg.h>
struct triple { double a, b; long c; };
/* parameters of all kinds, in registers and beyond */
double pause(double a, float b, int c) { return a * b + c; }
struct triple select(double a, long b) { return (struct triple){a, a + 1, b}; }
long send(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{ return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
"""
CALLS = """
#include <stdio.h>
#include <time.h>
struct triple { double a, b; long c; };
extern double pause(double, float, int);
extern struct triple select(double, long);
extern long send(long, long, long, long, long, long, long, long, long, long);
static void call(const char *when)
{
    struct triple t = select(1.5, 7);
    printf("%s %g %g %g %ld %ld\\n", when, pause(2.5, 4, 3), t.a, t.b, t.c, send(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}
__attribute__((constructor)) static void early(void) { call("before main"); }
int main(void)
{
    call("in main");
    for (clock_t until = clock() + CLOCKS_PER_SEC / 20; clock() < until;)
        ;
    call("later");
    return 0;
}
"""
BETWEEN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
long calls_between;
int nanosleep(const struct timespec *a, struct timespec *b)
{ calls_between++; return ((int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep"))(a, b); }
int usleep(useconds_t a) { calls_between++; return ((int (*)(useconds_t))dlsym(RTLD_NEXT, "usleep"))(a); }
unsigned sleep(unsigned a) { calls_between++; return ((unsigned (*)(unsigned))dlsym(RTLD_NEXT, "sleep"))(a); }
int poll(struct pollfd *a, nfds_t b, int c)
{ calls_between++; return ((int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll"))(a, b, c); }
"""
SLEEPS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(void)
{
    int broken = 0;
    for (int i = 0; i < 300; i++)
        broken += nanosleep(&(struct timespec){0, 1000000}, NULL) != 0;
    long *calls = dlsym(RTLD_DEFAULT, "calls_between");
    printf("%d broken, %ld calls\\n", broken, calls ? *calls : -1);
    return 0;
}
"""

# as a tracer of memory has one that waits for whoever writes its log
MAPS = """
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *a, size_t n, int protection, int flags, int fd, off_t offset)
{
    struct pollfd out = {.fd = 2, .events = POLLOUT};
    poll(&out, 1, 1);
    return (void *)syscall(SYS_mmap, a, n, protection, flags, fd, offset);
}
void *mmap64(void *a, size_t n, int protection, int flags, int fd, off_t offset)
{ return mmap(a, n, protection, flags, fd, offset); }
static void *work(void *unused) { usleep(1000); return unused; }
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 20 && pthread_create(&thread, NULL, work, NULL) == 0; i++)
        pthread_join(thread, NULL);
    puts("done");
    return 0;
}
"""


def library(name, text):
    source = jobs.SCRATCH / f"{name}.c"
    source.write_text(text)
    path = jobs.SCRATCH / f"lib{name}.so"
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    return path


def outputs(command, env=None):
    """Without the library, with it in a process that is not measured, without samples, and with them."""
    named = ["sh", "-c", 'LD_PRELOAD="$FM_LIBRARY $MORE" FATHOM_NAMED=$$ exec "$0" "$@"']
    alone = ["sh", "-c", 'LD_PRELOAD="$FM_LIBRARY $MORE" exec "$0" "$@"']
    bare = ["sh", "-c", 'LD_PRELOAD="$MORE" exec "$0" "$@"']
    out = {}
    for what, prefix, hz in (("bare", bare, "off"), ("not measured", alone, "1000"), ("off", named, "off"),
                             ("sampled", named, "1000")):
        job = jobs.run(jobs.BARE, None, 1, [*prefix, *command],
                       env={"MORE": "", **(env or {}), "FATHOM_SAMPLE": hz, "FM_LIBRARY": jobs.LIBRARY})
        out[what] = (job.status, job.stdout.decode(), job.stderr.decode())
    return out


def check_own_calls(tap, listed):
    """The library's own calls, which are none of the program's, go past what is exported."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", jobs.LIBRARY], capture_output=True, text=True,
                          check=True).stdout
    called = re.findall(r"\t(?:call|jmp|bl|b)\s+[0-9a-f]+ <([^>+]+)>", code)
    tap.ok(called.count("__wrap_read") > 3 and called.count("__wrap_open64") > 3, "the library reads files", len(called))
    tap.equal([name for name in called if name.removesuffix("@plt") in listed], [],
              "no call of the library's own is taken for one of the program's")


def check_exports(tap):
    text = (jobs.SOURCE / "src/runtime/interpose/list.h").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:#define \w+\(X\))? +X\([\w *]+, (\w+),", text, re.M))
    names = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", jobs.LIBRARY], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in names.splitlines()}
    others = {n for n in exported if not re.match(r"P?MPIX?_|p?mpix?_|fathom_", n)}
    tap.ok(len(listed) > 80, "the list of names is found", listed)
    listed.add("__asan_default_options")  # see interpose/sanitizers.c
    tap.equal(sorted(others), sorted(listed), "exported are the names of the list, and no others")
    check_own_calls(tap, listed)


def main():
    tap = jobs.Tap()
    check_exports(tap)
    own = library("own", OWN)
    program = jobs.compile_plain("calls_own", CALLS, "-fno-builtin", str(own), f"-Wl,-rpath,{jobs.SCRATCH}", "-w")
    out = outputs([program])
    tap.ok("in main 13 1.5 2.5 7 385" in out["bare"][1], "a program calls functions of its own that have names of libc's",
           out["bare"])
    for what in ("not measured", "off", "sampled"):
        tap.equal(out[what], out["bare"], f"{what}: they are called in the same way")
    out = outputs([jobs.compile_plain("maps", MAPS, "-pthread", "-w")])
    tap.equal(out["sampled"], (0, "done\n", ""), "a program's own mmap may wait")
    between = library("between", BETWEEN)
    out = outputs([jobs.compile_plain("sleeps", SLEEPS)], {"MORE": str(between)})
    tap.equal(out["bare"][1], "0 broken, 300 calls\n", "a tool between a program and libc sees its calls")
    for what in ("not measured", "off", "sampled"):
        tap.equal(out[what], out["bare"], f"{what}: and sees them all the same, and none is broken")
    tap.done()


main()
