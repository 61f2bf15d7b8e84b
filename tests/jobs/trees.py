"""Call paths of a report: walks over its trees, and that calls, callers and flat agree to the ns."""
import collections
import csv
import io
import subprocess

import jobs


def ns(node, key):
    return round(node[key] * 1e9)


def walk(node, way=()):
    """All nodes of a tree, each with its ancestors."""
    yield node, way
    for child in node["children"]:
        yield from walk(child, way + (node,))


def is_function(node):
    return node["kind"] in ("frame", "routine")


def function(node):
    return node["kind"], node["name"], node["module"], node.get("defined")


def functions_of(root):
    """By definition: exclusive of all frames of a function, inclusive of those that are not below another one."""
    own, everything = collections.Counter(), collections.Counter()
    for node, way in walk(root):
        if is_function(node):
            own[function(node)] += ns(node, "exclusive_s")
            if not any(is_function(up) and function(up) == function(node) for up in way):
                everything[function(node)] += ns(node, "inclusive_s")
    return {key: (own[key], everything[key]) for key in everything}


def gap_ns(root):
    """Below which the outer frames are not known."""
    return sum(ns(node, "inclusive_s") for node in root["children"] if node["kind"] == "gap")


def check_agreement(tap, title, calls):
    wanted = functions_of(calls["root"])
    callers = {function(n): (ns(n, "exclusive_s"), ns(n, "inclusive_s")) for n in calls["callers"]["children"]}
    flat = {function(n): (ns(n, "exclusive_s"), ns(n, "inclusive_s")) for n, _ in walk(calls["flat"]) if is_function(n)}
    tap.equal(callers, wanted, f"{title}: callers have the times of calls")
    tap.equal(flat, wanted, f"{title}: so has flat")
    wrong = [n["name"] for n, _ in walk(calls["root"])
             if n["children"] and ns(n, "inclusive_s") != sum(ns(c, "inclusive_s") for c in n["children"])]
    tap.equal(wrong, [], f"{title}: what is below adds up")
    total = ns(calls, "time_s") - ns(calls, "left_out_s")
    tap.equal((sum(own for own, _ in wanted.values()), *(ns(calls[tree], "inclusive_s") for tree in
                                                        ("root", "callers", "flat"))), (total,) * 4,
              f"{title}: all is somewhere")


def check_csv(tap, title, profile, calls):
    """The views as CSV, all of them, have the nodes of JSON."""
    for view, tree in (("calls", "root"), ("callers", "callers"), ("flat", "flat")):
        out = subprocess.run([jobs.FATHOM, "report", "--view", view, "--format", "csv", "--all", profile],
                             capture_output=True, text=True, check=True).stdout
        rows = collections.Counter((row["kind"], row["name"], row["inclusive_s"], row["exclusive_s"])
                                   for row in csv.DictReader(io.StringIO(out)))
        nodes = collections.Counter((n["kind"], n["name"], f"{n['inclusive_s']:.9f}", f"{n['exclusive_s']:.9f}")
                                    for n, way in walk(calls[tree]) if way)
        tap.ok(rows and rows == nodes, f"{title}: {view} as CSV", [*(rows - nodes)][:5], [*(nodes - rows)][:5])
