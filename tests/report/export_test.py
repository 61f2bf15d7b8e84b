"""The exports of the sample's call paths, each read by a consumer: speedscope's importer (from the npm package) for the
formats that it knows, and readers of our own. All must find the same times for each function."""
import ast
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
from jobs import BUILD, FATHOM, SOURCE, Tap  # noqa: E402

MAKER = BUILD / "tests" / "report-view_calls"
SPEEDSCOPE = "speedscope@1.25.0"
TMP = pathlib.Path(os.environ["TMPDIR"])
MS = 1000000

# name: ns of its own, and with what it calls; as sample_paths.h has them
TRUTH = {name: (own * MS, all_ * MS) for name, own, all_ in (
    ("main", 0, 32430), ("ocean::step", 7000, 28700), ("solver::pcg", 4170, 21700), ("solver::dot", 4330, 17530),
    ("MPI_Allreduce", 13200, 13200), ("refine", 2400, 2400), ("output", 30, 1330), ("deflate", 1300, 1300),
    ("[libx.so]", 60, 60), ("(outer frames unknown)", 0, 60))}
TOTAL = 32490 * MS


def sums(stacks):
    """Times of functions from (stack, ns) pairs, outermost function first; recursion counts once."""
    own, everything = collections.Counter(), collections.Counter()
    for stack, ns in stacks:
        own[stack[-1]] += ns
        for name in set(stack):
            everything[name] += ns
    return {name: (own[name], everything[name]) for name in everything}


# ---- collapsed ----

def read_collapsed(text):
    for line in text.splitlines():
        stack, _, ns = line.rpartition(" ")
        yield stack.split(";"), int(ns)


# ---- pprof ----

def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def message(data):
    """The fields of a message: {number: [values]}."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field is cut short")
        else:
            raise ValueError(f"wire type {key & 7}")
        fields[key >> 3].append(value)
    return fields


def packed(data):
    at, numbers = 0, []
    while at < len(data):
        number, at = varint(data, at)
        numbers.append(number)
    return numbers


class Pprof:
    def __init__(self, data):
        profile = message(gzip.decompress(data))
        self.strings = [text.decode() for text in profile[6]]
        self.type = [self.strings[n] for field in (1, 2) for n in message(profile[1][0])[field]]
        self.period = profile[12][0]
        functions = {f[1][0]: f for f in map(message, profile[5])}
        self.files = {self.strings[f[2][0]]: self.strings[f[4][0]] for f in functions.values()}
        mappings = {m[1][0]: self.strings[m[5][0]] for m in map(message, profile[3])}
        self.locations, self.modules = {}, {}
        for location in map(message, profile[4]):
            line = message(location[4][0])
            name = self.strings[functions[line[1][0]][2][0]]
            self.locations[location[1][0]] = (name, line[2][0])
            self.modules[name] = mappings.get(location[2][0])
        self.samples = [([self.locations[n] for n in packed(s[1][0])][::-1], packed(s[2][0]))
                        for s in map(message, profile[2])]


# ---- Hatchet ----

def read_hatchet(nodes, way=()):
    """As GraphFrame.from_literal wants it: each node has a frame with name and type, metrics, perhaps children."""
    for node in nodes:
        if set(node) != {"frame", "metrics", "children"} or set(node["metrics"]) != {"time", "time (inc)"}:
            raise ValueError(f"keys {set(node)}")
        if not isinstance(node["frame"]["name"], str) or node["frame"]["type"] != "function":
            raise ValueError(f"frame {node['frame']}")
        stack = way + (node["frame"]["name"],)
        below = sum(child["metrics"]["time (inc)"] for child in node["children"])
        if abs(node["metrics"]["time"] + below - node["metrics"]["time (inc)"]) > 1e-6:
            raise ValueError(f"{stack} does not add up")
        yield stack, round(node["metrics"]["time"] * 1e9)
        yield from read_hatchet(node["children"], stack)


# ---- speedscope ----

def find_speedscope():
    """The bundle with the importer; None, and why, when it is not to be had."""
    try:
        done = subprocess.run(
            ["npm", "install", "--prefix", str(TMP / "npm"), "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error",
             "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=20000", SPEEDSCOPE],
            capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"npm cannot fetch {SPEEDSCOPE}: {error}"
    bundles = list((TMP / "npm").glob("node_modules/speedscope/dist/release/speedscope-*.js"))
    if done.returncode or not bundles:
        return None, f"npm cannot fetch {SPEEDSCOPE}: {' '.join(done.stderr.split())[:150]}"
    return bundles[0], None


def check_speedscope(tap, files):
    names = {"collapsed": "none", "speedscope": "nanoseconds", "pprof": "nanoseconds"}
    bundle, why = find_speedscope()
    if not bundle:
        for name in names:
            tap.skip(f"speedscope reads {name}", why)
        return
    script = SOURCE / "tests" / "report" / "speedscope_import.mjs"
    for name, unit in names.items():
        done = subprocess.run(["node", str(script), str(bundle), str(files[name])], capture_output=True, text=True,
                              timeout=60, check=False)
        if not tap.ok(done.returncode == 0, f"speedscope reads {name}", done.stderr):
            continue
        read = json.loads(done.stdout)
        tap.equal({f[0]: (f[2], f[3]) for f in read["frames"]}, TRUTH, f"speedscope finds the times in {name}")
        tap.equal((read["unit"], read["total"]), (unit, TOTAL), "their unit and sum")
        if name != "collapsed":
            tap.equal({f[1] for f in read["frames"] if f[0] == "solver::dot"}, {"solver.f90"}, "and the source files")


# ---- all ----

def check_readers(tap, files):
    collapsed = files["collapsed"].read_text()
    tap.equal(sums(read_collapsed(collapsed)), TRUTH, "collapsed stacks have the times")
    tap.ok(f"main;ocean::step;solver::pcg;solver::dot;MPI_Allreduce {13200 * MS}\n" in collapsed,
           "a path of collapsed stacks", collapsed)

    pprof = Pprof(files["pprof"].read_bytes())
    stacks = [([name for name, _ in stack], values[0]) for stack, values in pprof.samples]
    tap.equal(sums(stacks), TRUTH, "pprof has the times")
    tap.equal((pprof.type, pprof.period, pprof.strings[0]), (["time", "nanoseconds"], 1000000, ""), "what they are")
    tap.ok(([("main", 14), ("ocean::step", 31), ("solver::pcg", 7), ("solver::dot", 4), ("MPI_Allreduce", 0)],
            [13200 * MS]) in pprof.samples, "lines of a path of pprof", pprof.samples)
    tap.equal((pprof.files["solver::dot"], pprof.modules["deflate"], pprof.modules["MPI_Allreduce"]),
              ("solver.f90", "/lib/libz.so.1", None), "files and load modules")

    hatchet = files["hatchet"].read_text()
    literal = ast.literal_eval(hatchet)
    tap.ok(literal == json.loads(hatchet), "Hatchet's literal is a literal of Python, and JSON")
    tap.equal(sums(read_hatchet(literal)), TRUTH, "it has the times")


def check_json(tap, files):
    calls = json.loads(files["json"].read_text())["calls"]
    tap.equal((calls["hz"], calls["samples"], calls["complete_fraction"], calls["time_s"]),
              (1000.0, 32000, 1 - 60 / 32000, 32.49), "JSON: how it was sampled")

    def nodes(node):
        yield node
        for child in node["children"]:
            yield from nodes(child)
    tap.equal({n["kind"] for n in nodes(calls["root"])}, {"root", "gap", "frame", "routine", "call_site", "statement"},
              "every node says what it is")
    dot = next(n for n in nodes(calls["root"]) if n["name"] == "solver::dot" and n["kind"] == "frame")
    tap.equal([dot[k] for k in ("file", "line", "module", "inlined", "inclusive_s", "exclusive_s")],
              ["solver.f90", 7, "miniocean", True, 17.53, 4.33], "a frame has the line that calls it")
    statement = next(n for n in nodes(dot) if n["kind"] == "statement")
    tap.equal([statement[k] for k in ("file", "line", "inclusive_s")], ["solver.f90", 3, 4.33],
              "a statement has its own")
    pcg = next(n for n in nodes(calls["root"]) if n["name"] == "solver::pcg")
    tap.equal(pcg["per_rank"], {"min": 4.9, "min_rank": 3, "max": 5.69, "max_rank": 2, "avg": 5.425,
                                "deviation": 0.310523751, "estimated": False}, "costs over ranks")
    for tree, kinds in (("callers", ("frame", "routine")), ("flat", ("frame", "routine"))):
        found = {n["name"]: (round(n["exclusive_s"] * 1e9), round(n["inclusive_s"] * 1e9))
                 for n in nodes(calls[tree]) if n["kind"] in kinds}
        wanted = {name: times for name, times in TRUTH.items() if name[0] != "("}
        tap.equal(found, wanted, f"{tree} agrees")


def check_command(tap):
    def fails(status, sentence, *words):
        done = subprocess.run([FATHOM, "export", *words], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == status and sentence in done.stderr and done.stderr.count("\n") == 1,
               f"export {' '.join(words)}: {sentence}", done)
    profile = str(TMP / "unsampled.fathom")
    subprocess.run([str(BUILD / "tests" / "report-views"), "--profile", profile], check=True)
    fails(2, "--to needs a format", profile)
    fails(2, "unknown format 'svg'; choose from collapsed, speedscope, pprof, hatchet", "--to", "svg", profile)
    fails(2, "--focus applies only to call paths, which ipm-xml does not have", "--to", "ipm-xml", "--focus", "f", profile)
    fails(2, "no profile given", "--to", "pprof")
    fails(1, "has no call paths", "--to", "pprof", profile)
    fails(1, "nowhere.fathom", "--to", "pprof", "nowhere.fathom")


def main():
    tap = Tap()
    files = {name: TMP / f"sample.{name}" for name in ("collapsed", "speedscope", "pprof", "hatchet", "json")}
    for name, file in files.items():
        subprocess.run([str(MAKER), "--write", name, str(file)], check=True)
    check_readers(tap, files)
    check_json(tap, files)
    check_command(tap)
    check_speedscope(tap, files)
    tap.done()


main()
