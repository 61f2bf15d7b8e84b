#!/usr/bin/env python3
"""What is hidden in a made-up site is named by `fathom site analyse`, and nothing else."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path[:0] = [str(SOURCE / "tests/jobs"), str(SOURCE / "tests/site/store")]
import jobs  # noqa: E402
import postgres  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="insights-", dir=os.environ.get("TMPDIR")))
os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "site.conf")  # not the machine's own
DAY_S = 86400
# jobs, seed, and what else differs from what is usual
SITES = [
    (6000, 1, {"programs": 60}),
    (7000, 2, {"programs": 60, "hosts": 100, "slow-hosts": 4}),
    (6000, 3, {"programs": 40, "users": 20, "slower": 6, "limited": 4, "grown": 6}),
]
NOISE = (6000, 4, {"slower": 0, "limited": 0, "slow-hosts": 0, "grown": 12})
if "SEEDS" in os.environ:  # for more of them by hand
    SITES = [(20000, seed, {}) for seed in range(1, int(os.environ["SEEDS"]) + 1)]
WINDOW = ("--days", "91", "--until", "2026-04-01")


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, cwd=WORK, check=False)


def options(n, seed, more):
    words = ["--jobs", str(n), "--seed", str(seed)]
    for name, value in more.items():
        words += ["--" + name, str(value)]
    return words


def found(store):
    """Insights, with their documents."""
    rows = fathom("query", "--store", store, "--format", "json",
                  "SELECT kind, user_name, program, host, day, sentence, document FROM insights ORDER BY number")
    return [one | {"details": json.loads(one["document"])} for one in json.loads(rows.stdout)]


def name_of(one):
    return one["host"] if one["kind"] == "slow-host" else one["program"]


def wanted(site):
    kinds = {"slower": "slower", "limited": "scaling", "slow_host": "slow-host"}
    planted = json.loads(fathom("simulate", "--answers", *options(*site)).stdout)["planted"]
    return {(kinds[one["kind"]], one["name"]): one for one in planted}


def first_day(store, program, since):
    """Of the runs since then: nobody runs it every day."""
    rows = fathom("query", "--store", store, "--format", "json", "SELECT MIN(ended) AS ended FROM jobs WHERE complete = 1 AND "
                  f"program = '{program}' AND ended >= {since}")
    return json.loads(rows.stdout)[0]["ended"] // DAY_S


def differs(store, one, answer):
    """What an insight says that is wrong, or None."""
    details = one["details"]
    if one["kind"] == "slower":
        if one["day"] != first_day(store, one["program"], answer["since"]) or abs(details["factor"] - answer["factor"]) > 0.03:
            return "the day or the factor"
        if details["part"] != answer["part"] or details.get("routine") != answer.get("routine"):
            return "what takes longer"
        if [change["what"] for change in details["changed"]] != ([answer["changed"]] if "changed" in answer else []):
            return "what changed"
    elif one["kind"] == "scaling":
        if details["mode"] != "strong" or details.get("routine") != answer["routine"]:
            return "the mode or the routine"
        if details["best_ranks"] != answer["best_ranks"]:
            return "the best number of ranks"
    elif not 1 + (answer["factor"] - 1) * 0.7 < details["slowness"] < answer["factor"] * 1.02:
        return "how slow"
    return None


def test_site(tap, site, store, what):
    made = fathom("simulate", "--store", store, *options(*site))
    analysed = fathom("analyse", "--store", store, *WINDOW)
    insights, answers = found(store), wanted(site)
    names = sorted((one["kind"], name_of(one)) for one in insights)
    tap.ok(made.returncode == 0 and analysed.returncode == 0 and names == sorted(answers),
           f"{what}: what is hidden is named, and nothing else", analysed, names, sorted(answers))
    wrong = [(differs(store, one, answers[key]), one["sentence"], answers[key]) for one in insights
             if (key := (one["kind"], name_of(one))) in answers and differs(store, one, answers[key])]
    tap.ok(not wrong, f"{what}: with the day, the routine, the number of ranks, and what changed", wrong)
    return insights


def test_noise(tap):
    """Larger problems, noise and slow runs alone are nothing to be told about."""
    test_site(tap, NOISE, "noise.db", "a site without anything hidden")


def test_report(tap, insights):
    """The report has them, and a user sees own ones only."""
    report = ("report", "--store", "0.db", "--from", "2026-01-01", "--to", "2026-04-01")
    rows = json.loads(fathom(*report, "--format", "json").stdout)["site"]["insights"]
    tap.ok([row["sentence"] for row in rows] == [one["sentence"] for one in insights], "the report has them, as JSON", rows)
    text = fathom(*report).stdout
    tap.ok("Insights of the analysis of" in text and insights[0]["program"] + " " in text.split("Insights of")[1],
           "and in words, at its end", text[-2000:])
    user = next(one["user_name"] for one in insights if one["kind"] == "slower")
    rows = json.loads(fathom(*report, "--format", "json", "--user", user, "--table", "insights").stdout)["site"]
    tap.ok(rows["insights"] and all(row["user"] == user for row in rows["insights"]) and "users" not in rows,
           "of a user: no hosts, and nobody else's", rows)
    csv = fathom(*report, "--format", "csv", "--table", "insights").stdout.splitlines()
    tap.ok(len(csv) == 1 + len(insights) and csv[0].startswith("kind,user,program,host,day,cost_s"), "as CSV", csv)


def test_again(tap, insights):
    """An analysis replaces the last one; at an earlier day nothing had happened yet."""
    again = fathom("analyse", "--store", "0.db", *WINDOW, "--quiet")
    tap.ok(again.returncode == 0 and not again.stdout and found("0.db") == insights, "the same again, quietly", again)
    fathom("analyse", "--store", "0.db", "--days", "30", "--until", "2026-01-31")
    kinds = {one["kind"] for one in found("0.db")}
    tap.ok("slower" not in kinds and "slow-host" in kinds, "until the end of January nothing became slower", kinds)


def test_errors(tap):
    for words, status, what in ((("--days", "0"), 2, "--days"), (("--until", "tomorrow"), 2, "tomorrow"), (("x",), 2, "x"),
                                (("--store", "none.db"), 1, "none.db")):
        got = fathom("analyse", *words)
        tap.ok(got.returncode == status and what in got.stderr and len(got.stderr.splitlines()) <= 2,
               f"{' '.join(words)}: status {status}", got)


def test_postgres(tap):
    why = postgres.why_not()
    if why:
        tap.skip("on PostgreSQL", why)
        return
    with postgres.server() as address:
        fathom("init", "--no-spool", "--store", address)
        insights = test_site(tap, SITES[0], address, "on PostgreSQL")
    sqlite = [{key: one[key] for key in ("kind", "user_name", "program", "host", "day", "sentence")} for one in insights]
    fathom("analyse", "--store", "0.db", *WINDOW)
    tap.ok(sqlite == [{key: one[key] for key in sqlite[0]} for one in found("0.db")], "the same on both", sqlite)


def main():
    tap = jobs.Tap()
    fathom("init", "--no-spool", "--store", "site.db")
    insights = [test_site(tap, site, f"{number}.db", f"seed {site[1]}") for number, site in enumerate(SITES)]
    if "SEEDS" not in os.environ:
        test_report(tap, insights[0])
        test_noise(tap)
        test_again(tap, insights[0])
        test_errors(tap)
        test_postgres(tap)
    shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
