#!/usr/bin/env python3
"""What fathom serve answers: the list of profiles, and slices with the numbers of `fathom report --format json`."""
import json
import os
import shutil
import subprocess
import time

import serving
from serving import jobs

PARTS = ("summary", "ranks", "mpi", "timers", "io", "counters", "modules", "sequence")


def report(path):
    out = subprocess.run([jobs.FATHOM, "report", path, "--format", "json"], capture_output=True, check=True)
    return json.loads(out.stdout)


def scaled(*words):
    out = subprocess.run([jobs.FATHOM, "scale", *map(str, words), "--format", "json"], capture_output=True, check=True)
    return json.loads(out.stdout)


def test_list(tap, server, folder):
    listed = subprocess.run([jobs.FATHOM, "list", folder, "--format", "json"], capture_output=True, check=True)
    wanted = {row["file"]: row for row in json.loads(listed.stdout)["profiles"]}
    got = server.document("/api/list")
    rows = {row["file"]: {k: v for k, v in row.items() if k not in ("id", "state")} for row in got["profiles"]}
    keys = ("finding", "finding_fraction", "finding_text")  # these come later
    plain = {file: {k: v for k, v in row.items() if k not in keys} for file, row in rows.items()}
    tap.equal(plain, {file: {k: v for k, v in row.items() if k not in keys} for file, row in wanted.items()},
              "the list is that of fathom list")
    first = {file: [row[key] for key in keys] for file, row in wanted.items()}
    seen = {}
    limit = time.monotonic() + serving.LIMIT_S
    while seen != first and time.monotonic() < limit:
        seen = {row["file"]: [row[key] for key in keys] for row in server.document("/api/list")["profiles"]}
    tap.equal(seen, first, "with the first findings")
    tap.ok(all(row["state"] == "ready" for row in got["profiles"]) and got["jobs"] == [] and got["fathom"] == 1, "all are ready", got)
    started = [row["started"] for row in got["profiles"]]
    tap.equal(started, sorted(started, reverse=True), "newest first")
    ids = [row["id"] for row in got["profiles"]]
    tap.ok(len(set(ids)) == len(wanted) and all(len(i) == 16 and int(i, 16) >= 0 for i in ids), "each has an identity", ids)


def test_slices(tap, server, folder):
    for name, row in sorted(server.profiles().items()):
        whole = report(folder / name)
        base = f"/api/profile/{row['id']}"
        got = {part: server.document(f"{base}/{part}") for part in PARTS}
        tap.ok(all(slice_["fathom"] == 1 for slice_ in got.values()), f"{name}: all slices are there")
        for part in ("mpi", "timers", "io", "counters", "modules", "sequence"):
            wanted = whole[part]
            if part == "mpi":  # what grows with the number of ranks is in other slices
                wanted = {key: value for key, value in wanted.items() if not key.startswith("topology") and key != "balance"}
            tap.ok(got[part][part] == wanted, f"{name}: {part} is that of the report")
        tap.ok(got["summary"]["job"]["ranks"] == whole["job"]["ranks"] and
               got["summary"]["job"]["wall_s"] == whole["job"]["wall_s"] and
               got["summary"]["efficiency"] == whole["efficiency"] and
               got["summary"]["findings"] == whole["findings"], f"{name}: so is the summary")
        columns = got["ranks"]["processes"]
        tap.equal([[columns[key][i] for key in ("rank", "pid", "mpi_s", "wall_s")] for i in range(len(columns["rank"]))],
                  [[p[key] for key in ("rank", "pid", "mpi_s", "wall_s")] for p in whole["processes"]],
                  f"{name}: so are the ranks")


def test_trees(tap, server):
    """Rows and hits of the first tree; tests/pages/same_numbers_test.py compares their figures with the document."""
    known = server.profiles()["whole-openmpi.fathom"]["id"]
    base = f"/api/profile/{known}/tree/calls"
    whole = server.document(base)
    names = {number: whole["strings"][name] for number, name in zip(whole["id"], whole["name"])}
    tap.equal(len(names), whole["nodes_in_tree"], "a small tree comes at once")
    rows = server.document(f"{base}/rows/3/4")
    tap.equal({n: rows["strings"][name] for n, name in zip(rows["id"], rows["name"])},
              {n: names[n] for n in rows["id"]}, "rows are nodes of the tree")
    tap.equal(rows["id"][-4:], [3, 4, 5, 6], "those that were asked for")
    found = server.document(f"{base}/find/{'mpi_'.encode().hex()}")
    tap.equal([n for n, hit in zip(found["id"], found["hit"]) if hit],
              [n for n in sorted(names) if n and "mpi_" in names[n].lower()], "a search finds nodes by name")
    ranks = server.document(f"{base}/ranks")
    tap.ok(set(ranks["id"]) <= set(names) and len(ranks["id"]) == len(ranks["thousandths"]), "values of ranks", ranks)
    for wrong in ("rows/3", "rows/99999999/1", "find/", "find/zz", f"find/{'61' * 101}", "find/../x", f"find/{'61' * 400}"):
        tap.equal(server.ask(f"{base}/{wrong}").status, 404, f"there is no {wrong[:30]}")


def test_caching(tap, server):
    known = next(iter(server.profiles().values()))["id"]
    path = f"/api/profile/{known}/mpi"
    plain = server.ask(path)
    packed = server.ask(path, headers=["Accept-Encoding: br, gzip, deflate"])
    tap.ok("content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip" and
           packed.body == plain.body and len(packed.raw) < len(plain.raw) / 2, "compressed for those who can read it", packed)
    tap.ok(plain.headers["etag"] != packed.headers["etag"] and packed.headers["vary"] == "Accept-Encoding" and
           packed.headers["cache-control"] == "private, no-cache", "both forms have a tag, and may be kept by the client")
    for accepted, wanted in {"gzip;q=0": None, "identity": None, "gzip;q=0.5": "gzip", "*": "gzip", "xgzip": None,
                             "deflate , GZIP ;q=1": "gzip", "": None}.items():
        got = server.ask(path, headers=[f"Accept-Encoding: {accepted}"])
        tap.equal(got.headers.get("content-encoding"), wanted, f"Accept-Encoding: {accepted}")
    for tag in (packed.headers["etag"], plain.headers["etag"], f'"x", {packed.headers["etag"]}'):
        got = server.ask(path, headers=["Accept-Encoding: gzip", f"If-None-Match: {tag}"])
        tap.ok(got.status == 304 and not got.raw, "what the client has is not sent again", got)
    got = server.ask(path, headers=['If-None-Match: "something else"'])
    tap.equal(got.status, 200, "another tag is no reason")
    got = server.ask(path, token=None, headers=[f"If-None-Match: {packed.headers['etag']}"])
    tap.equal(got.status, 403, "nor does a tag replace the token")
    head = server.ask(path, method="HEAD")
    tap.ok(head.headers["content-length"] == plain.headers["content-length"] and head.headers["etag"] == plain.headers["etag"],
           "HEAD says how long it is")
    tags = [server.ask(f"/api/profile/{row['id']}/{part}").headers["etag"] for row in server.profiles().values() for part in PARTS]
    tap.equal(len(set(tags)), len(tags), "each slice of each profile has its own tag")


def without_tree(document):
    """The tree is in columns here (tests/pages/same_numbers_test.py compares it)."""
    return {**document, "scale": {key: value for key, value in document["scale"].items() if key not in ("root", "tree")}}


def test_scale(tap, server, folder):
    rows = server.profiles()
    names = ("plain-openmpi.fathom", "whole-openmpi.fathom")
    ids = [rows[name]["id"] for name in names]
    wanted = scaled("--same", *(folder / name for name in names))
    for comma in (",", "%2C"):
        got = server.document(f"/api/scale?mode=same&profiles={comma.join(ids)}")
        tap.equal(without_tree(got), without_tree(wanted), f"a comparison, with {comma}")
        tap.equal(len(got["scale"]["tree"]["id"]) > 1, True, "with its tree in columns")
    for view in ("mpi", "efficiency"):
        tap.equal(without_tree(server.document(f"/api/scale?mode=same&view={view}&profiles={','.join(ids)}")),
                  without_tree(scaled("--same", *(folder / name for name in names), "--view", view)), f"the view {view}")
    got = server.ask(f"/api/scale?mode=strong&profiles={','.join(ids)}")
    tap.ok(got.status == 422 and "ranks" in got.json()["error"], "runs that cannot be compared say why", got)
    tap.equal(server.ask(f"/api/scale?mode=same&view=nothing&profiles={','.join(ids)}").status, 400, "no such view")


def test_changes(tap, server, folder):
    """Files come, change and go while the server runs."""
    def until(condition):
        while not condition(rows := server.profiles()):
            pass
        return rows

    first = server.profiles()
    shutil.copy(folder / "plain-mpich.fathom", folder / "new.fathom")
    rows = until(lambda rows: "new.fathom" in rows)
    tap.ok(rows["new.fathom"]["state"] == "ready" and rows["new.fathom"]["id"] not in [row["id"] for row in first.values()],
           "a new profile appears", rows)
    shutil.copy(folder / "plain-openmpi.fathom", folder / "new.fathom")
    old = rows["new.fathom"]["id"]
    got = server.ask(f"/api/profile/{old}/summary")
    tap.ok(got.status in (404, 422), "one that has changed is not taken for what it was", got)
    rows = until(lambda rows: rows["new.fathom"]["id"] != old)
    tap.equal(rows["new.fathom"]["mpi"], first["plain-openmpi.fathom"]["mpi"], "but is another profile")
    tap.equal(server.ask(f"/api/profile/{old}/summary").status, 404, "and the first is gone")
    (folder / "new.fathom").write_bytes(b"FATHOM?" * 100)
    rows = until(lambda rows: rows["new.fathom"]["state"] == "failed")
    tap.ok("new.fathom" in rows["new.fathom"]["error"], "a damaged one says what is wrong", rows["new.fathom"])
    got = server.ask(f"/api/profile/{rows['new.fathom']['id']}/summary")
    tap.ok(got.status == 422 and "new.fathom" in got.json()["error"], "so does a slice of it", got)
    shutil.copy(folder / "plain-mpich.fathom", folder / "new.fathom")
    rows = until(lambda rows: rows["new.fathom"]["state"] == "ready")
    (folder / "new.fathom").unlink()
    os.mkfifo(folder / "new.fathom")
    got = server.ask(f"/api/profile/{rows['new.fathom']['id']}/mpi")
    tap.ok(got.status in (404, 422), "a pipe in the place of a profile is not read", got)
    until(lambda rows: "new.fathom" not in rows)
    (folder / "new.fathom").unlink()
    tap.equal(sorted(server.profiles()), sorted(first), "one that was removed is gone")


def test_places(tap, folder):
    below = folder / "below"
    below.mkdir()
    shutil.copy(folder / "plain-mpich.fathom", below / "deep.fathom")
    with serving.Server(folder) as server:
        tap.ok("deep.fathom" not in server.profiles(), "directories below are left out")
    with serving.Server(folder, "--recursive") as server:
        tap.ok("deep.fathom" in server.profiles(), "unless asked for")
    with serving.Server(folder / "plain-mpich.fathom", folder / "plain-mpich.fathom", below) as server:
        tap.equal(sorted(server.profiles()), ["deep.fathom", "plain-mpich.fathom"], "files and directories, each once")
    with serving.Server(cwd=below) as server:
        tap.equal([row["file"] for row in server.profiles().values()], ["deep.fathom"], "without a place: this directory")


def main():
    tap = jobs.Tap()
    folder = serving.old_profiles()
    with serving.Server(folder) as server:
        test_list(tap, server, folder)
        test_slices(tap, server, folder)
        test_trees(tap, server)
        test_caching(tap, server)
        test_scale(tap, server, folder)
        test_changes(tap, server, folder)
        tap.equal((server.end(), server.process.stderr.read()), (0, ""), "the server ends well")
    test_places(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
