# SPDX-License-Identifier: BSD-3-Clause
"""Reports as web pages, in a browser: how large they are, how soon they answer, and how smoothly large ones move; and how
soon the server answers."""
import gzip
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time

import common

os.environ["FATHOM_BUILD"] = str(common.BUILD)
sys.path.insert(0, str(common.SOURCE / "tests" / "web"))
import web  # noqa: E402

GOAL_BYTES, GOAL_OPEN_MS, GOAL_BUNDLE_BYTES, GOAL_FRAMES, GOAL_ANSWER_MS = 1_500_000, 1000, 350_000, 30, 20
RANKS, MATRIX_RANKS, CLIENTS = 1000, 65_536, 200
CONTEXTS = 680_000  # 1,000,000 nodes of functions and lines
SLICES = ("summary", "ranks", "mpi", "timers", "modules", "io", "counters", "tree/calls", "topology", "topology/0/0/0")
SOURCES, FUNCTIONS_EACH = 20, 1000  # together LARGE_PATHS_FUNCTIONS
FUNCTION_BYTES = 16
LIMIT_S = 1500


# ---- profiles ----

def module():
    """A library with the functions of the large tree, and their address: names and lines are looked up as usual."""
    folder = common.MADE / "web-module"
    folder.mkdir(exist_ok=True)
    sources = []
    for i in range(SOURCES):
        sources.append(folder / f"physics_{i}.s")
        sources[-1].write_text(".text\n.p2align 4\n" + "".join(
            f".type ocean_physics_{i}_step_{k},@function\nocean_physics_{i}_step_{k}:\nnop\nnop\nnop\n.p2align 4\n"
            f".size ocean_physics_{i}_step_{k},{FUNCTION_BYTES}\n" for k in range(FUNCTIONS_EACH)), encoding="utf8")
    library = folder / "libphysics.so"
    subprocess.run(["cc", "-g", "-shared", "-nostdlib", "-o", library, *sources], check=True, cwd=folder)
    names = subprocess.run(["nm", library], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return library, next(int(line.split()[0], 16) for line in names if line.endswith(" ocean_physics_0_step_0"))


def profiles(small):
    """Of a job with everything, of one with very many ranks, and of one with a very large tree."""
    program = common.tool_program("web_profile")
    ranks, matrix, nodes = (50, 2048, 20_000) if small else (RANKS, MATRIX_RANKS, CONTEXTS)
    folder = common.MADE / "web"
    folder.mkdir(exist_ok=True)
    library, start = module()
    made = {}
    for name, words in {"job": ("usual", ranks, 200, 6, 400, 40, 12), "matrix": ("exact", matrix, 20, 10, 0, 0, 0),
                        "tree": ("exact", 8, 20, 4, 0, 0, 0, nodes, library, start + 4, FUNCTION_BYTES)}.items():
        made[name] = folder / f"{name}.fathom"
        common.run([program, made[name], *words])
    return made, ranks, matrix


def page(profile):
    """The address of the report in one file."""
    html = profile.with_suffix(".html")
    common.run([common.FATHOM, "report", profile, "--format", "html", "-o", html])
    return f"file://{html}"


# ---- in the browser ----

def drive(tasks):
    """What web.mjs has measured."""
    plan = common.MADE / "web" / "plan.json"
    plan.write_text(json.dumps(tasks), encoding="utf8")
    done = subprocess.run(["node", common.SOURCE / "bench" / "web.mjs", plan], env=web.environment(),
                          stdout=subprocess.PIPE, timeout=LIMIT_S, check=True)
    return json.loads(done.stdout)


def opened(figures, ranks):
    if "error" in figures:
        common.goal(False, f"the report of {ranks:,} ranks: {figures['error']}")
        return
    both = [a + b for a, b in zip(figures["overview_ms"], figures["answer_ms"])]
    common.goal(statistics.median(both) <= GOAL_OPEN_MS,
                f"the report of {ranks:,} ranks: interactive after {statistics.median(both):.0f} ms, {min(both):.0f} to "
                f"{max(both):.0f} in {len(both)} runs, of which the click on a tab "
                f"{statistics.median(figures['answer_ms']):.0f} (goal {GOAL_OPEN_MS} ms)")


def moved(name, figures, ways):
    """A row for each way of moving."""
    rows = []
    for way in ways:
        f = figures[way]
        rows.append([f"{name}, {way}", f"{f['per_second']:.1f}", f["late"], f"{f['longest_ms']:.0f} ms", f["inputs"]])
    return rows


def smooth(found):
    """A table of all that moves, and a goal for each."""
    rows, goals = [], []
    for name, figures in found.items():
        if "error" in figures:
            goals.append((False, f"{name}: {figures['error']}"))
            continue
        ways = [way for way in ("scrolling", "zooming", "panning") if way in figures]
        rows += moved(name, figures, ways)
        for way in ways:
            goals.append((figures[way]["per_second"] >= GOAL_FRAMES,
                          f"{name}, {way}: {figures[way]['per_second']:.0f} frames a second (goal {GOAL_FRAMES})"))
    common.table(["moving", "frames/s", "over 50 ms", "longest", "inputs"], rows)
    for name, figures in found.items():
        if "rows" in figures:
            print(f"  {name}: {figures['rows']:,} of {figures['nodes']:,} nodes expanded in {figures['expand_ms'] / 1000:.1f} s, "
                  f"rows are there {figures['fill_ms']} ms after scrolling")
        if "open_ms" in figures:
            print(f"  {name}: the view is there after {figures['open_ms'] / 1000:.1f} s")
    print()
    for met, text in goals:
        common.goal(met, text)


# ---- the server ----

def ask(connection, server, path):
    """Status and bytes of one answer."""
    connection.request("GET", f"/{path}", headers={"Authorization": f"Bearer {server.token}", "Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    return answer.status, len(answer.read())


def connect(server):
    return http.client.HTTPConnection(server.at.split("/")[2], timeout=60)


def warm(server, path):
    """Waits until the profile has been read and the answer is in the cache."""
    connection = connect(server)
    limit = time.monotonic() + LIMIT_S
    while ask(connection, server, path)[0] == 202:
        if time.monotonic() > limit:
            sys.exit("bench: the server does not finish reading a profile.")
        time.sleep(0.1)
    connection.close()


def overview_times(server, path, times):
    connection = connect(server)
    found = []
    for _ in range(times):
        start = time.perf_counter()
        ask(connection, server, path)
        found.append(1000 * (time.perf_counter() - start))
    connection.close()
    return sorted(found)


def errors_of_many(server, base, rounds):
    """All are connected before the first one asks; who is told to ask again (202) does. Returns errors, answers, how many asked
    again, and seconds."""
    connections = [connect(server) for _ in range(CLIENTS)]
    for connection in connections:
        connection.connect()
    errors, answers, again, lock = [], [0], [0], threading.Lock()

    def client(number):
        for i in range(rounds * len(SLICES)):
            try:
                path = f"{base}/{SLICES[(number + i) % len(SLICES)]}"
                while (status := ask(connections[number], server, path)[0]) == 202 and time.perf_counter() - start < LIMIT_S:
                    with lock:
                        again[0] += 1
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
            with lock:
                answers[0] += 1
                if status != 200:
                    errors.append(status)

    threads = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    for connection in connections:
        connection.close()
    return errors, answers[0], again[0], seconds


def answers(server, profile, small):
    """Goals of the server."""
    base = f"api/profile/{server.ids()[profile.name]}"
    warm(server, f"{base}/summary")
    times = overview_times(server, f"{base}/summary", 50 if small else 1000)
    late = times[int(0.99 * (len(times) - 1))]
    common.goal(statistics.median(times) <= GOAL_ANSWER_MS,
                f"the server answers the overview from its cache in {statistics.median(times):.2f} ms, 99 % of the times in "
                f"{late:.2f} ms (goal {GOAL_ANSWER_MS} ms)")
    errors, number, again, seconds = errors_of_many(server, base, 1 if small else 5)
    common.goal(not errors, f"{CLIENTS} clients at once: {len(errors)} errors in {number:,} answers, {again:,} times asked again, "
                            f"{seconds:.1f} s"
                            f"{f', the first is {errors[0]}' if errors else ''} (goal 0)")


# ---- all ----

def bundle_files():
    """Of a release, or as built here; none if this fathom has no pages."""
    for folder in (common.SOURCE / "web" / "bundle", common.BUILD / "web"):
        files = [folder / name for name in ("app.js", "app.css")]
        if all(file.exists() for file in files):
            return files
    return []


def missing():
    """What is not here to measure with, or ''."""
    if not bundle_files():
        return "the web pages, which were not built"
    return next((name for name in ("node", "npm", "chromium") if not shutil.which(name)), "")


def main(quick):
    common.heading("Reports as web pages")
    if missing():
        print(f"  unsure  nothing is measured without {missing()}", flush=True)
        return
    web.install()
    made, ranks, matrix = profiles(common.trial)
    bundle = sum(len(gzip.compress(file.read_bytes(), 9)) for file in bundle_files())
    common.goal(bundle <= GOAL_BUNDLE_BYTES, f"the bundle: {bundle / 1000:.0f} kB compressed (goal {GOAL_BUNDLE_BYTES / 1000:.0f} kB)")
    files = {name: page(profile) for name, profile in made.items()}
    size = made["job"].with_suffix(".html").stat().st_size
    common.goal(size <= GOAL_BYTES, f"the report of {ranks:,} ranks: {size / 1e6:.2f} MB (goal {GOAL_BYTES / 1e6:.1f} MB)")
    seconds = 0.5 if common.trial else 2 if quick else 5
    with web.Server(*made.values()) as server:
        answers(server, made["job"], quick)
        ids = server.ids()
        kinds = {"matrix": ("topology", f"topology of {matrix:,} ranks"), "tree": ("tree", "large tree")}
        tasks = [{"name": "open", "kind": "open", "address": files["job"], "runs": 1 if common.trial else 3 if quick else 9}]
        for profile, (kind, name) in kinds.items():
            warm(server, f"api/profile/{ids[made[profile].name]}/summary")
            tasks += [{"name": f"{name}, one file", "kind": kind, "address": files[profile]},
                      {"name": f"{name}, served", "kind": kind, "enter": server.enter,
                       "address": f"{server.at}#/profile/{ids[made[profile].name]}"}]
        found = drive([{"seconds": seconds, **task} for task in tasks])
    print()
    opened(found.pop("open"), ranks)
    smooth(found)
