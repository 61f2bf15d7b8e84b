#!/usr/bin/env python3
"""`fathom export --to ipm-xml`: read line by line, with the patterns of a reader of IPM's logs, it adds up to what the
report says: by rank, by routine, by region and by size."""
import collections
import re
import subprocess
import xml.etree.ElementTree

import jobs

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <string.h>
static double x[1000], y[1000];
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(x, y, 1 + i % 3 * 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(1, "halo x");
    for (int i = 0; i < 7 + 3 * rank; i++)
        MPI_Sendrecv(x, 10 << i % 5, MPI_DOUBLE, rank, 0, y, 1000, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1, "<inner&\">");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "<inner&\">");
    MPI_Pcontrol(-1, "halo x");
    if (argc > 1 && !strcmp(argv[1], "killed") && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
"""
RANKS = 3


def attributes(text):
    """As readers of IPM's logs take them apart."""
    return dict(part.replace('"', "").split("=", 1) for part in text.strip().split('" '))


class Task:
    def __init__(self, words):
        self.words = attributes(words)
        self.perf, self.regions, self.calls, self.labels = {}, {}, [], []
        self.switch, self.counters = None, []


def read(text):
    tasks = {}
    for line in text.splitlines():
        if match := re.match(r"<task (.*)>", line):
            task = Task(match[1])
            tasks[int(task.words["mpi_rank"])] = task
        elif match := re.match(r"<perf (.*)></perf>", line):
            task.perf = {name: float(value) for name, value in attributes(match[1]).items()}
        elif match := re.match(r'<switch bytes_tx="(.*)" bytes_rx="(.*)" > (\S+) </switch>', line):
            task.switch = (match[3], float(match[1]), float(match[2]))
        elif match := re.match(r'<hpm api="(\S+)" ncounter="(\d+)" eventset="0" gflop="(.*)" >', line):
            counters = {}
            task.counters.append((match[1], int(match[2]), float(match[3]), counters))
        elif match := re.match(r'<counter name="(\S+)" > (\d+) </counter>', line):
            counters[match[1]] = int(match[2])
        elif match := re.match(r'<region label="(\S+)" (.*)>', line):
            functions = {}
            task.labels.append(match[1])
            task.regions[match[1]] = ({k: float(v) for k, v in attributes(match[2]).items()}, functions)
        elif match := re.match(r'<func name="(.*)" count="(.*)" > (.*) </func>', line):
            functions[match[1]] = (int(match[2]), float(match[3]))
        elif match := re.match(r"<hent (.*) >(.*) (.*) (.*)</hent>", line):
            task.calls.append((attributes(match[1]), *(float(match[i]) for i in (2, 3, 4))))
    return tasks


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-8


def totals(pairs):
    count, seconds = collections.Counter(), collections.Counter()
    for name, calls, time in pairs:
        count[name] += calls
        seconds[name] += time
    return count, seconds


def agree(a, b):
    return a[0] == b[0] and all(near(a[1][name], b[1][name]) for name in {*a[1], *b[1]})


def check_resources(tap, title, tasks, report):
    """What was measured of memory, network and counters. The profile has the network by host."""
    network = report["network"]["hosts"][0]
    known = network["sent_bytes"] is not None
    wanted = ("network", network["sent_bytes"] / RANKS, network["received_bytes"] / RANKS) if known else ("unknown", 0, 0)
    tap.ok(all(task.switch[0] == wanted[0] and all(abs(a - b) <= 1e-5 * b for a, b in zip(task.switch[1:], wanted[1:]))
               for task in tasks.values()), f"{title}: the network", wanted, [task.switch for task in tasks.values()])
    memory = sum(task.perf["gbyte"] for task in tasks.values()) / RANKS * 2 ** 30
    tap.ok(abs(memory - report["memory"]["high_water_bytes"]["avg"]) < 1e-4 * memory, f"{title}: memory", memory)
    for rank, task in tasks.items():
        counts = {counter["name"]: counter["per_rank"][rank] for counter in report["counters"]["list"]}
        api = "perf_event" if counts else "DISABLED"
        tap.equal([(here[0], here[1], here[3]) for here in task.counters],
                  [(api, len(counts), counts)] + [("DISABLED", 0, {})] * (len(task.labels) - 1),
                  f"{title}, rank {rank}: the counters, once")


def check(tap, mpi):
    program = mpi.compile("ipm", PROGRAM)
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program])
    profile, = job.profiles()
    out = subprocess.run([jobs.FATHOM, "export", "--to", "ipm-xml", profile], capture_output=True, text=True, check=True).stdout
    title = mpi.short
    root = xml.etree.ElementTree.fromstring(out)
    tap.equal((root.tag, len(root)), ("ipm_job_profile", RANKS), f"{title}: XML with a task per rank")
    tasks, report = read(out), job.report()
    tap.equal(sorted(tasks), list(range(RANKS)), f"{title}: all tasks")
    routines = report["mpi"]["routines"]
    by_routine = totals((r["name"], r["calls"], r["time_s"]) for r in routines)
    functions = totals((name, *value) for task in tasks.values() for _, of in task.regions.values() for name, value in of.items())
    tap.ok(agree(functions, by_routine), f"{title}: sums over tasks and regions are those of the report", functions, by_routine)
    for rank, task in tasks.items():
        of_task = totals((name, *value) for _, of in task.regions.values() for name, value in of.items())
        hashed = totals((words["call"], int(words["count"]), time) for words, time, _, _ in task.calls)
        tap.ok(agree(of_task, hashed), f"{title}, rank {rank}: hent and func agree", of_task, hashed)
        tap.ok(all(count * least <= time * (1 + 1e-6) and time <= count * most * (1 + 1e-6) and
                   most + (count - 1) * least <= time * (1 + 1e-6)
                   for count, time, least, most in ((int(words["count"]), *times) for words, *times in task.calls)),
               f"{title}, rank {rank}: shortest and longest call are possible with this sum", task.calls)
        in_regions = totals((task.labels[int(words["region"])], int(words["count"]), time) for words, time, _, _ in task.calls)
        of_regions = totals((label, *value) for label, (_, of) in task.regions.items() for value in of.values())
        tap.ok(agree(in_regions, of_regions), f"{title}, rank {rank}: by region, too", in_regions, of_regions)
        tap.ok(near(task.perf["mtime"], sum(of_task[1].values())) and
               all(words["wtime"] >= words["mtime"] > 0 for words, _ in task.regions.values()),
               f"{title}, rank {rank}: time in MPI", task.perf, task.regions)
        tap.equal((of_task[0]["MPI_Sendrecv"], of_task[0]["MPI_Allreduce"], task.labels),
                  (7 + 3 * rank, 100, ["ipm_global", "halo_x", "halo_x/_inner__>"]),
                  f"{title}, rank {rank}: calls and regions")
        tap.ok(all(low * 0.999 <= time / int(words["count"]) <= high * 1.001 for words, time, low, high in task.calls),
               f"{title}, rank {rank}: means are between the extremes", task.calls)
    check_resources(tap, title, tasks, report)
    sizes = collections.Counter()
    for task in tasks.values():
        for words, *_ in task.calls:
            sizes[words["call"], int(words["bytes"])] += int(words["count"])
    tap.equal([sizes["MPI_Allreduce", size] for size in (8, 808, 1608)], [34 * RANKS, 33 * RANKS, 33 * RANKS],
              f"{title}: calls by size")
    killed = jobs.run(jobs.AROUND, mpi, RANKS, [program, "killed"])
    profile, = killed.profiles()
    out = subprocess.run([jobs.FATHOM, "export", "--to", "ipm-xml", profile], capture_output=True, text=True, check=True).stdout
    tap.equal(read(out)[1].words["flags"], str(1 << 26), f"{title}: a killed rank is interrupted")


jobs.check_each(check)
