#!/usr/bin/env python3
"""A job in a control group with a limit of memory: a finding if its ranks use nearly all of it, and none if they do not."""
import os
import pathlib

import jobs

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    size_t bytes = (size_t)atol(argv[1]) << 20;
    MPI_Init(&argc, &argv);
    char *room = malloc(bytes);
    memset(room, 1, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = room[bytes / 2];
    free(room);
    MPI_Finalize();
    return sum != 1;
}
"""
LIMIT_MIB = 500
MUCH, LITTLE = 220, 60  # MiB of each of two ranks; libraries come on top, but are there only once
GROUP = f"fathom-test-{os.getpid()}"
VERSIONS = {"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"}


def make_group():
    """The directory of a new control group, or None."""
    for mount, limit in VERSIONS.items():
        group = pathlib.Path(mount) / GROUP
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(LIMIT_MIB << 20), encoding="ascii")
            return group
        except OSError:
            group.rmdir()
    return None


def check(tap, mpi, group):
    program = mpi.compile("memory", PROGRAM)
    enter = ["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$@"', "sh"]
    for use, wanted in ((MUCH, True), (LITTLE, False)):
        job = jobs.run(jobs.AROUND, mpi, 2, [program, use], prefix=enter)
        title = f"{mpi.short}, {use} MiB a rank of {LIMIT_MIB}"
        if not tap.ok(job.status == 0, f"{title}: it ends well", job):
            continue
        report = job.report()
        found = [f for f in report["findings"] if f["rule"] == "memory"]
        tap.equal(report["memory"]["hosts"][0]["limit_bytes"], LIMIT_MIB << 20, f"{title}: the limit is known")
        if wanted:
            tap.ok(len(found) == 1 and found[0]["ranks"] == "0-1" and
                   found[0]["evidence"]["limit_bytes"] == LIMIT_MIB << 20 and
                   "that the job may use on host" in found[0]["text"], f"{title}: found", report["findings"])
        else:
            tap.ok(not found, f"{title}: no finding", found)


def main():
    tap = jobs.Tap()
    group = make_group()
    if group:
        try:
            for mpi in jobs.MPIS:
                check(tap, mpi, group)
        finally:
            group.rmdir()
    else:
        tap.skip("a limit of memory", "control groups with limits of memory cannot be made here")
    tap.done()


main()
