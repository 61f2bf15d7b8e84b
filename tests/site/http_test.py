#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fathom serve --site: its numbers, and who gets them; on SQLite and on PostgreSQL."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
for folder in ("tests/jobs", "tests/http", "tests/site", "tests/site/store"):
    sys.path.insert(0, str(SOURCE / folder))
import jobs  # noqa: E402
import log_lines  # noqa: E402
import openmetrics  # noqa: E402
import postgres  # noqa: E402
from daemons import wait_for  # noqa: E402
from serving import receive  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="site-http-", dir=os.environ.get("TMPDIR")))
FROM, TO = "2026-01-01", "2026-04-01"
ANN, BOB, STAFF = "user001", "user002", "helpdesk"
TAGS = "tag = large: ranks_from=256\ntag = mpi: mpi_from=0.3 state=complete\n"


def fathom(*words, **more):
    return subprocess.run([str(BUILD / "fathom"), "site", *map(str, words)], capture_output=True, text=True, cwd=WORK,
                          check=False, **more)


def query(store, sql):
    return json.loads(fathom("query", sql, "--store", store, "--format", "json").stdout)


class Server:
    """`with Server(store, "key = value"...)`: a server of a site, on any port that is free or on a socket."""

    def __init__(self, store, configuration, *words):
        self.store = store
        config = WORK / "site.conf"
        config.write_text(f"database = {store}\nhttp_port = 0\nprocessors = 4096\n{configuration}\n", encoding="utf-8")
        self.errors = open(WORK / "errors", "w+", encoding="utf-8")
        self.process = subprocess.Popen([str(BUILD / "fathom"), "serve", "--site", "--config", str(config), *words],
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=WORK)
        line = self.process.stdout.readline()
        place = line.rsplit(" ", 1)[-1].strip()
        self.port = int(place.rsplit(":", 1)[1].strip("/")) if place.startswith("http") else None
        self.path = place if place.startswith("/") else None

    def __enter__(self):
        assert self.port or self.path, self.said()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.status = self.process.wait(60)
        self.process.stdout.close()
        self.errors.close()

    def said(self):
        self.errors.flush()
        return (WORK / "errors").read_text(encoding="utf-8")

    def ask(self, path, *headers, method="GET", host=None, user=None, token=None):
        """user: in the proxy's header; token: as Bearer."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or (f'127.0.0.1:{self.port}' if self.port else 'localhost')}", *headers]
        lines += [f"X-Remote-User: {user}"] if user is not None else []
        lines += [f"Authorization: Bearer {token}"] if token else []
        if self.path:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(60)
            connection.connect(self.path)
        else:
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        with connection, connection.makefile("rb") as stream:
            connection.sendall("\r\n".join([*lines, "", ""]).encode("utf-8"))
            return receive(stream, method == "HEAD")

    def document(self, path, **who):
        while (response := self.ask(path, **who)).status == 202:
            pass
        assert response.status == 200, (path, who, response)
        return response.json()

    def post(self, path, **who):
        return self.ask(path, f"Origin: http://127.0.0.1:{self.port}", "Content-Length: 0", method="POST", **who)


HEADER = "http_user_header = X-Remote-User\nhttp_trusted = user:root\n" + f"staff = {STAFF} @nobodys\n"


def near(a, b):
    return a is not None and b is not None and abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


def all_jobs(server, words="", **who):
    found, after = [], ""
    while True:
        page = server.document(f"/api/site/jobs?limit=200{words}{after}", **who)
        found += page["jobs"]
        if not page["next"]:
            return found
        after = "&after=" + urllib.parse.quote(page["next"])


def members_of_a_job():
    """Of the list, as documented."""
    text = (SOURCE / "doc/API.md").read_text(encoding="utf-8")
    listed = text.split("A job in the list has ", 1)[1].split(". ", 1)[0]
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", listed)))


def check_numbers(tap, name, server, store):
    """What the database itself says."""
    me, mine = server.document("/api/site/me", user=STAFF), server.document("/api/site/me", user=ANN)
    jobs_of = {row["user_name"]: row["n"] for row in query(store, "SELECT user_name, COUNT(*) AS n FROM jobs GROUP BY user_name")}
    tap.ok(me["staff"] and me["known_by"] == "proxy" and me["jobs"] == sum(jobs_of.values()) and set(me["users"]) == set(jobs_of) and
           me["processors"] == 4096 and "refused" in me, f"{name}: who asks, of the staff", me)
    tap.ok(not mine["staff"] and mine["jobs"] == jobs_of[ANN] and mine["users"] == [ANN] and "refused" not in mine and
           mine["reference"]["parallel"]["percentile"] is not None, f"{name}: a user", mine)
    tap.ok(mine["programs"] == [row["program"] for row in query(
        store, f"SELECT program, SUM(cpu_s) AS c FROM jobs WHERE user_name = '{ANN}' GROUP BY program ORDER BY c DESC")],
        f"{name}: programs of a user", mine["programs"])
    listed = all_jobs(server, user=ANN)
    tap.ok(len(listed) == jobs_of[ANN] == len({job["id"] for job in listed}) and
           listed == sorted(listed, key=lambda job: (-job["ended_at"], -job["id"])), f"{name}: all jobs, page by page", len(listed))
    tap.equal(set(listed[0]), members_of_a_job(), f"{name}: a line of it has the members that API.md has")
    row = query(store, f"SELECT * FROM jobs WHERE id = {listed[7]['id']}")[0]
    tap.ok(all(near(row[key], listed[7][key]) for key in ("cpu_s", "wall_s", "ranks", "wasted_s", "mpi_fraction", "parallel",
                                                          "weight", "uid")) and row["key"] == listed[7]["key"] and
           near(listed[7]["io_fraction"], row["io_s"] / row["cpu_s"]) and
           near(listed[7]["fp_rate"], row["fp_instructions"] / row["counted_s"]), f"{name}: a line of it", row, listed[7])
    filtered = all_jobs(server, "&ranks_from=64&mpi_from=0.3&state=complete&order=wasted", user=STAFF)
    ids = [row["id"] for row in query(store, "SELECT id FROM jobs WHERE ranks >= 64 AND mpi_fraction >= 0.3 AND complete = 1 "
                                             "ORDER BY wasted_s DESC, id DESC")]
    tap.ok(ids and [job["id"] for job in filtered] == ids, f"{name}: filtered and sorted", len(ids), len(filtered))
    counted = server.document("/api/site/jobs?limit=1&count=1&ranks_from=64", user=STAFF)
    tap.ok(counted["exact"] and counted["count"] == query(store, "SELECT COUNT(*) AS n FROM jobs WHERE ranks >= 64")[0]["n"],
           f"{name}: counted", counted)
    by_rule = all_jobs(server, "&rule=imbalance", user=ANN)
    rows = query(store, f"SELECT COUNT(DISTINCT j.id) AS n FROM jobs j JOIN findings f ON f.job = j.id WHERE f.rule = 'imbalance' AND j.user_name = '{ANN}'")
    tap.ok(len(by_rule) == rows[0]["n"] > 0, f"{name}: by finding", rows, len(by_rule))

    job = server.document(f"/api/site/job/{listed[0]['id']}", user=ANN)
    tap.ok(job["job"] == listed[0] and job["record"]["job"]["key"] == listed[0]["key"] and
           job["reference"]["parallel"]["better"] == "high" and job["reference"]["mpi_fraction"]["site"]["n"] == len(jobs_of),
           f"{name}: a job", job)
    report = fathom("report", "--store", store, "--from", FROM, "--to", TO, "--format", "json", "--processors", 4096)
    summary = server.document(f"/api/site/summary?from={FROM}&to={TO}", user=STAFF)
    tap.ok(summary == json.loads(report.stdout), f"{name}: the summary is that of the report")
    of_ann = fathom("report", "--store", store, "--from", FROM, "--to", TO, "--format", "json", "--processors", 4096,
                    "--user", ANN)
    tap.ok(server.document(f"/api/site/summary?from={FROM}&to={TO}", user=ANN) == json.loads(of_ann.stdout),
           f"{name}: of a user")
    summary_of_ann = server.document(f"/api/site/summary?from={FROM}&to={TO}", user=ANN)["site"]
    tap.ok(summary["site"]["hosts"] and summary_of_ann["hosts"] == [] and summary_of_ann["routines"],
           f"{name}: nothing of it is a sum of the jobs of all users", summary_of_ann["hosts"][:2])
    totals = summary["site"]["totals"]
    only = json.loads(fathom("report", "--store", store, "--from", FROM, "--to", TO, "--format", "json", "--processors", 4096,
                             "--table", "users_by_rate").stdout)["site"]
    rated = [user for user in summary["site"]["users"] if user["instruction_rate_m"]]
    tap.ok(only["users_by_rate"] == summary["site"]["users_by_rate"] == [
        {key: user[key] for key in only["users_by_rate"][0]} for user in sorted(rated, key=lambda user: -user["instruction_rate_m"])],
        f"{name}: users by their rate of instructions", only["users_by_rate"][:2])
    tap.ok(only["totals"] == totals and totals["users"] == len(jobs_of) and
           totals["programs"] == query(store, "SELECT COUNT(DISTINCT program) AS n FROM jobs")[0]["n"] and
           totals["routines"] == query(store, "SELECT COUNT(DISTINCT routine) AS n FROM routines_by_day")[0]["n"],
           f"{name}: users, programs and routines are counted", totals)
    for by in ("user", "program", "ranks", "language"):
        load = server.document(f"/api/site/load?by={by}&from={FROM}&to={TO}", user=STAFF)
        sums = [sum(sum(series[key]) for series in load["series"]) for key in ("cpu_s", "mpi_s", "wasted_s")]
        tap.ok(near(sums[0], totals["cpu_s"]) and near(sums[1], totals["mpi_s"]) and near(sums[2], totals["wasted_s"]) and
               len(load["days"]) == 91 and load["step"] == "day" and len(load["series"]) <= 12, f"{name}: load by {by}", sums, totals)
    months = server.document("/api/site/load?by=routine&from=2026-01-01&to=2026-06-30", user=STAFF)
    tap.ok(months["step"] == "month" and months["days"][:2] == ["2026-01-01", "2026-02-01"] and
           near(sum(sum(series["time_s"]) for series in months["series"]),
                query(store, "SELECT SUM(time_us) / 1e6 AS s FROM month_routines")[0]["s"]), f"{name}: load by routine", months)
    program = server.document(f"/api/site/program?program={mine['programs'][0]}", user=ANN)
    tap.ok([user["user"] for user in program["users"]] == [ANN] and
           len(program["runs"]) == min(400, program["users"][0]["jobs"]) and
           [run["ended_at"] for run in program["runs"]] == sorted(run["ended_at"] for run in program["runs"]) and
           [step["ranks"] for step in program["scaling"]] == sorted({run["ranks"] for run in program["runs"]}) and
           program["scaling"][0]["routines"] and program["routines"], f"{name}: a program", program)
    tap.ok(server.document("/api/site/insights", user=STAFF)["insights"] == [], f"{name}: nothing was analysed yet")


def check_tags(tap, name, server, store):
    listed = all_jobs(server, user=ANN)
    mine, others = listed[0], all_jobs(server, f"&user={BOB}", user=STAFF)[0]
    path = f"/api/site/job/{mine['id']}/"
    expected = [tag for tag, fits in (("large", mine["ranks"] >= 256), ("mpi", mine["mpi_fraction"] >= 0.3 and mine["complete"])) if fits]
    tap.ok(mine["tags"] == expected, f"{name}: tags by rule", mine)
    large = all_jobs(server, "&tag=large", user=STAFF)
    tap.ok({job["id"] for job in large} == {row["id"] for row in query(store, "SELECT id FROM jobs WHERE ranks >= 256")} and
           all("large" in job["tags"] for job in large), f"{name}: as a filter", len(large))
    given = server.post(path + "tag?tag=" + urllib.parse.quote("für später"), user=ANN)
    tagged = all_jobs(server, "&tag=" + urllib.parse.quote("für später"), user=ANN)
    tap.ok(given.status == 200 and [job["id"] for job in tagged] == [mine["id"]] and "für später" in tagged[0]["tags"],
           f"{name}: a tag by hand", given, tagged)
    tap.ok(all_jobs(server, "&tag=" + urllib.parse.quote("für später"), user=BOB) == [] and
           "für später" not in server.document("/api/site/me", user=BOB)["tags"] and
           "für später" in server.document("/api/site/me", user=ANN)["tags"], f"{name}: that others do not see")
    wrong = [server.post(path + "tag?tag=" + tag, user=ANN).status for tag in
             ("", "%0a", "%E2%80%AEx", "%ff", "x" * 41, "%20a", "large")] + [server.post(path + "tag", user=ANN).status]
    tap.ok(wrong == [400] * 8, f"{name}: what is no tag", wrong)
    many = [server.post(path + f"tag?tag=t{i}", user=ANN).status for i in range(20)]
    tap.ok(many == [200] * 19 + [400], f"{name}: at most 20", many)
    again = server.post(path + "tag?tag=t3", user=ANN)
    tap.ok(again.status == 200 and len(again.json()["tags"]) == 20, f"{name}: the same again is no other")
    for i in range(20):
        server.post(path + f"untag?tag=t{i}", user=ANN)
    tap.ok(server.document(f"/api/site/job/{mine['id']}", user=ANN)["job"]["tags"] == ["für später"] + expected,
           f"{name}: taken away")
    none = server.post("/api/site/job/999999999/tag?tag=a", user=ANN)
    foreign = server.post(f"/api/site/job/{others['id']}/tag?tag=a", user=ANN)
    tap.ok(foreign.status == none.status == 404 and foreign.body == none.body and
           query(store, f"SELECT COUNT(*) AS n FROM tags WHERE job = {others['id']}")[0]["n"] == 0,
           f"{name}: somebody else's job gets none", foreign, none)
    tap.ok(server.post(f"/api/site/job/{others['id']}/tag?tag=a", user=STAFF).status == 200, f"{name}: but of the staff")
    tap.ok(server.ask(path + "tag?tag=get", user=ANN).status == 405 and
           server.ask(path + "tag?tag=cross", "Origin: http://evil.example", "Content-Length: 0", method="POST", user=ANN).status == 403 and
           server.ask(path + "tag?tag=none", "Content-Length: 0", method="POST", user=ANN).status == 403,
           f"{name}: only by a page of this server")


def check_rights(tap, name, server, store):
    theirs = all_jobs(server, f"&user={BOB}", user=STAFF)
    tap.ok(theirs and all(job["user"] == BOB for job in theirs), f"{name}: the staff see others")
    missing, job = server.ask("/api/site/job/999999999", user=ANN), theirs[0]["id"]
    same = [server.ask(path, user=ANN) for path in
            (f"/api/site/job/{job}", f"/api/site/profile/{job}/summary", f"/api/site/program?program={theirs[0]['program']}",
             f"/api/site/program?program={theirs[0]['program']}&user={BOB}", "/api/site/program?program=nothing", "/api/else")]
    tap.ok(all(one.status == 404 and one.body == missing.body for one in [missing, *same]),
           f"{name}: what is somebody else's is not there", same)
    tap.ok(server.document(f"/api/site/jobs?user={BOB}", user=ANN)["jobs"] == [] and
           server.document(f"/api/site/summary?user={BOB}&from={FROM}&to={TO}", user=ANN)["site"]["totals"]["jobs"] in (0, None) and
           server.document(f"/api/site/load?user={BOB}&from={FROM}&to={TO}", user=ANN)["series"] == [] and
           server.document(f"/api/site/insights?user={BOB}", user=ANN)["insights"] == [], f"{name}: nor in lists and sums")
    hosts = query(store, f"SELECT h.host FROM hosts h JOIN jobs j ON j.id = h.job WHERE j.user_name = '{BOB}' LIMIT 1")
    tap.ok(all(one["user"] == ANN for one in all_jobs(server, f"&host={hosts[0]['host']}", user=ANN)), f"{name}: nor by host")
    nobody = [server.ask(path) for path in ("/api/site/me", "/api/site/jobs", f"/api/site/job/{job}", "/metrics")]
    tap.ok([one.status for one in nobody] == [401, 401, 401, 403], f"{name}: nobody gets nothing", nobody)
    page = server.ask("/")
    tap.ok(page.status == 200 and b'data-source="site"' in page.body and "script-src 'self'" in page.headers["content-security-policy"],
           f"{name}: but the page", page)
    tap.ok(server.ask("/api/site/me", "X-Remote-User: " + STAFF, user=ANN).status == 400, f"{name}: a header twice")
    tap.ok(server.ask("/api/site/me", user="a b").status == 400 and server.ask("/api/site/me", user="x" * 300).status == 400,
           f"{name}: a header without a name")
    tap.ok(server.ask("/api/site/me", user=ANN, host="evil.example").status == 403 and
           server.ask("/api/site/me", "Sec-Fetch-Site: cross-site", user=ANN).status == 403 and
           server.ask("/api/site/me", "Origin: http://evil.example", user=ANN).status == 403, f"{name}: other hosts and pages")


def check_hostile(tap, name, server, store):
    before = query(store, "SELECT COUNT(*) AS n FROM jobs")[0]["n"]
    sql = urllib.parse.quote("x' OR 1=1; DROP TABLE jobs; --")
    answers = {}
    for key in ("user", "program", "account", "partition", "host", "rule", "tag"):
        answers[key] = server.document(f"/api/site/jobs?{key}={sql}", user=STAFF)["jobs"]
    tap.ok(not any(answers.values()), f"{name}: SQL in a text is a text", answers)
    for key in ("ranks_from", "ranks_to", "from", "to", "state", "mpi_from", "order", "up", "limit", "after", "count"):
        answers[key] = server.ask(f"/api/site/jobs?{key}={sql}", user=STAFF).status
    for path in (f"load?by={sql}", f"load?from={sql}", f"summary?to={sql}"):
        answers[path] = server.ask(f"/api/site/{path}", user=STAFF).status
    tap.ok({status for status in answers.values() if status != []} == {400}, f"{name}: elsewhere it is wrong", answers)
    odd = [server.ask("/api/site/jobs?" + words, user=ANN).status for words in
           ("usr=a", "user=a&user=b", "user=%00", "user=%c3", "user=%ED%A0%80", "user=%zz", "limit=0", "limit=201", "limit=-1", "mpi_from=nan",
            "from=2026-02-30", "after=v:nan:1", "after=" + "9" * 64, "ranks_from=99999999999999999999", "up=yes")]
    tap.ok(odd == [400] * 15, f"{name}: wrong words", odd)
    paths = [server.ask(path, user=STAFF).status for path in
             ("/api/site/profile/../../etc/passwd", "/api/site/profile/1/..%2f..%2fetc%2fpasswd", "/api/site/job/1/../2",
              "/api/site/job/-1", "/api/site/job/01", "/api/site/job/1e3", "/api/site/job/99999999999999999999", "/../etc/passwd",
              "/assets/../secret", "/api/list", "/api/site/profile/1/../../x")]
    tap.ok(set(paths) == {404}, f"{name}: paths that are none", paths)
    tap.ok(server.ask("/api/site/jobs?user=" + "a" * 3000, user=ANN).status == 414 and
           server.ask("/api/site/jobs?user=" + "a" * 1900, user=ANN).status in (200, 414), f"{name}: long addresses")
    tap.ok(server.ask("/api/site/jobs", "Content-Length: 5", user=ANN).status == 400 and
           server.ask("/api/site/jobs", "Content-Length: 0", "Content-Length: 40", user=ANN).status == 400 and
           server.ask("/api/site/me", method="DELETE", user=ANN).status == 405, f"{name}: bodies and methods")
    tap.ok(query(store, "SELECT COUNT(*) AS n FROM jobs")[0]["n"] == before, f"{name}: nothing is lost")


def check_metrics(tap, name, server, store):
    """Those of the jobs, and what ingest did."""
    log = WORK / 'metrics "\\.log'
    old = {"job": {"key": "e" * 32, "started": "2026-01-02T00:00:00Z", "ended": "2026-01-02T00:01:00Z"}, "fathom": 1}
    records = [json.loads(json.dumps(old).replace("e" * 32, f"{number:032x}")) for number in range(1, 4)]
    lines = [line for record in records for line in log_lines.lines(4711, record)]
    whole = log_lines.chunks(json.dumps(records[0]).replace(f"{1:032x}", f"{9:032x}"), 80)
    log.write_text("".join(lines) + lines[0] + "no line of a log\n" + log_lines.line(4711, whole[0]), encoding="utf-8")
    before = openmetrics.read(server.ask("/metrics", user=STAFF).body.decode())
    begun = int(time.time())
    made = [fathom("ingest", log, "--store", store) for _ in range(2)]
    answer = server.ask("/metrics", user=STAFF)
    found = openmetrics.read(answer.body.decode())
    sums = query(store, "SELECT COUNT(*) AS n, SUM(cpu_s) AS c, SUM(wasted_s) AS w FROM jobs")[0]
    tap.ok(answer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8" and
           found["fathom_jobs_total", ()] == sums["n"] and near(found["fathom_cpu_seconds_total", ()], sums["c"]) and
           near(found["fathom_wasted_seconds_total", ()], sums["w"]) and
           found["fathom_http_requests_total", (("code", "404"),)] > 5, f"{name}: metrics", found, sums)

    def grown(metric, *label):
        return found.get((metric, label), 0) - before.get((metric, label), 0)

    outcomes = [grown("fathom_records_total", ("outcome", outcome)) for outcome in ("added", "known", "replaced", "old")]
    tap.ok(outcomes == [3, 1, 0, 0] and found["fathom_records_total", (("outcome", "added"),)] == sums["n"] and
           grown("fathom_records_refused_total", ("reason", "malformed")) == 1,
           f"{name}: what became of the records that ingest read", outcomes, made, found)
    source = ("source", f"log:{log.resolve()}")
    tap.ok(found["fathom_ingest_waiting_records", (source,)] == 1 and
           begun <= found["fathom_ingest_timestamp_seconds", (source,)] <= time.time(),
           f"{name}: how many records are incomplete, and when a source was last read", found)
    time.sleep(1.1)
    again = int(time.time())
    fathom("ingest", log, "--store", store)
    found = openmetrics.read(server.ask("/metrics", user=STAFF).body.decode())
    tap.ok(found["fathom_ingest_timestamp_seconds", (source,)] >= again and
           found["fathom_records_total", (("outcome", "added"),)] == sums["n"], f"{name}: also if there was nothing new", found)
    tap.ok(server.ask("/metrics", user=ANN).status == 403, f"{name}: not for users")


def check_engine(tap, name, store):
    fathom("init", "--no-spool", "--store", store)
    made = fathom("simulate", "--store", store, "--jobs", 3000, "--users", 12, "--programs", 24)
    assert made.returncode == 0, made
    with Server(store, HEADER + TAGS) as server:
        check_numbers(tap, name, server, store)
        check_tags(tap, name, server, store)
        check_rights(tap, name, server, store)
        check_hostile(tap, name, server, store)
        check_metrics(tap, name, server, store)
        me = server.document("/api/site/me", user=STAFF)
        fathom("simulate", "--store", store, "--jobs", 200, "--users", 12, "--programs", 24, "--seed", 9)
        tap.ok(server.document("/api/site/me", user=STAFF)["jobs"] == me["jobs"] + 200, f"{name}: new jobs are counted at once")
    tap.ok(server.status == 0, f"{name}: it ends well", server.status)
    delete = fathom("thin", "--store", store, "--keep-days", 1)
    left = query(store, "SELECT (SELECT COUNT(*) FROM jobs) AS jobs, (SELECT COUNT(*) FROM tags) AS tags")[0]
    tap.ok(left == {"jobs": 0, "tags": 0}, f"{name}: tags go with their jobs", delete, left)


def check_tokens(tap, store):
    tokens = WORK / "tokens"
    ann = fathom("token", ANN, "--tokens", tokens).stdout.strip()
    staff = fathom("token", "boss", "--staff", "--tokens", tokens).stdout.strip()
    tap.ok(len(ann) == 48 and tokens.stat().st_mode & 0o777 == 0o600 and ann not in tokens.read_text(encoding="utf-8"),
           "a token is made, and its hash kept", ann)
    with Server(store, "", "--tokens", str(tokens)) as server:
        tap.ok(server.document("/api/site/me", token=ann)["user"] == ANN and not server.document("/api/site/me", token=ann)["staff"] and
               server.document("/api/site/me", token=staff)["staff"], "tokens say who asks")
        refused = [server.ask("/api/site/me"), server.ask("/api/site/me", token=ann[:-1] + "x"), server.ask("/api/site/me", user=ANN),
                   server.ask("/api/site/me", "Authorization: Basic abc")]
        tap.ok(all(one.status == 401 and one.headers["www-authenticate"] == "Bearer" for one in refused),
               "others are asked for one; a header means nothing", refused)
        wrong = server.ask("/api/site/login", f"Origin: http://127.0.0.1:{server.port}", "Content-Length: 0", method="POST", token="0" * 48)
        given = server.post("/api/site/login", token=ann)
        cookie = given.headers.get("set-cookie", "")
        tap.ok(wrong.status == 401 and given.status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie,
               "a login gives a cookie", wrong, given)
        known = server.ask("/api/site/me", "Cookie: " + cookie.split(";")[0])
        tap.ok(known.status == 200 and known.json()["user"] == ANN, "with which the page asks", known)
        bare = server.ask("/api/site/job/1/tag?tag=a", "Cookie: " + cookie.split(";")[0], "Content-Length: 0", method="POST")
        tap.ok(bare.status == 403, "a cookie alone changes nothing: the page must be known", bare)
        signed_in = "Cookie: " + cookie.split(";")[0]
        foreign = [server.ask("/api/site/logout", signed_in, *words, "Content-Length: 0", method=method) for method, *words in
                   (("POST",), ("POST", "Origin: https://elsewhere.example"), ("GET",))]
        tap.ok([one.status for one in foreign] == [403, 403, 405] and not any("set-cookie" in one.headers for one in foreign),
               "pages of others cannot sign out a user", foreign)
        out = [server.ask("/api/site/logout", given, f"Origin: http://127.0.0.1:{server.port}", "Content-Length: 0", method="POST")
               for given in (signed_in, "Cookie: fathom-site=of-a-token-that-was-removed")]
        tap.ok(all(one.status == 200 and one.headers["set-cookie"].startswith("fathom-site=; HttpOnly;") and
                   "Max-Age=0" in one.headers["set-cookie"] for one in out), "signing out takes the cookie away", out)
        tap.ok(known.json()["known_by"] == "token", "the page knows that there is something to sign out of", known)
        tap.ok(server.ask("/metrics", token=staff).status == 200 and server.ask("/metrics", token=ann).status == 403, "metrics for the staff")
        text = tokens.read_text(encoding="utf-8").splitlines()
        tokens.write_text("# only one\n" + text[1] + "\n", encoding="utf-8")
        tap.ok(server.ask("/api/site/me", token=ann).status == 401 and server.ask("/api/site/me", token=staff).status == 200,
               "a token that is taken back is none at once")
    tokens.write_text("bob " + "b" * 20, encoding="utf-8")
    fathom("token", ANN, "--tokens", tokens)
    tap.ok([line.split()[0] for line in tokens.read_text(encoding="utf-8").splitlines()] == ["bob", ANN],
           "a last line without an end is not spoilt", tokens.read_text(encoding="utf-8"))
    for mode, content, why in ((0o644, "", "other users can read"), (0o600, "ann short\n", "at least 16"), (0o600, "ann\n", "user token")):
        tokens.write_text(content, encoding="utf-8")
        tokens.chmod(mode)
        failed = subprocess.run([str(BUILD / "fathom"), "serve", "--site", store, "--config", "/dev/null", "--tokens", str(tokens)], capture_output=True, text=True,
                                check=False, cwd=WORK)
        tap.ok(failed.returncode == 1 and why in failed.stderr, f"'{why}' is said at the start", failed)


def check_ways(tap, store):
    """Where a header is not believed, and users of this host."""
    with Server(store, "http_user_header = X-Remote-User\nhttp_trusted = 10.0.0.0/8 user:nobody\n") as server:
        forged, without = server.ask("/api/site/me", user=STAFF), server.ask("/api/site/me")
        tap.ok(forged.status == 403 and without.status == 403, "a header from elsewhere is refused", forged, without)
    for words, why in ((HEADER + "http_tokens = tokens", "not by both"), ("http_user_header = X-Remote-User", "http_trusted"),
                       ("http_user_header = X-Remote-User\nhttp_trusted = 127.0.0.1", "user:NAME"), ("http_address = 0.0.0.0", "127.0.0.1"),
                       ("tag = x: colour=red", "colour"), ("tag = x", "NAME"), ("hash_names = on\nhash_key = /nowhere", "hash_names")):
        (WORK / "wrong.conf").write_text(f"database = {store}\n{words}\n", encoding="utf-8")
        failed = subprocess.run([str(BUILD / "fathom"), "serve", "--site", "--config", "wrong.conf"], capture_output=True, text=True,
                                check=False, cwd=WORK)
        tap.ok(failed.returncode == 1 and why in failed.stderr and failed.stderr.count("\n") == 1, f"'{words[-30:]!r}' is refused", failed)
    with Server(store, "") as server:
        me = server.document("/api/site/me")
        tap.ok(me["user"] == "root" and me["staff"], "without tokens and a header: the user of the connection", me)
        script = ("import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); "
                  "s.sendall(f'GET /api/site/me HTTP/1.0\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\nX-Remote-User: root\\r\\n\\r\\n'.encode()); "
                  "print(s.makefile().read())")
        nobody = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, str(server.port)],
                                capture_output=True, text=True, check=False)
        tap.ok('"user": "nobody"' in nobody.stdout and '"staff": false' in nobody.stdout and '"jobs": 0' in nobody.stdout,
               "another user sees own jobs", nobody)
    path = str(WORK / "socket")
    with Server(store, HEADER, "--socket", path) as server:
        tap.ok(server.document("/api/site/me", user=ANN)["user"] == ANN, "a header on a unix socket")


def check_locked(tap, store):
    """Somebody else writes to the database for long."""
    with Server(store, HEADER) as server:
        lock = sqlite3.connect(store, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(10)]
        for number, connection in enumerate(waiting):
            connection.sendall((f"POST /api/site/job/1/tag?tag=waits{number} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                                f"Origin: http://127.0.0.1:{server.port}\r\nX-Remote-User: {STAFF}\r\n\r\n").encode())
        read = wait_for(lambda: server.ask("/api/site/jobs", user=ANN).status == 200, 20)
        lock.execute("ROLLBACK")
        lock.close()
        given = wait_for(lambda: query(store, "SELECT COUNT(*) AS n FROM tags WHERE tag LIKE 'waits%'")[0]["n"] == 10)
        tap.ok(read and given, "tags that wait for the database keep nobody from reading", read, given)
        for connection in waiting:
            connection.close()


def check_restart(tap, store):
    """PostgreSQL goes away and comes back."""
    folder = store.split("host=", 1)[1]

    def control(*words):
        subprocess.run([*postgres.unprivileged(), str(postgres.programs() / "pg_ctl"), "-D", f"{folder}/data", "-w", *words],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)

    with Server(store, HEADER) as server:
        tap.ok(server.ask("/api/site/jobs", user=STAFF).status == 200, "PostgreSQL answers")
        control("stop", "-m", "fast")
        gone = [server.ask("/api/site/jobs", user=STAFF) for _ in range(3)]
        tap.ok(all(one.status == 503 and "database" in one.json()["error"] and folder not in str(one) for one in gone) and
               len(server.said().splitlines()) == 1, "without it: one sentence", gone, server.said())
        control("start", "-l", f"{folder}/again", "-o", f"-k {folder} -c listen_addresses= -c fsync=off")
        try:
            tap.ok(server.ask("/api/site/jobs", user=STAFF).status == 200, "and again when it is back")
            control("restart", "-m", "fast")
            tap.ok(server.ask("/api/site/jobs", user=STAFF).status == 200, "restarted in between: nobody notices")
        finally:
            control("stop", "-m", "fast")


def check_kept(tap):
    """A kept profile, of its owner alone."""
    keep, store = WORK / "keep", WORK / "kept.db"
    old = sorted((SOURCE / "tests/format/old").glob("*/*.fathom"))[-1]
    record = json.loads(subprocess.run([str(BUILD / "fathom"), "site", "record", str(old)], capture_output=True, text=True, check=True,
                                       cwd=WORK).stdout)
    fathom("init", "--no-spool", "--store", store)
    folder = keep / "2026-11"
    folder.mkdir(parents=True)
    shutil.copy(old, folder / "job.fathom")
    os.chown(folder / "job.fathom", 4711, 4711)
    (folder / "damaged.fathom").write_bytes(b"no profile")
    (folder / "link.fathom").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.fathom")
    spool = WORK / "records"
    spool.mkdir()
    (spool / f"{record['job']['key']}.json").write_text(json.dumps(record), encoding="utf-8")
    os.chown(spool / f"{record['job']['key']}.json", 4711, 4711)
    made = fathom("ingest", "--quiet", spool, "--store", store)
    name = query(store, "SELECT user_name FROM jobs")
    assert name, made
    name = name[0]["user_name"]
    with Server(store, HEADER + f"keep = {keep}\n") as server:
        tap.ok(wait_for(lambda: server.document("/api/site/jobs", user=name)["jobs"][0]["profile"]), "a kept profile is found")
        job = server.document("/api/site/jobs", user=name)["jobs"][0]["id"]
        index = server.document(f"/api/site/profile/{job}/summary", user=name)
        tap.ok("findings" in json.dumps(index) or index, "slices of it", str(index)[:300])
        none = [server.ask(f"/api/site/profile/{job}/{slice_name}", user=user) for slice_name, user in
                (("summary", ANN), ("nothing", name))]
        tap.ok(all(one.status == 404 for one in none) and none[0].body == none[1].body, "not for others, and no others", none)
    service = [line.split(":") for line in pathlib.Path("/etc/passwd").read_text(encoding="utf-8").splitlines()]
    service = [int(entry[2]) for entry in service if entry[0] == "fathom"]
    for mode, owner, of_month, shown, what in (
            (0o775, 0, 0o755, False, "its group can write to it"), (0o755, 0, 0o757, False, "everybody can write to the month"),
            (0o755, 54321, 0o755, False, "of somebody else"), *((0o755, uid, 0o755, True, "of the services") for uid in service)):
        keep.chmod(mode)
        folder.chmod(of_month)
        os.chown(keep, owner, 0)
        with Server(store, HEADER + f"keep = {keep}\n") as server:
            said = server.said()
            if shown:
                tap.ok(wait_for(lambda: server.document("/api/site/jobs", user=name)["jobs"][0]["profile"]), f"a directory {what}")
                continue
            time.sleep(1)
            tap.ok(not server.document("/api/site/jobs", user=name)["jobs"][0]["profile"] and
                   (str(keep) in said or of_month != 0o755), f"nothing of a directory is shown: {what}", said)


def check_late(tap):
    """No question of this site's is answered in a nanosecond, except those that SQLite answers without a look at the clock."""
    with Server(str(WORK / "site.db"), "http_seconds = 0.000000001") as server:
        answer = server.ask(f"/api/site/summary?from={FROM}&to={TO}", user=None)
        tap.ok(answer.status == 503 and b"too long" in answer.body, "a question that takes too long is given up", answer)
        tap.ok(server.ask("/api/site/insights").status == 200, "the next one is answered")


def check_private(tap):
    """Of two users each one's figures would be those of the other: only the staff see them."""
    store = str(WORK / "two.db")
    fathom("init", "--no-spool", "--store", store)
    fathom("simulate", "--store", store, "--jobs", 60, "--users", 2, "--programs", 2,
           "--slower", 0, "--limited", 0, "--grown", 0)
    with Server(store, HEADER) as server:
        mine, all_of_them = (server.document("/api/site/me", user=user)["reference"]["parallel"] for user in (ANN, STAFF))
        tap.ok(mine["others"] == 1 and mine["n"] == 2 and mine["median"] is mine["max"] is mine["percentile"] is None and
               all_of_them["median"] is not None, "figures of one other user are for the staff", mine, all_of_them)
        number = server.document("/api/site/jobs?limit=1", user=ANN)["jobs"][0]["id"]
        job, seen = (server.document(f"/api/site/job/{number}", user=user)["reference"]["parallel"] for user in (ANN, STAFF))
        tap.ok(job["site"]["min"] is None and job["program"]["others"] == 0 and job["program"]["min"] is not None and
               seen["site"]["min"] is not None, "also with a job; own runs may be compared", job, seen)


def main():
    tap = jobs.Tap()
    if os.geteuid() != 0:
        tap.skip("a server of a site", "it needs root")
        return tap.done()
    os.environ.pop("FATHOM_STORE", None)
    os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "none.conf")
    (WORK / "none.conf").touch()
    check_engine(tap, "SQLite", str(WORK / "site.db"))
    store = str(WORK / "few.db")
    fathom("init", "--no-spool", "--store", store)
    fathom("simulate", "--store", store, "--jobs", 50)
    check_late(tap)
    check_private(tap)
    check_tokens(tap, store)
    check_ways(tap, store)
    check_locked(tap, store)
    check_kept(tap)
    why = postgres.why_not()
    if why:
        tap.skip("the same on PostgreSQL", why)
    else:
        with postgres.server() as address:
            check_engine(tap, "PostgreSQL", address)
            check_restart(tap, address)
    shutil.rmtree(WORK)
    return tap.done()


if __name__ == "__main__":
    main()
