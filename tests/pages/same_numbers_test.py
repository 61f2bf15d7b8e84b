"""The slices that web pages get have the numbers of `--format json`, whatever the limit of a slice."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
from jobs import BUILD, SOURCE, Tap  # noqa: E402

MAKER, SCALE_MAKER = BUILD / "tests" / "pages-slices", BUILD / "tests" / "pages-slice_scale"
TMP = pathlib.Path(os.environ["TMPDIR"])
FLAGS = {"approximate_line": 1, "inlined": 2, "parallel_body": 4, "inferred": 8, "callers_missing": 16}
ESTIMATED, BY_NAME = 32, 64


def read(folder, name):
    return json.loads((folder / (name.replace("/", "_") + ".json")).read_text())


def write(sample, limit, *slices):
    folder = TMP / f"{sample}-{limit}"
    folder.mkdir(exist_ok=True)
    subprocess.run([MAKER, "--write", sample, str(limit), folder, *slices], check=True, cwd=TMP)
    return folder


# ---- trees ----

def seconds(ns):
    return None if ns < 0 else ns / 1e9


def known(number):
    return None if number < 0 else number


def node_of(slice_, i):
    """A context of a slice in the form that the document has."""
    def text(column):
        number = slice_[column][i]
        return None if number < 0 else slice_["strings"][number]
    flags = slice_["flags"][i]
    node = {"kind": slice_["kinds"][slice_["kind"][i]], "inclusive_s": seconds(slice_["inclusive_ns"][i]),
            "exclusive_s": seconds(slice_["exclusive_ns"][i]), "line": slice_["line"][i] or None}
    node |= {key: text(key) for key in ("name", "file", "path", "module", "defined")}
    node |= {key: bool(flags & bit) for key, bit in FLAGS.items()}
    node["per_rank"] = {
        "min": seconds(slice_["min_ns"][i]), "min_rank": known(slice_["min_rank"][i]),
        "max": seconds(slice_["max_ns"][i]), "max_rank": known(slice_["max_rank"][i]),
        "avg": seconds(slice_["avg_ns"][i]), "deviation": seconds(slice_["deviation_ns"][i]),
        "estimated": bool(flags & ESTIMATED)}
    return node


def tree_of(folder, name):
    """The whole tree from its slices, and how many there were; the order of children is that of the slices."""
    nodes, children, slices = {}, {}, [name]
    for at in slices:
        slice_ = read(folder, at)
        lengths = {len(v) for k, v in slice_.items() if isinstance(v, list) and k not in ("strings", "kinds")}
        assert lengths == {len(slice_["id"])}, f"{at}: columns of different lengths"
        assert len(set(slice_["strings"])) == len(slice_["strings"]), f"{at}: a string twice"
        inside = set(slice_["id"])
        for i, node in enumerate(slice_["id"]):
            assert i or node == slice_["below"], f"{at}: does not begin with its node"
            entry = node_of(slice_, i)
            assert nodes.setdefault(node, entry) == entry, f"{at}: node {node} differs from that of another slice"
            if i:
                children.setdefault(slice_["parent"][i], []).append(node)
                assert slice_["parent"][i] in inside, f"{at}: a parent is missing"
            below = [k for k, parent in enumerate(slice_["parent"]) if parent == node and k]
            assert len(below) in (0, slice_["children"][i]), f"{at}: only some of the children of {node}"
            assert not below or below == list(range(below[0], below[0] + len(below))), f"{at}: children apart"
            if slice_["children"][i] and not below:
                slices.append(f"{name}/{node}")
        nodes[slice_["below"]]["descendants"] = slice_["descendants"][0]
    total = read(folder, name)["nodes_in_tree"]
    assert sorted(nodes) == list(range(total)), f"{name}: {len(nodes)} of {total} nodes"
    assert nodes[0]["descendants"] == total - 1
    for node in nodes.values():
        node.pop("descendants", None)
    return nodes, children, len(slices)


def flatten(document):
    """The contexts of the document in depth-first order, with the number of each one's parent."""
    flat, stack = [], [(document, -1)]
    while stack:
        node, parent = stack.pop()
        number = len(flat)
        flat.append((node, parent))
        stack += [(child, number) for child in reversed(node["children"])]
    return flat


def differences(folder, name, document):
    nodes, children, n = tree_of(folder, name)
    flat = flatten(document)
    wrong = []
    if len(flat) != len(nodes):
        wrong.append(f"{len(nodes)} nodes instead of {len(flat)}")
    for number, (wanted, parent) in enumerate(flat):
        got = nodes[number]
        for key, value in wanted.items():
            if key != "children" and got[key] != value:
                wrong.append(f"node {number}, {key}: {got[key]!r} instead of {value!r}")
        if parent >= 0 and number not in children[parent]:
            wrong.append(f"node {number} is not below {parent}")
    return wrong, n


def check_trees(tap, folder, limit):
    document = read(folder, "document")["calls"]
    for tree, key in (("calls", "root"), ("callers", "callers"), ("flat", "flat")):
        wrong, n = differences(folder, f"tree/{tree}", document[key])
        tap.ok(not wrong, f"{tree} in {n} slices with a limit of {limit} nodes is that of the document", *wrong[:10])
        head = read(folder, f"tree/{tree}")
        tap.equal({k: head.get(k) for k in document if k not in ("root", "callers", "flat")},
                  {k: v for k, v in document.items() if k not in ("root", "callers", "flat")}, f"so is the head of {tree}")


KEYS = (("calls", "root"), ("callers", "callers"), ("flat", "flat"))


def node_differences(slice_, flat):
    wrong = []
    for i, number in enumerate(slice_["id"]):
        wanted, parent = flat[number]
        got = node_of(slice_, i)
        wrong += [f"node {number}, {key}: {got[key]!r} instead of {value!r}" for key, value in wanted.items()
                  if key != "children" and got[key] != value]
        if slice_["parent"][i] != parent:
            wrong.append(f"node {number} is below {slice_['parent'][i]} instead of {parent}")
    return wrong


def ancestors(flat, number):
    above = []
    while (number := flat[number][1]) >= 0:
        above.insert(0, number)
    return above


def check_rows(tap, limit):
    """All rows in parts of three, as a table that is scrolled asks for them."""
    document = read(TMP / f"paths-{limit}", "document")["calls"]
    for tree, key in KEYS:
        flat = flatten(document[key])
        names = {first: f"tree/{tree}/rows/{first}/3" for first in range(0, len(flat), 3)}
        folder, wrong = write("paths", limit, *names.values()), []
        for first, name in names.items():
            slice_ = read(folder, name)
            n = min(3, limit or 3, len(flat) - first)
            wanted = ancestors(flat, first) + list(range(first, first + n))
            wrong += [f"{name}: {slice_['id']} instead of {wanted}"] if slice_["id"] != wanted else []
            wrong += node_differences(slice_, flat)
        tap.ok(not wrong, f"rows of {tree} with a limit of {limit} are those of the document", *wrong[:10])


def is_hit(node, text):
    text, file = text.lower(), (node["file"] or "").lower()
    place, _, line = text.rpartition(":")
    return text in node["name"].lower() or text in file or \
        bool(place and line.isdigit() and file.endswith(place) and node["line"] == int(line))


def check_found(tap, limit):
    document = read(TMP / f"paths-{limit}", "document")["calls"]
    texts = ("e", "SOLVER", "main", "MPI_", "solver.f90:8", "ean.f90:31", "nothing", ":8", "libz")
    for tree, key in KEYS:
        flat = flatten(document[key])
        names = {text: f"tree/{tree}/find/{text.encode().hex()}" for text in texts}
        folder, wrong = write("paths", limit, *names.values()), []
        for text, name in names.items():
            slice_ = read(folder, name)
            hits = {number for number, (node, _) in enumerate(flat) if number and is_hit(node, text)}
            shown = {node for node, hit in zip(slice_["id"], slice_["hit"]) if hit}
            with_ancestors = {0}.union(shown, *(ancestors(flat, hit) for hit in shown))
            least = min((flat[hit][0]["inclusive_s"] for hit in shown), default=0)
            most = max((flat[hit][0]["inclusive_s"] for hit in hits - shown), default=0)
            if slice_["hits"] != len(hits) or not shown <= hits or bool(shown) != bool(hits) or slice_["text"] != text:
                wrong.append(f"'{text}': {slice_['hits']} hits, {sorted(shown)} instead of {sorted(hits)}")
            if shown != hits and (not limit or len(shown) > 1 and len(slice_["id"]) > limit or least < most):
                wrong.append(f"'{text}': only {sorted(shown)} of {sorted(hits)}")
            if slice_["id"] != sorted(with_ancestors):
                wrong.append(f"'{text}': {slice_['id']} instead of {sorted(with_ancestors)}")
            wrong += node_differences(slice_, flat)
        tap.ok(not wrong, f"what is found in {tree} with a limit of {limit} is in the document", *wrong[:10])


def check_by_rank(tap, folder):
    """The extremes and the mean over ranks are those of the document, and their ranks."""
    document = read(folder, "document")["calls"]
    for tree, key in KEYS:
        flat, slice_, wrong = flatten(document[key]), read(folder, f"tree/{tree}/ranks"), []
        for number, most, values in zip(slice_["id"], slice_["most_ns"], slice_["thousandths"]):
            spread = flat[number][0]["per_rank"]
            seconds_ = [value * most / 1e12 for value in values]
            if seconds_.index(max(seconds_)) != spread["max_rank"] or abs(max(seconds_) - spread["max"]) > 1e-9 or \
                    abs(min(seconds_) - spread["min"]) > most / 2e12 or abs(sum(seconds_) / 4 - spread["avg"]) > most / 2e12:
                wrong.append(f"node {number}: {seconds_}, not {spread}")
        tap.ok(not wrong and len(slice_["id"]) > 10 and slice_["ranks"] == "0-3", f"values by rank of {tree}", *wrong[:10])


# ---- topology ----

FIGURES = ("messages", "bytes", "send_ns", "receive_ns", "pairs")


def pair_figures(pair):
    return (pair["messages"], pair["bytes"], round(pair["send_s"] * 1e9), round(pair["receive_s"] * 1e9), 1)


def cells_wanted(pairs, level):
    """The figures of every cell of a level, by row and column."""
    cells = {}
    for pair in pairs:
        place = pair["from"] >> level, pair["to"] >> level
        cells[place] = tuple(map(sum, zip(cells.get(place, (0,) * len(FIGURES)), pair_figures(pair))))
    return cells


def cells_of(folder, overview, level):
    cells = {}
    for row, column in overview["tiles"][level]:
        tile = read(folder, f"topology/{level}/{row}/{column}")
        assert (tile["level"], tile["row"], tile["column"]) == (level, row, column)
        assert tile["cells"] == sorted(set(tile["cells"])) and tile["cells"], "cells out of order"
        for i, cell in enumerate(tile["cells"]):
            place = row * overview["tile"] + cell // overview["tile"], column * overview["tile"] + cell % overview["tile"]
            cells[place] = tuple(tile[key][i] for key in FIGURES)
    return cells


def check_topology(tap, folder, levels):
    mpi, overview = read(folder, "document")["mpi"], read(folder, "topology")
    tap.equal(overview["levels"], levels, f"{overview['ranks']} ranks have {levels} levels of tiles")
    tap.equal(len(overview["tiles"][-1]), 1, "the last one with a single tile")
    tap.equal(overview["left_out"], mpi["topology_left_out"], "what is left out is that of the document")
    tap.equal(overview["programs"], mpi["topology_programs"], "and the traffic between programs")
    tap.equal(overview["pairs"], len(mpi["topology"]), "and the number of pairs")
    for level in range(levels):
        wanted, got = cells_wanted(mpi["topology"], level), cells_of(folder, overview, level)
        wrong = [f"{place}: {got.get(place)} instead of {wanted.get(place)}"
                 for place in sorted(wanted.keys() | got.keys()) if got.get(place) != wanted.get(place)]
        tap.ok(not wrong, f"{len(got)} cells of level {level} are sums of the document's pairs", *wrong[:10])
        times = [cell[2] + cell[3] for cell in got.values()]
        most = {"bytes": max(c[1] for c in got.values()), "messages": max(c[0] for c in got.values()), "time_ns": max(times)}
        tap.equal({key: overview["max"][key][level] for key in most}, most, f"the largest ones of level {level} are given")
        total = {"messages": sum(c[0] for c in got.values()), "bytes": sum(c[1] for c in got.values()), "time_ns": sum(times)}
        tap.equal(overview["totals"], total, f"level {level} has all of the traffic")
    files = {path.stem for path in folder.glob("topology_*.json")}
    tap.equal(len(files), sum(map(len, overview["tiles"])), "slices are named for the tiles that are listed")


# ---- sources ----

def costs_wanted(root, path):
    """Times of lines from the document's tree: with the line on the stack, and in the line itself."""
    inclusive, exclusive, stack = {}, {}, [(root, frozenset())]
    while stack:
        node, above = stack.pop()
        line = node["line"] if node["path"] == path else None
        if line and line not in above:
            inclusive[line] = inclusive.get(line, 0) + round(node["inclusive_s"] * 1e9)
        if line and node["kind"] in ("statement", "call_site"):
            exclusive[line] = exclusive.get(line, 0) + round(node["exclusive_s"] * 1e9)
        stack += [(child, above | {line}) for child in node["children"]]
    return inclusive, {line: exclusive.get(line, 0) for line in inclusive}


def flat_lines(flat, path):
    """The exclusive times of lines in the flat tree, those that have one."""
    lines, stack = {}, [flat]
    while stack:
        node = stack.pop()
        if node["kind"] in ("statement", "call_site") and node["path"] == path:
            lines[node["line"]] = lines.get(node["line"], 0) + round(node["exclusive_s"] * 1e9)
        stack += node["children"]
    return {line: ns for line, ns in lines.items() if ns}


def check_sources(tap, folder):
    calls = read(folder, "document")["calls"]
    tap.equal([file["path"] for file in read(folder, "sources")["files"]], ["solver.f90"], "one source file is there")
    source = read(folder, "sources/0")
    tap.equal(source["text"], (SOURCE / "tests/report/golden/solver.f90").read_text(), "its text is that of the file")
    inclusive, exclusive = costs_wanted(calls["root"], "solver.f90")
    costs = source["costs"]
    tap.equal(dict(zip(costs["lines"], costs["inclusive_ns"])), inclusive, "lines have the times of the call paths")
    tap.equal(dict(zip(costs["lines"], costs["exclusive_ns"])), exclusive, "and those of their own")
    tap.equal({k: v for k, v in exclusive.items() if v}, flat_lines(calls["flat"], "solver.f90"),
              "which are those of the flat tree")


# ---- comparisons of runs ----

def near(a, b):
    """Times of the document are rounded to whole ns, and those of the slice are not rounded at all."""
    return a == b or (a is not None and b is not None and abs(a - b) < 1e-6)


def scale_differences(tree, number, node):
    """A context of the document against what the columns have at a place."""
    wrong = []
    text = {key: tree["strings"][tree[key][number]] if tree[key][number] >= 0 else None
            for key in ("name", "file", "path", "module")}
    text |= {"kind": tree["kinds"][tree["kind"][number]], "line": tree["line"][number] or None}
    text["by_name"] = bool(tree["flags"][number] & BY_NAME)
    if "inlined" in node:
        text["inlined"] = bool(tree["flags"][number] & FLAGS["inlined"])
    wrong += [f"{key}: {value!r} instead of {node[key]!r}" for key, value in text.items() if node[key] != value]
    wrong += [f"{key}: {tree[key][number]} instead of {node[key]}"
              for key in ("x_inclusive", "x_exclusive", "x_inclusive_error", "x_exclusive_error")
              if not near(tree[key][number], node[key])]
    for run, cost in zip(tree["runs"], node["costs"]):
        got = run["inclusive_ns"][number], run["exclusive_ns"][number]
        wanted = (round(cost["inclusive_s"] * 1e9), round(cost["exclusive_s"] * 1e9)) if cost else (-1, -1)
        wrong += [f"costs {got} instead of {wanted}"] if got != wanted else []
    trend = tree["trend"]
    got = {key: trend[key][number] for key in ("base_s", "slope_s", "residual")}
    wrong += [f"trend: {got} instead of {node['trend']}"] if \
        trend["forms"][trend["form"][number]] != node["trend"]["form"] or \
        not all(near(got[key], node["trend"][key]) for key in got) else []
    return wrong


def check_scale(tap, view):
    folder = TMP / f"scale-{view}"
    folder.mkdir()
    subprocess.run([SCALE_MAKER, "--write", view, folder], check=True, cwd=TMP)
    document, slice_ = (json.loads((folder / name).read_text())["scale"] for name in ("document.json", "slice.json"))
    root, tree = document.pop("root"), slice_.pop("tree")
    tap.equal(slice_, document, f"a comparison of {view} is that of the document except for the tree")
    flat, wrong = flatten(root), []
    if sorted(tree["id"]) != list(range(len(flat))):
        wrong.append(f"{len(tree['id'])} nodes instead of {len(flat)}")
    for number, node in enumerate(tree["id"]):
        wrong += [f"node {node}, {what}" for what in scale_differences(tree, number, flat[node][0])]
        if tree["parent"][number] != flat[node][1]:
            wrong.append(f"node {node} is below {tree['parent'][number]} instead of {flat[node][1]}")
        if tree["inclusive_ns"][number] != max(0, tree["runs"][slice_["other"]]["inclusive_ns"][number]):
            wrong.append(f"node {node} does not have the costs of the other run")
    tap.ok(not wrong, f"whose {len(flat)} contexts are in the columns", *wrong[:10])


def main():
    tap = Tap()
    for limit in (0, 5, 1):
        check_trees(tap, write("paths", limit), limit)
        check_rows(tap, limit)
        check_found(tap, limit)
    check_by_rank(tap, TMP / "paths-0")
    unknown = write("unknown", 0)
    tap.ok(-1 in read(unknown, "tree/calls")["max_ns"], "if ranks have no shares, extremes are unknown")
    check_trees(tap, unknown, 0)
    check_topology(tap, TMP / "paths-0", 1)
    check_topology(tap, write("pairs", 0), 3)
    check_sources(tap, TMP / "paths-0")
    for view in ("calls", "callers", "flat", "mpi"):
        check_scale(tap, view)
    tap.done()


main()
