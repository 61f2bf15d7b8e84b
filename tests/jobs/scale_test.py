#!/usr/bin/env python3
"""fathom scale of real runs. Programs with a planted serial section, planted replicated work and planted imbalance, also
in the caller of a wrapper, each of which is the first loss of its program; and the ocean model on 2 to 16 ranks, whose
solver adds two scalars one after the other: these sums are among the first losses with their lines, and gone with
--fused.

The machine may have two cores, and waiting may spin. So the planted programs run on one and on four ranks, with work that
is counted, not timed: what is planted then is many times what is not, and ranks that slow each other down only add to
it. Of the ocean model what waits is the point, and it has next to nothing else to do."""
import csv
import io
import json
import re
import subprocess

import jobs
import ocean_model

PLANTED = r"""
#include <mpi.h>
#include <string.h>

enum { UNIT = 20000000 };
#define PLANTED (16L * UNIT) /* far more than starting MPI takes */
static volatile double sink;

/* Counted work, of which the compiler keeps every turn. */
static void work(long turns)
{
    double x = 1;
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 0.1;
    sink = x;
}

/* What scales: all ranks share it. */
__attribute__((noinline)) static void shared(int ranks) { work(UNIT / ranks); sink += 1; }

__attribute__((noinline)) static void serial(int rank)
{
    if (rank == 0)
        work(PLANTED);
    MPI_Barrier(MPI_COMM_WORLD); /* serial waits */
}

__attribute__((noinline)) static void replicated(void) { work(PLANTED); sink += 2; }

/* A wrapper, which two functions call; the ranks reach the first call at different times. */
__attribute__((noinline)) static double global_max(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    sink = all;
    return all;
}

__attribute__((noinline)) static void check(int rank)
{
    work(rank == 0 ? PLANTED : UNIT);
    sink = global_max(rank); /* check waits */
}

__attribute__((noinline)) static void solve(int rank)
{
    work(UNIT);
    sink = global_max(rank);
}

__attribute__((noinline)) static void uneven(int rank, int ranks)
{
    double mine = rank, sum;
    long others = ranks > 1 ? PLANTED / 8 : 0;
    work(rank == 0 ? PLANTED - others : others / (ranks - 1));
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* uneven waits */
}

int main(int argc, char **argv)
{
    int rank, ranks;
    const char *planted = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Pcontrol(1, "shared");
    shared(ranks);
    MPI_Pcontrol(-1, "shared");
    MPI_Pcontrol(1, planted);
    if (strcmp(planted, "serial") == 0)
        serial(rank);
    else if (strcmp(planted, "replicated") == 0)
        replicated();
    else if (strcmp(planted, "wrapped") == 0) {
        check(rank);
        solve(rank);
    } else
        uneven(rank, ranks);
    MPI_Pcontrol(-1, planted);
    MPI_Finalize();
    return 0;
}
"""
# What is planted -> the name of the first verdict, the function it lies in, and its line
FIRST = {"serial": ("MPI_Barrier", "serial", "serial waits"), "replicated": ("work", "replicated", "x * 0.999999"),
         "uneven": ("MPI_Allreduce", "uneven", "uneven waits"),
         "wrapped": ("MPI_Allreduce", "check", "check waits")}


def line_of(mark):
    return 1 + next(i for i, text in enumerate(PLANTED.split("\n")) if mark in text)


def scale(*words):
    """The document of `fathom scale`."""
    done = subprocess.run([jobs.FATHOM, "scale", *map(str, words), "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)["scale"]


def text_of(*words):
    return subprocess.run([jobs.FATHOM, "scale", *map(str, words)], capture_output=True, check=True, text=True).stdout


def parts_of(text):
    """The numbers of the line that adds up parts; the last one is the whole."""
    line = re.search(r"^Parts, in % of [^:]*:(.*(\n  .*)*)", text, re.M)
    return [float(number) for number in re.findall(r" (-?\d+\.\d)[,.]", line[1].replace("\n", " ") + " ")]


def nodes(node):
    yield node
    for child in node["children"]:
        yield from nodes(child)


def measure(mpi, ranks, command, sample):
    """The profile of a run."""
    job = jobs.run(jobs.AROUND, mpi, ranks, command, env={"FATHOM_SAMPLE": sample})
    if job.status != 0 or len(job.profiles()) != 1:
        raise RuntimeError(str(job))
    return job.profiles()[0]


# ---- planted losses ----

def hot_names(root):
    """Names on the way of the largest losses."""
    while root["children"]:
        root = root["children"][0]
        yield root["name"]


def check_planted(tap, mpi, program, planted):
    name, function, mark = FIRST[planted]
    title = f"{mpi.short}, {planted}"
    for _ in range(3):  # others on the machine can make the run on one rank as slow as that on four
        small, large = (measure(mpi, ranks, [program, planted], "1000") for ranks in (1, 4))
        sampled = scale("--strong", small, large)
        if sampled["verdicts"]:
            break
    if not tap.ok(sampled["verdicts"], f"{title}: there is a loss", text_of("--strong", small, large)):
        return
    first = sampled["verdicts"][0]
    tap.ok(first["name"] == name and function in first["text"],
           f"{title}: {name} of {function} is the first loss", json.dumps(sampled["verdicts"], indent=1))
    tap.ok(line_of(mark) in [line["line"] for line in first["lines"]], f"{title}: with its line", first["lines"])
    tap.ok(all("MPI_Init" not in verdict["name"] for verdict in sampled["verdicts"]), f"{title}: starting MPI is no loss",
           sampled["verdicts"])
    if planted == "wrapped":
        tap.equal([first["callers"][0][key] for key in ("name", "through")], [function, "global_max"],
                  f"{title}: the caller of the wrapper is the cause")
    parts = parts_of(text_of("--strong", small, large))
    tap.ok(abs(sum(parts[:-1]) - parts[-1]) < 0.01 and abs(parts[-1] - 100 * sampled["root"]["x_inclusive"]) < 0.1,
           f"{title}: the parts add up to the whole", parts)
    tap.ok(function in list(hot_names(sampled["root"])), f"{title}: the path by loss goes through {function}",
           list(hot_names(sampled["root"])))
    flat = scale("--strong", large, small, "--view", "callers")
    tap.equal(flat["root"]["children"][0]["name"], name, f"{title}: and {name} is first among all functions")

    measured = scale("--strong", small, large, "--view", "mpi")
    top = measured["root"]["children"][0]
    tap.equal(top["name"], planted, f"{title}: without samples its region is")
    lost_in = "x_exclusive" if planted == "replicated" else "x_inclusive"
    tap.ok(top[lost_in] > 0 and top[lost_in] >= 0.9 * top["x_inclusive"], f"{title}: by what it does or waits", top)


# ---- the ocean model ----

# steps, for Open MPI, whose waiting ranks yield, and for MPICH, whose ranks spin
STEPS = {"openmpi": 60, "mpich": 3}
SMALL = ["--grid", "96x72", "--levels", "4"]
SUMS = (157, 158)  # of pcg.f90; fused it is one
FUSED = 155


def build(mpi):
    source = (jobs.SOURCE / "examples/miniocean/pcg.f90").read_text(encoding="utf-8").split("\n")
    calls = [i + 1 for i, text in enumerate(source) if "call mpi_allreduce" in text]
    return ocean_model.build(mpi, timed=True), calls == [FUSED, *SUMS]


def lines_of(verdicts):
    return {(line["file"], line["line"]) for verdict in verdicts for line in verdict["lines"]}


def check_ensemble(tap, title, profiles, view):
    document = scale("--strong", *profiles, *view)
    first = lines_of(document["verdicts"][:3])
    tap.ok({("pcg.f90", line) for line in SUMS} <= first, f"{title}: the sums of the solver are among the first losses",
           json.dumps(document["verdicts"], indent=1))
    tap.equal([run["ranks"] for run in document["runs"]], [2, 4, 8, 16], f"{title}: runs are in order")
    return document


def check_formats(tap, title, profiles):
    """The same of all formats, and views that need no samples."""
    text = text_of("--strong", *profiles)
    head = "\n".join(text.split("\n")[:10])
    tap.ok("miniocean on 2, 4, 8, 16 ranks, strong scaling: " in head and "% of the run on 16 ranks is excess time" in head
           and "pcg.f90:157" in head and "call mpi_allreduce(mine(1)" in head,
           f"{title}: the answer is in the first ten lines, with the source", text)
    table = subprocess.run([jobs.FATHOM, "scale", "--strong", *profiles, "--format", "csv"], capture_output=True,
                           check=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    tap.ok(rows[0]["name"] == "all" and float(rows[0]["inclusive_s_16"]) > 0
           and any(row["line"] == "157" and row["path"].endswith("pcg.f90") for row in rows), f"{title}: CSV", table[:300])
    costs = text_of("--strong", *profiles, "--view", "costs")
    tap.ok("computation" in costs and "MPI_Allreduce" in costs and "efficiency" in costs, f"{title}: costs", costs)
    timers = scale("--strong", *profiles, "--view", "timers")
    names = [node["name"] for node in nodes(timers["root"])]
    tap.ok({"step", "barotropic_driver", "pcg iteration", "halo"} <= set(names), f"{title}: timers", names)


def check_fused(tap, title, before, after):
    document = scale("--same", before, after)
    sums = {node["line"]: node for node in nodes(document["root"])
            if node["name"] == "MPI_Allreduce" and node["file"] == "pcg.f90"}
    tap.ok(set(sums) == {FUSED, *SUMS} and all(sums[line]["costs"][1] is None and sums[line]["x_inclusive"] < 0
                                               for line in SUMS)
           and sums[FUSED]["costs"][0] is None, f"{title}: --fused has the sums no more", sums)
    text = text_of("--same", before, after)
    tap.ok("Only in A: MPI_Allreduce at pcg.f90:15" in text and "Only in B: MPI_Allreduce at pcg.f90:155" in text
           and "--fused' (B)" in text, f"{title}: and says so", text)


def check_successive(tap, title, profile, verdicts):
    """The sums follow each other; the question is asked if that was seen without much between them, and if they cost a
    hundredth of the time. Ranks that share cores can lose theirs just there, so that need not be often."""
    text = subprocess.run([jobs.FATHOM, "report", "--format", "json", profile], capture_output=True, check=True).stdout
    report = json.loads(text)
    pairs = [pair for pair in report["mpi"]["successions"]
             if (pair["first"]["line"], pair["second"]["line"]) == SUMS]
    tap.ok(len(pairs) == 1 and pairs[0]["count"] and not pairs[0]["dependent"], f"{title}: the sums follow each other", pairs)
    asked = any("MPI_Allreduce at pcg.f90:157 and :158 (" in verdict["text"] and
                verdict["text"].endswith("Can they be one?") for verdict in verdicts)
    cost_s = sum(pair["cost_s"] for pair in pairs if pair["mergeable"])
    share = cost_s / (report["job"]["wall_s"] * report["job"]["ranks"])  # about: ranks begin and end at different times
    tap.ok(share > 0.008 if asked else share < 0.012, f"{title}: whether they could be one is asked if so", verdicts, pairs)


def check_ocean(tap, mpi):
    program, as_known = build(mpi)
    tap.ok(as_known, f"{mpi.short}: the sums of the solver are where this test knows them")
    command = [program, "--steps", STEPS[mpi.name], *SMALL]
    profiles = [measure(mpi, ranks, command, "500") for ranks in (8, 2, 16, 4)]
    check_ensemble(tap, f"{mpi.short}, sampled", profiles, ["--view", "calls"])
    measured = check_ensemble(tap, f"{mpi.short}, measured", profiles, ["--view", "mpi"])
    check_successive(tap, mpi.short, profiles[2], measured["verdicts"])
    check_formats(tap, mpi.short, profiles)
    fused = [measure(mpi, ranks, command + ["--fused"], "500") for ranks in (2, 8)]
    check_fused(tap, mpi.short, profiles[0], fused[1])
    lines = lines_of(scale("--strong", *fused)["verdicts"])
    tap.ok(not {("pcg.f90", line) for line in SUMS} & lines, f"{mpi.short}: fused they are no loss", lines)
    bare = [measure(mpi, ranks, command, "off") for ranks in (2, 4)]
    document = scale("--strong", *bare)
    tap.ok(document["view"] == "mpi" and document["verdicts"], f"{mpi.short}: runs without samples are compared too")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = mpi.compile("planted", PLANTED)
        for planted in FIRST:
            check_planted(tap, mpi, program, planted)
        check_ocean(tap, mpi)
    tap.done()


main()
