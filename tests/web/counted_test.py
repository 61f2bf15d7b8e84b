#!/usr/bin/env python3
"""The views of a job that counts instructions, in the program and in MPI, and has regions and files: with counters that the
program itself advances (tests/jobs/made_up.py), since few test machines have any."""
import json
import pathlib
import sys

import web
from web import jobs

import made_up

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include "made_up_counters.h"

static void step(int rank, int i)
{
    static char bytes[70000];
    char name[32];
    double one = 1, sum;
    MPI_Pcontrol(1, "step");
    advance_counter(0, 3000000 + 1000000 * rank);
    advance_counter(1, 2000000);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(bytes, 1000 << i, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1, "output");
    snprintf(name, sizeof name, "out.%d.txt", rank);
    FILE *file = fopen(name, "a");
    fwrite(bytes, 1, 5000, file);
    fclose(file);
    MPI_Pcontrol(-1, "output");
    MPI_Pcontrol(-1, "step");
}

int main(int argc, char **argv)
{
    int rank;
    make_counters(2);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 6; i++)
        step(rank, i);
    MPI_Finalize();
    return 0;
}
"""


def main():
    web.install()
    mpich = jobs.BOTH[1]
    job = jobs.run(jobs.AROUND, mpich, 3, [made_up.compile_with(mpich, "counted", PROGRAM)],
                   env=made_up.environment("instructions,cycles"))
    found = job.profiles()
    if len(found) != 1:
        raise LookupError(str(job))
    plan = web.plan(jobs.SCRATCH / "plan.json", {"counted": pathlib.Path(found[0])})
    document = json.loads(pathlib.Path(found[0]).with_suffix(".json").read_text(encoding="utf8"))
    if not document["counters"]["list"] or any(counter["mpi"] is None for counter in document["counters"]["list"]):
        raise LookupError("the counters are not split between program and MPI")
    if len(document["mpi"]["regions"]) != 2 or not document["io"]["files"]:
        raise LookupError("the profile has no regions or files")
    sys.exit(web.run_node("check_views.mjs", plan))


main()
