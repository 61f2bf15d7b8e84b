#!/usr/bin/env python3
"""Modules of the ocean model: work, transfer and waiting are those of the call paths, to the ns and at every level; none of
the time in MPI is work; a wait planted in the halo exchange is found in the modules above it and in no other; pictures and
comparisons of runs are whole."""
import collections
import csv
import fnmatch
import io
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import jobs
import planted
from trees import ns, walk

RANKS, STEPS = 4, 4
MAP = planted.MODULES
SVG = "{http://www.w3.org/2000/svg}"

def report(*words):
    return subprocess.run([jobs.FATHOM, *map(str, words)], capture_output=True, text=True, check=False)


# ---- the judge: modules from the call paths in JSON, by the map's own lines ----

class Map:
    def __init__(self, path):
        self.rules = []
        self.waiting = None
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            words = line.partition("#")[0].split()
            if words and words[0] == "module":
                self.rules += [(words[2], pattern, words[1]) for pattern in words[3:]]
            elif words and words[0] == "waiting":
                self.waiting = words[1:]

    def module(self, node):
        """Of a frame or routine."""
        texts = {"file": pathlib.Path(node.get("defined") or "").name, "function": node["name"],
                 "library": node["module"] or ""}
        for kind, pattern, module in self.rules:
            if texts[kind] and fnmatch.fnmatchcase(texts[kind], pattern):
                return module
        return "mpi" if node["kind"] == "routine" else "(unmapped)"

    def waits(self, node):
        return any(fnmatch.fnmatchcase(node["name"], pattern) for pattern in self.waiting)


def is_helper(way):
    """Of a thread that MPI has for itself."""
    return len(way) > 1 and re.match(r"lib(mpi|open-|pmix|event|uc[pst])", way[1]["module"] or "") is not None


def in_mpi(stack, chain):
    return chain[-1:] == ("mpi",) or any(node["kind"] == "routine" or (node["module"] or "").startswith("libmpi")
                                         for node in stack)


def judged(calls, modules):
    """For each chain of modules: all time below it, what of it is in MPI, and what certainly is waiting; and what is left
    out."""
    times, mpi, waits = collections.Counter(), collections.Counter(), collections.Counter()
    left_out = 0
    for leaf, way in walk(calls["root"]):
        if leaf["kind"] not in ("statement", "routine", "call_site"):
            continue
        if is_helper(way):
            left_out += ns(leaf, "exclusive_s")
            continue
        chain = ()
        stack = [node for node in (*way, leaf) if node["kind"] in ("frame", "routine")]
        for node in stack:
            module = modules.module(node)
            if chain[-1:] != (module,):
                chain += (module,)
        for length in range(len(chain) + 1):
            times[chain[:length]] += ns(leaf, "exclusive_s")
            if in_mpi(stack, chain):
                mpi[chain[:length]] += ns(leaf, "exclusive_s")
            if any(modules.waits(node) for node in stack):
                waits[chain[:length]] += ns(leaf, "exclusive_s")
    return times, mpi, waits, left_out


def time_of(node):
    return ns(node, "work_s") + ns(node, "transfer_s") + ns(node, "waiting_s")


def told(tree):
    """The same from the report's own tree of modules."""
    times, mpi, waits = {}, collections.Counter(), collections.Counter()
    for node, way in walk(tree):
        chain = tuple(up["name"] for up in (*way[1:], node)) if way else ()
        times[chain] = time_of(node)
        if ns(node, "mpi_s"):
            mpi[chain] = ns(node, "mpi_s")
        certain = ns(node, "waiting_s") - ns(node, "waiting_estimated_s")
        if certain:
            waits[chain] = certain
    return times, mpi, waits


def check_sums(tap, title, document, modules):
    times, mpi, waits, left_out = judged(document["calls"], modules)
    of_tree, mpi_of_tree, waits_of_tree = told(document["modules"]["tree"])
    tap.equal(of_tree, {chain: time for chain, time in times.items() if chain in of_tree or time},
              f"{title}: work, transfer and waiting are the time, at every level")
    tap.equal(mpi_of_tree, mpi, f"{title}: time in MPI is that of its routines and libraries")
    tap.equal(waits_of_tree, waits, f"{title}: waiting is what the map says")
    entries = document["modules"]["list"]
    tap.equal(ns(document["modules"], "left_out_s"), left_out, f"{title}: threads of MPI itself are left out")
    total = ns(document["calls"], "time_s") - left_out
    bad = [m for m in entries if m["name"] == "mpi" and (m["work_s"] or not m["transfer_s"])]
    tap.equal(bad, [], f"{title}: none of it is work")
    tap.equal((sum(time_of(m) for m in entries), sum(ns(m, "causes_waiting_s") for m in entries)),
              (total, sum(ns(m, "waiting_s") for m in entries)), f"{title}: modules add up to the whole, and causes of waiting")


def check_colours(tap, profiles):
    """A module has one colour: in the list and in the sequence, and with a module file in every run."""
    seen = {}
    for profile in profiles:
        for options in ([], ["--modules", MAP]):
            document = json.loads(report("report", profile, *options, "--format", "json").stdout)
            in_list = {m["name"]: m["colour"] for m in document["modules"]["list"]}
            in_sequence = {m["name"]: m["colour"] for m in document["sequence"]["modules"]}
            tap.equal({name: in_list[name] for name in in_sequence}, in_sequence,
                      f"the list has the colours of the sequence{' with a module file' if options else ''}")
            own = [colour for colour in in_sequence.values() if colour != 11]
            tap.ok(own and len(set(own)) == len(own) and all(0 <= colour < 12 for colour in in_list.values()),
                   "modules with a colour of their own differ", in_sequence)
            for name, colour in in_sequence.items() if options else ():
                seen.setdefault(name, set()).add(colour)
    tap.equal({name: colours for name, colours in seen.items() if len(colours) > 1}, {},
              "the same in every run")


def check_planted(tap, title, profile):
    """Only the planted function waits: whoever is above it is in brackets, all others are not."""
    path = jobs.SCRATCH / "planted.txt"
    path.write_text(MAP.read_text(encoding="utf-8") + "waiting *planted_wait\n", encoding="utf-8")
    document = json.loads(report("report", profile, "--modules", path, "--inside-mpi", "--format", "json").stdout)
    check_sums(tap, f"{title}, planted", document, Map(path))
    _, _, waits = told(document["modules"]["tree"])
    ways = {("driver", "halo"), ("driver", "barotropic", "halo"), ("driver", "barotropic", "solver", "halo")}
    tap.equal(set(waits), {way[:n] for way in ways for n in range(len(way) + 1)},
              f"{title}: a wait in the halo exchange is bracketed on exactly the modules above it")


# ---- pictures ----

def check_svg(tap, title, text, needed):
    path = jobs.SCRATCH / "picture.svg"
    path.write_text(text, encoding="utf-8")
    lint = subprocess.run(["xmllint", "--noout", "--nonet", str(path)], capture_output=True, text=True, check=False)
    if not tap.ok(lint.returncode == 0 and not lint.stderr, f"{title}: SVG is XML", lint.stderr, text[:400]):
        return None
    root = ElementTree.fromstring(text)
    words = {node.text for node in root.iter(SVG + "text")}
    tap.ok(root.tag == SVG + "svg" and needed <= words, f"{title}: its text is text", needed - words)
    rendered = subprocess.run(["rsvg-convert", str(path), "-o", str(path.with_suffix(".png"))], capture_output=True,
                              text=True, check=False)
    tap.ok(rendered.returncode == 0 and not rendered.stderr, f"{title}: it can be drawn", rendered.stderr)
    return root


def boxes(root):
    """Text, place and border of every node."""
    for group in root.iter(SVG + "g"):
        rect = group.find(SVG + "rect")
        if rect is not None:
            texts = [text.text for text in group.iter(SVG + "text")]
            yield texts, [float(rect.get(key)) for key in ("x", "y", "width", "height")], rect.get("stroke")


def check_layout(tap, title, root):
    places = [place for _, place, _ in boxes(root)]
    met = [(a, b) for i, a in enumerate(places) for b in places[i + 1:]
           if a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]]
    width, height = float(root.get("width")), float(root.get("height"))
    outside = [p for p in places if min(p) < 0 or p[0] + p[2] > width or p[1] + p[3] > height]
    tap.ok(len(places) > 5 and not met and not outside, f"{title}: {len(places)} nodes stand apart", met, outside)


def check_pictures(tap, title, profile):
    options = ["report", profile, "--modules", MAP]
    root = check_svg(tap, f"{title}, modules", report(*options, "--format", "svg").stdout, {"solver", "halo", "mpi"})
    if root is not None:
        check_layout(tap, f"{title}, modules", root)
        marked = {texts[1].partition("[")[2] != "" for texts, _, stroke in boxes(root) if stroke == "#d55e00"}
        others = {"[" in texts[1] for texts, _, stroke in boxes(root) if stroke != "#d55e00"}
        tap.equal((marked, others), ({True}, {False}), f"{title}: what waits is in brackets, and highlighted")
    root = check_svg(tap, f"{title}, calls", report("report", profile, "--view", "calls", "--format", "svg").stdout,
                     {"main", "pcg::pcg_solve", "halo::halo_exchange"})
    if root is not None:
        check_layout(tap, f"{title}, calls", root)
    for view in ("modules", "calls"):
        dot = report("report", profile, "--view", view, "--format", "dot")
        drawn = subprocess.run(["dot", "-Tsvg"], input=dot.stdout, capture_output=True, text=True, check=False)
        nodes = len(re.findall(r"^  n\d+ \[", dot.stdout, re.MULTILINE))
        tap.ok(drawn.returncode == 0 and not drawn.stderr and drawn.stdout.count('class="node"') == nodes > 5,
               f"{title}: graphviz draws {nodes} nodes of {view}", drawn.stderr)


# ---- other forms ----

def check_forms(tap, title, profile, document):
    text = report("report", profile, "--modules", MAP)
    lines = text.stdout.splitlines()
    tap.ok(text.returncode == 0 and not text.stderr and max(map(len, lines)) <= 108 and len(lines) <= 90,
           f"{title}: the text", text.stdout, text.stderr)
    tap.ok(not re.search(r"(?<![\d.,])0(\.0)? (ns|s|%)", text.stdout), f"{title}: it says nothing of nothing", text.stdout)
    rows = list(csv.DictReader(io.StringIO(report("report", profile, "--modules", MAP, "--format", "csv").stdout)))
    times = ("work_s", "transfer_s", "waiting_s", "waiting_estimated_s", "mpi_s")
    tap.equal([(row["module"], row["group"], *(row[key] for key in times)) for row in rows],
              [(m["name"], m["group"] or "", *(f"{m[key]:.9f}" for key in times)) for m in document["modules"]["list"]],
              f"{title}: CSV has the list of JSON")
    tap.ok(abs(sum(float(row["waiting_share"]) for row in rows) - 1) < 1e-4, f"{title}: shares of the waiting are all of it")
    bad = jobs.SCRATCH / "bad.txt"
    bad.write_text("module ocean file a.f90\nmodule ice files b.f90\n", encoding="utf-8")
    done = report("report", profile, "--modules", bad)
    tap.ok(done.returncode == 1 and f"{bad}:2: expected file, function or library, not 'files'" in done.stderr
           and not done.stdout, f"{title}: a bad line is told of", done)


def check_compare(tap, profiles):
    """Two runs, given in the wrong order."""
    options = ["modules", "compare", *reversed(profiles), "--modules", MAP]
    single = [json.loads(report("report", p, "--modules", MAP, "--format", "json").stdout) for p in profiles]
    document = json.loads(report(*options, "--format", "json").stdout)
    tap.equal([(run["ranks"], run["wall_s"]) for run in document["runs"]],
              [(d["job"]["ranks"], d["job"]["wall_s"]) for d in single], "compare: by ranks, with the run time")
    keys = ("work_s", "transfer_s", "waiting_s", "mpi_s", "causes_waiting_s")
    for i, wanted in enumerate(single):
        got = {m["name"]: [m["runs"][i][key] for key in keys] for m in document["modules"]}
        tap.equal({name: costs for name, costs in got.items() if any(costs)},
                  {m["name"]: [m[key] for key in keys] for m in wanted["modules"]["list"] if any(m[key] for key in keys)},
                  f"compare: run {i} has what its own report has")
        tap.ok(abs(sum(m["runs"][i]["waiting_share"] for m in document["modules"]) - 1) < 1e-4,
               f"compare: run {i}: shares of the waiting are all of it")
    rows = list(csv.DictReader(io.StringIO(report(*options, "--format", "csv").stdout)))
    tap.equal({(row["module"], int(row["ranks"])): float(row["work_s"]) for row in rows},
              {(m["name"], run["ranks"]): m["runs"][i]["work_s"] for m in document["modules"]
               for i, run in enumerate(document["runs"])}, "compare: CSV has the same")
    text = report(*options)
    tap.ok(text.returncode == 0 and max(map(len, text.stdout.splitlines())) <= 108 and "run time" in text.stdout,
           "compare: text", text.stdout, text.stderr)
    check_svg(tap, "compare", report(*options, "--format", "svg").stdout, {"run time", "solver", "transfer", "waiting", "2", "4"})
    one = report("modules", "compare", profiles[0])
    tap.ok(one.returncode == 2 and "at least two profiles" in one.stderr, "compare: one run is none to compare", one)


def check_advice(tap, profiles):
    """Where to run, told from the costs of the runs."""
    for words, grows in (((), False), (("--weak",), True)):
        options = ["modules", "compare", *profiles, "--modules", MAP, *words]
        document = json.loads(report(*options, "--format", "json").stdout)
        runs = [(run["ranks"], time_of(run)) for run in document["runs"]]
        efficiency = [runs[0][1] / all_s * (ranks / runs[0][0] if grows else 1) for ranks, all_s in runs]
        enough = [i for i in range(len(runs)) if min(efficiency[:i + 1]) >= 0.8]
        where = document["where_to_run"]
        tap.equal((where["ranks"], where["threshold"]), (runs[enough[-1]][0], 0.8), f"where to run {words}: {efficiency}")
        text = report(*options).stdout
        end = "0.80 or more in all runs" if len(enough) == len(runs) else f"below 0.80 beyond {where['ranks']} rank"
        tap.ok(f"Efficiency is {end}" in text, f"where to run {words}, in words", text)
    two = json.loads(report("modules", "compare", *profiles[:2], "--format", "json").stdout)
    same = json.loads(report("modules", "compare", *profiles, profiles[0], "--format", "json").stdout)
    tap.ok(two["where_to_run"] is same["where_to_run"] is None, "where to run: not from two runs, nor from equal ones")


def main():
    tap = jobs.Tap()
    profiles = []
    for mpi in jobs.MPIS:
        program = planted.ocean(mpi)
        for ranks in (1, 2, RANKS) if mpi is jobs.MPIS[0] else (RANKS,):
            job = jobs.run(jobs.AROUND, mpi, ranks, [program, "--steps", STEPS, "--grid", "192x144", "--levels", 16],
                           env={"FATHOM_SAMPLE": "1000"})
            if not tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{mpi.short}: the model runs", job):
                tap.done()
            profiles += job.profiles()
        title, profile = mpi.short, profiles[-1]
        whole = jobs.SCRATCH / "whole.txt"
        whole.write_text(MAP.read_text(encoding="utf-8") + "waiting MPI_Wait* MPI_Recv MPI_Barrier\n", encoding="utf-8")
        check_sums(tap, title, json.loads(report("report", profile, "--modules", whole, "--inside-mpi", "--format", "json").stdout),
                   Map(whole))
        check_planted(tap, title, profile)
        check_pictures(tap, title, profile)
        check_forms(tap, title, profile,
                    json.loads(report("report", profile, "--modules", MAP, "--format", "json").stdout))
    check_colours(tap, profiles[:3])
    check_compare(tap, profiles[1:3])
    check_advice(tap, profiles[:3])
    tap.done()


main()
