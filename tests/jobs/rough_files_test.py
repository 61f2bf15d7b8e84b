#!/usr/bin/env python3
"""A program that does file I/O in unusual ways has the same results, the same errno after every call, the same output and
the same status with Fathom as without; also if another library intercepts its calls, before Fathom or after it."""
import os
import subprocess
import tempfile

import jobs

PROGRAM = (jobs.SOURCE / "tests/jobs/programs/rough_files.c").read_text(encoding="utf-8")
LIBRARY = jobs.BUILD / "libfathom.so.0"
# Counts calls, and shows the count at the end: the same whether Fathom is there or not.
OTHER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long calls[4];
#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
ssize_t write(int fd, const void *b, size_t n) { NEXT(write); calls[0]++; return next(fd, b, n); }
ssize_t read(int fd, void *b, size_t n) { NEXT(read); calls[1]++; return next(fd, b, n); }
int close(int fd) { NEXT(close); calls[2]++; return next(fd); }
off_t lseek(int fd, off_t o, int w) { NEXT(lseek); calls[3]++; return next(fd, o, w); }
__attribute__((destructor)) static void end(void)
{
    if (getenv("ROUGH_COUNTS"))
        dprintf(2, "other: called %d\n", calls[0] > 0 && calls[1] > 0 && calls[2] > 0 && calls[3] > 0);
}
"""


def outcome(program, preload, more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FATHOM_", "LD_"))}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C", **more)
    with tempfile.TemporaryDirectory(dir=jobs.SCRATCH) as work:
        words = ["/usr/bin/env", *([f"LD_PRELOAD={' '.join(map(str, preload))}"] if preload else []), program]
        done = subprocess.run(words, cwd=work, env={**env, "FATHOM_OUTPUT": f"{work}/out.fathom"}, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=jobs.LIMIT_S, check=False)
        return {"status": done.returncode, "output": done.stdout.decode(), "errors": done.stderr.decode(),
                "measured": os.path.exists(f"{work}/out.fathom")}


def check(tap, mpi):
    program = mpi.compile("rough", PROGRAM, "-pthread", "-O2", "-w", "-D_FORTIFY_SOURCE=2")
    other = jobs.SCRATCH / "other.so"
    source = jobs.SCRATCH / "other.c"
    source.write_text(OTHER, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-w", "-o", str(other), str(source)], check=True)
    wanted = outcome(program, [], {})
    tap.ok(wanted["status"] == 23 and len(wanted["output"].splitlines()) > 300, f"{mpi.short}: it runs", wanted)
    for title, preload, more in (("with Fathom", [LIBRARY], {}), ("without samples", [LIBRARY], {"FATHOM_SAMPLE": "off"}),
                                 ("another library before Fathom", [other, LIBRARY], {"ROUGH_COUNTS": "1"}),
                                 ("and after it", [LIBRARY, other], {"ROUGH_COUNTS": "1"})):
        got = outcome(program, preload, more)
        errors = "".join(line for line in got["errors"].splitlines(True) if not line.startswith("other: "))
        tap.equal(got["output"].splitlines(), wanted["output"].splitlines(), f"{mpi.short}, {title}: the same results")
        tap.equal((got["status"], errors, got["measured"]), (wanted["status"], wanted["errors"], True),
                  f"{mpi.short}, {title}: status, and nothing more on standard error")
        if more.get("ROUGH_COUNTS"):
            tap.ok("other: called 1" in got["errors"], f"{mpi.short}, {title}: it still sees the calls", got["errors"])


jobs.check_each(check)
