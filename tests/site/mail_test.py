#!/usr/bin/env python3
"""Mails to the users of a site: what they say, to whom they go, and that each goes once."""
import collections
import contextlib
import email
import email.policy
import html
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path[:0] = [str(SOURCE / "tests/jobs"), str(SOURCE / "tests/site"), str(SOURCE / "tests/site/store")]
import daemons  # noqa: E402
import jobs  # noqa: E402
import postgres  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="mail-", dir=os.environ.get("TMPDIR")))
os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "site.conf")  # not the machine's own
USERS, WEEK, PERIOD = 24, ["--week", "2026-W10"], "2026-W10"
SEED = int(os.environ.get("SEED", "1"))

# Keeps what comes; fails while there is a file `fail`; waits while there is a file `hold`.
SINK = """#!/bin/sh
[ -e {work}/fail ] && {{ cat >/dev/null; echo "no room" >&2; exit 75; }}
name=$(mktemp {work}/sent/.XXXXXX)
cat >"$name"
if [ -e {work}/hold ]; then touch {work}/held; while [ -e {work}/hold ]; do sleep 0.02; done; fi
mv "$name" "$name.eml"
"""


def configure(**more):
    keys = {"mail_command": f"{WORK}/sink -t -i", "mail_domain": "example.org", "mail_per_minute": 0, "mail_seconds": 120,
            "mail_least_hours": 0} | more
    (WORK / "site.conf").write_text("".join(f"{key} = {value}\n" for key, value in keys.items()), encoding="utf8")


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *map(str, words)], capture_output=True, text=True, cwd=WORK,
                          check=False)


@contextlib.contextmanager
def database(store):
    with contextlib.closing(sqlite3.connect(WORK / store)) as db:
        yield db
        db.commit()


def copied(name):
    """A database like the usual one."""
    with database("site.db") as db, database(name) as to:
        db.backup(to)


def fresh(store="site.db"):
    """An empty sink, and no mail that was sent."""
    for path in list((WORK / "sent").iterdir()) + [WORK / "fail", WORK / "hold", WORK / "held"]:
        path.unlink(missing_ok=True)
    with database(store) as db:
        db.execute("DELETE FROM mails")
        db.execute("DELETE FROM mail_refusals")
    configure()


def parse(path):
    return email.message_from_bytes(path.read_bytes(), policy=email.policy.default)


def sent():
    """How many mails each address got."""
    return collections.Counter(parse(path)["To"] for path in (WORK / "sent").glob(".*.eml"))


def states(store="site.db"):
    with database(store) as db:
        return dict(db.execute("SELECT user_name, state FROM mails"))


def everybody():
    return {f"user{number:03d}@example.org": 1 for number in range(USERS)}


def plain(mail):
    return mail.get_body(("plain",)).get_content().replace("\r\n", "\n")


# ---- what a mail is ----

def test_form(tap, folder, users):
    """The bytes of every mail, and the headers."""
    wrong = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        lines = data.split(b"\r\n")
        mail = parse(path)
        faults = [str(fault) for part in mail.walk() for fault in part.defects] + [
            f"{name}: {fault}" for name, value in mail.items() for fault in getattr(value, "defects", ())]
        text, marked = plain(mail), mail.get_body(("html",)).get_content()
        good = (max(map(len, lines)) <= 76 and data.isascii() and not re.search(rb"[^\r]\n|\r[^\n]|[\x00-\x09\x0b\x0c\x0e-\x1f]", data)
                and mail.get_content_type() == "multipart/alternative"
                and [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
                and {part.get_content_charset() for part in mail.iter_parts()} == {"utf-8"}
                and all(len(mail.get_all(name, [])) == 1 for name in ("From", "To", "Subject", "Date", "Message-ID"))
                and mail["Auto-Submitted"] == "auto-generated" and re.fullmatch(r"<[^<>@\s]+@example\.org>", mail["Message-ID"])
                and max(len(line) for line in text.splitlines()) <= 78 and len(data) < 100000
                and text.splitlines()[0].startswith("Week 10 (2 to 8 March 2026): ") and marked.startswith("<!DOCTYPE html>")
                and not re.search(r"<(script|img|link|iframe)|url\(|@import", marked))
        if faults or not good:
            wrong.append((path.name, faults, data[:600]))
    tap.ok(not wrong and len(list(folder.iterdir())) == users, f"{users} mails are well-formed in every line", *wrong[:2])
    ids = {parse(path)["Message-ID"] for path in folder.iterdir()}
    tap.ok(len(ids) == users, "each has an identity of its own")


def number(text):
    return float(text.replace(",", ""))


def test_figures(tap, folder):
    """The same numbers as in the report of the user."""
    wrong = []
    for user in ("user000", "user007", "user023"):
        site = json.loads(fathom("report", "--store", "site.db", *WEEK, "--user", user, "--format", "json", "--all").stdout)["site"]
        totals, text = site["totals"], plain(parse(folder / f"{user}.eml"))
        rows = {row["name"]: row for row in site["routines"]}
        first = " ".join(text.split("\n\n")[0].split())
        found = re.search(r": ([\d,]+) jobs, ([\d.,]+) core-hours, parallel efficiency (\d+) %", first)
        mpi = re.search(r"share of MPI +(\d+) %", text)
        routine = re.search(r"MPI routine.*\n[! ] (\w+) +([\d.,]+) +(\d+) %", text)
        wasted = re.search(r"wasted core-hours +([\d.,]+)", text)
        rate = re.search(r"instructions +([\d.]+) ([MG])/s", text)
        instructions = totals["instructions"] / totals["counted_s"]
        good = (found and number(found[1]) == totals["jobs"] and abs(number(found[2]) - totals["cpu_s"] / 3600) <= 0.5
                and abs(int(found[3]) - 100 * (1 - totals["wasted_s"] / totals["cpu_s"])) <= 0.51
                and mpi and abs(int(mpi[1]) - 100 * totals["mpi_s"] / totals["cpu_s"]) <= 0.51
                and routine and routine[1] == site["routines"][0]["name"]
                and abs(number(routine[2]) - rows[routine[1]]["time_s"] / 3600) <= 0.5
                and wasted and abs(number(wasted[1]) - totals["wasted_s"] / 3600) <= 0.5
                and rate and abs(float(rate[1]) * {"M": 1e6, "G": 1e9}[rate[2]] / instructions - 1) < 0.01)
        if not good:
            wrong.append((user, totals, text[:1500]))
    tap.ok(not wrong, "the numbers are those of the report", *wrong)


def test_order(tap, folder):
    """What matters most comes first, and is marked."""
    mails = {path.stem: parse(path) for path in folder.iterdir()}
    texts = {name: plain(mail) for name, mail in mails.items()}
    losing = {name: text for name, text in texts.items() if re.search(r"^! \w+ loses [\d.,]+ core-hours", text, re.M)}
    place = re.compile(r"\A[^!]*\n! \w+ loses [\d.,]+ core-hours \(\d+ %\) at \w+\.\w+:\d+$", re.M)
    tap.ok(losing and all(place.search(text) for text in losing.values()),
           "the most expensive finding with its line follows the first sentence", *list(losing.values())[:1])
    tap.ok(all("What to try: Distribute the work by its cost" in " ".join(text.split()) for text in losing.values()),
           "with what to try", *list(losing.values())[:1])
    tap.ok(all(" loses " in mails[name]["Subject"] for name in losing), "and is in the subject",
           *(mails[name]["Subject"] for name in losing))
    critical = {name for name, text in texts.items() if int(re.search(r"share of MPI +(\d+) %", text)[1]) > 15}
    marked = {name for name, text in texts.items() if re.search(r"^! share of MPI", text, re.M)}
    tap.ok(critical and marked >= critical, "much MPI is marked", critical - marked)


def test_references(tap, folder):
    """The place among users, computed here once more."""
    users = {row["user"]: row for row in json.loads(fathom("report", "--store", "site.db", *WEEK, "--table", "users", "--all",
                                                           "--format", "json").stdout)["site"]["users"]}
    shares = {name: row["mpi_fraction"] for name, row in users.items()}
    wrong = []
    for user, share in shares.items():
        more = sum(other > share for other in shares.values()) + 0.5
        row = re.search(r"share of MPI +\d+ % +(\d+) % +(\d+) % +(\d+) % +(\d+) % of users", plain(parse(folder / f"{user}.eml")))
        wanted = [100 * min(shares.values()), 100 * sum(shares.values()) / len(shares), 100 * max(shares.values()),
                  100 * more / len(shares)]
        if not row or any(abs(int(got) - value) > 0.51 for got, value in zip(row.groups(), wanted)):
            wrong.append((user, row and row.groups(), wanted))
    tap.ok(not wrong and len(shares) == USERS, "least, average, most and the percentile of each user", *wrong)


def test_private(tap):
    """What would tell the figures of one other user is not in a mail, and the mail says why."""
    made = fathom("simulate", "--store", "two.db", "--jobs", 2000, "--users", 2, "--programs", 2, "--slower", 0, "--limited", 0,
                  "--grown", 0)
    fathom("mail", "--store", "two.db", *WEEK, "-o", "two")
    own = plain(parse(WORK / "two" / "user000.eml"))
    tap.ok(made.returncode == 0 and "All jobs are not compared: there are fewer than 3 other users." in own and
           "% of users" not in own and "% of runs" in own, "one other user is not compared with, own runs are", own)
    with database("two.db") as store:  # both run the same program
        store.execute("UPDATE jobs SET program = (SELECT program FROM jobs WHERE user_name = 'user000' LIMIT 1)")
    fathom("mail", "--store", "two.db", *WEEK, "-o", "same")
    same = plain(parse(WORK / "same" / "user000.eml"))
    tap.ok("is not compared: fewer than 3 others have run it." in same and "% of runs" not in same,
           "nor runs of a program of two users", same)


def test_insights(tap):
    """Insights of a user are in that user's mail; hosts are for the staff."""
    fresh()
    copied("insights.db")
    day = 20517  # 2026-03-05
    rows = [(1, "slower", "user003", "md3", None, day, 7.2e6, 0.99, "md3 became 4 % slower on 2026-03-05"),
            (2, "slow-host", None, None, "node0007", day, 3.6e6, 0.99, "node0007 is 20 % slower than other hosts"),
            (3, "slower", "user003", "md3", None, 30000, 1, 0.99, "something of the far future")]
    with database("insights.db") as db:
        db.execute("DELETE FROM insights")
        db.executemany("INSERT INTO insights VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')", rows)
    configure(mail_staff="staff@example.org")
    fathom("mail", "--store", "insights.db", *WEEK, "-o", "insights")
    texts = {path.stem: plain(parse(path)) for path in (WORK / "insights").iterdir()}
    tap.ok("! md3 became 4 % slower on 2026-03-05\n" in texts["user003"] and "2,000 core-hours" in texts["user003"]
           and [name for name, text in texts.items() if "became 4 %" in text] in (["user003", "@staff"], ["@staff", "user003"]),
           "what became slower is told to its user, and to the staff",
           [name for name, text in texts.items() if "became 4 %" in text], texts["user003"])
    subject = parse(WORK / "insights/user003.eml")["Subject"]
    tap.ok(subject.startswith("Week 10: md3 became 4 % slower on 2026-03-05; "), "news are in the subject", subject)
    tap.ok([name for name, text in texts.items() if "node0007" in text] == ["@staff"], "slow hosts are told to the staff",
           texts["@staff"])
    tap.ok(not any("far future" in text for text in texts.values()), "what came later is not told")


def test_links(tap):
    """To the jobs of the week, the job of a finding, and the program of an insight; in both parts."""
    fresh()
    copied("links.db")
    with database("links.db") as db:
        db.execute("DELETE FROM insights")
        db.execute("INSERT INTO insights VALUES (1, 'slower', 'user003', 'md3', NULL, 20517, 7.2e6, 0.99, 'md3 became slower', '{}')")
    fathom("mail", "--store", "links.db", *WEEK, "-o", "unlinked")
    tap.ok(not any(re.search("https?:", plain(mail) + mail.get_body(("html",)).get_content())
                   for mail in map(parse, (WORK / "unlinked").iterdir())), "without an address of the pages mails have no links")
    configure(mail_url="https://fathom.example.org/", mail_staff="staff@example.org")
    fathom("mail", "--store", "links.db", *WEEK, "-o", "linked")
    mails = {path.stem: parse(path) for path in (WORK / "linked").iterdir()}
    text, marked = ({name: re.findall(pattern, mail.get_body((part,)).get_content()) for name, mail in mails.items()}
                    for part, pattern in (("plain", r"https?:\S+"), ("html", 'href="([^"]+)"')))
    marked = {name: [html.unescape(link) for link in links] for name, links in marked.items()}
    base, user = "https://fathom.example.org/#/", "user003"
    week = base + "jobs?from=2026-03-02&to=2026-03-08&order=wasted"
    tap.ok(all(week + f"&user={name}" in text[name] and week + f"&user={name}" in marked[name] for name in mails if name != "@staff")
           and week in text["@staff"] and week in marked["@staff"], "to the jobs of the week", text[user], marked["@staff"])
    program = base + "program/md3?user=user003"
    tap.ok(all(program in links[name] for links in (text, marked) for name in (user, "@staff")), "to a program that became slower",
           text[user], marked[user])
    with database("links.db") as db:
        worst = {name: db.execute(
            "SELECT program, rule, file, line, function FROM jobs JOIN findings ON job = jobs.id WHERE user_name = ? AND ended >= "
            "1772409600 AND ended < 1773014400 GROUP BY 1, 2, 3, 4, 5 ORDER BY SUM(cost_s * weight) DESC LIMIT 1", (name,)).fetchone()
            for name in mails}
        of_worst = {name: db.execute(
            "SELECT jobs.id FROM jobs JOIN findings ON job = jobs.id WHERE user_name = ? AND ended >= 1772409600 AND ended < 1773014400 "
            "AND (program, rule, file, line, function) IS (?, ?, ?, ?, ?) ORDER BY cost_s DESC LIMIT 1", (name, *found)).fetchone()[0]
            for name, found in worst.items() if found}
    found = {name: job for name, job in of_worst.items() if f"{base}job/{job}" in text[name] and f"{base}job/{job}" in marked[name]}
    tap.ok(found and found == {name: job for name, job in of_worst.items() if any("/job/" in link for link in text[name])},
           "to the job in which a finding costs most", of_worst, found)
    own = {name: {int(link.rsplit("/", 1)[1]) for link in links if "/job/" in link} for name, links in marked.items()}
    with database("links.db") as db:
        whose = dict(db.execute("SELECT id, user_name FROM jobs"))
    tap.ok(sum(map(len, own.values())) > 2 * USERS and all(whose[job] == name for name, some in own.items() for job in some),
           "everybody has links to own jobs", own)


# ---- to whom it goes, and when ----

def test_sending(tap):
    fresh()
    configure(mail_staff="staff@example.org boss@example.org", mail_unsubscribe="mailto:help@example.org?subject=no",
              mail_copies="archive@example.org")
    first = fathom("mail", "--store", "site.db", *WEEK)
    mails = [parse(path) for path in (WORK / "sent").iterdir()]
    tap.ok(first.returncode == 0 and sent() == everybody() | {"staff@example.org": 1}, "every user gets a mail, and the staff",
           first, sent())
    users = [mail for mail in mails if mail["To"] != "staff@example.org"]
    tap.ok(all(mail["List-Unsubscribe"] == "<mailto:help@example.org?subject=no>" and mail["Bcc"] == "archive@example.org"
               for mail in users), "with a copy and the way to refuse", users[0].items())
    staff = next(mail for mail in mails if mail["To"] == "staff@example.org")
    totals = json.loads(fathom("report", "--store", "site.db", *WEEK, "--format", "json").stdout)["site"]["totals"]
    found = re.search(r"(\d+) users, ([\d,]+) jobs, ([\d,]+) core-hours", " ".join(plain(staff).split()))
    tap.ok(found and int(found[1]) == USERS and number(found[2]) == totals["jobs"] and
           abs(number(found[3]) - totals["cpu_s"] / 3600) <= 0.5 and f"{USERS} sent, 0 failed" in plain(staff) and
           staff["Bcc"] == "boss@example.org", "the staff's has the sums of all", plain(staff))
    again = fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(again.returncode == 0 and sum(sent().values()) == USERS + 1 and f"{USERS} sent before" in again.stdout,
           "a second run sends nothing", again)
    other = fathom("mail", "--store", "site.db", "--month", "2026-02", "--limit", 3)
    tap.ok(other.returncode == 0 and sum(sent().values()) == USERS + 4 and "3 mails sent" in other.stdout,
           "another period is another mail; a limit holds, and the staff waits", other, sent())


def test_choices(tap):
    fresh()
    refused = fathom("mail", "--store", "site.db", "--refuse", "user001")
    (WORK / "addresses").write_text("# users elsewhere\nuser002 second.user@example.com\n", encoding="utf8")
    configure(mail_addresses=WORK / "addresses", mail_least_hours=1e9)
    none = fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(refused.returncode == 0 and not sent() and f"{USERS - 1} with too few core-hours" in none.stdout,
           "no mail below so many core-hours", none)
    configure(mail_addresses=WORK / "addresses")
    done = fathom("mail", "--store", "site.db", *WEEK)
    wanted = everybody() | {"second.user@example.com": 1}
    del wanted["user001@example.org"], wanted["user002@example.org"]
    tap.ok(done.returncode == 0 and sent() == wanted and "1 want none" in done.stdout,
           "who refused gets none, and who has another address gets it there", done, sent())
    fathom("mail", "--store", "site.db", "--accept", "user001")
    fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(sent()["user001@example.org"] == 1, "who accepts gets it", sent())
    before = states()
    tested = fathom("mail", "--store", "site.db", *WEEK, "--test", "me@example.org")
    dry = fathom("mail", "--store", "site.db", *WEEK, "--dry-run")
    tap.ok(tested.returncode == 0 and sent()["me@example.org"] == 1 and states() == before, "a test mail is not remembered",
           tested, sent())
    tap.ok(dry.returncode == 0 and len(dry.stdout.splitlines()) == USERS + 1 and sum(sent().values()) == USERS + 1 and
           "user000@example.org  Week 10: " in dry.stdout, "a dry run lists them", dry.stdout)


def test_failures(tap):
    fresh()
    (WORK / "fail").touch()
    failed = fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(failed.returncode == 1 and not sent() and "status 75: no room" in failed.stderr and
           failed.stderr.count("the mail of") == 10 and "10 failures in a row" in failed.stderr,
           "a command that fails is told, and not tried for all", failed)
    (WORK / "fail").unlink()
    after = fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(after.returncode == 0 and sent() == everybody(), "the next run sends all", after, sent())
    fresh()
    configure(mail_seconds=0.05)
    (WORK / "hold").touch()
    slow = fathom("mail", "--store", "site.db", *WEEK, "--user", "user000")
    tap.ok(slow.returncode == 1 and "took longer than 0.05 seconds" in slow.stderr and states() == {"user000": "failed"},
           "one that hangs is ended", slow)
    wrong = [({"mail_command": "sendmail"}, "path"), ({"mail_domain": "a b"}, "mail_domain"), ({"mail_domain": ""}, "no addresses"),
             ({"mail_staff": "nobody"}, "mail_staff"), ({"mail_from": "x\ty@z"}, "mail_from"),
             ({"mail_unsubscribe": "javascript:x"}, "mail_unsubscribe"), ({"mail_url": "javascript:x"}, "mail_url"), ({"mail_addresses": "/nowhere"}, "/nowhere")]
    got = []
    for keys, word in wrong:
        configure(**keys)
        done = fathom("mail", "--store", "site.db", *WEEK)
        got.append(done.returncode == 1 and word in done.stderr and done.stderr.count("\n") == 1 or done)
    configure()
    tap.ok(all(one is True for one in got) and not sent(), "a wrong configuration sends nothing", *[o for o in got if o is not True])
    future = fathom("mail", "--store", "site.db", "--from", "2026-03-01", "--to", "2999-01-01")
    tap.ok(future.returncode == 2 and "not over" in future.stderr, "nor does a time that is not over", future)


def start_mailing(store="site.db", *words):
    return subprocess.Popen([str(BUILD / "fathom"), "site", "mail", "--store", store, *WEEK, *words], cwd=WORK, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def test_killed(tap):
    """In the middle of a mail: nobody knows whether it went out, so it is not sent again by itself."""
    fresh()
    (WORK / "hold").touch()
    process = start_mailing()
    held = daemons.wait_for((WORK / "held").exists)
    process.kill()
    process.communicate()
    (WORK / "hold").unlink()
    arrived = daemons.wait_for(lambda: sum(sent().values()) == 1)
    kept = states()
    next_run = fathom("mail", "--store", "site.db", *WEEK)
    tap.ok(held and arrived and list(kept.values()) == ["sending"] and next_run.returncode == 1 and
           "--retry" in next_run.stderr and sent() == everybody(), "the mail that was being sent is told, and not sent again",
           kept, next_run, sent())
    soon = fathom("mail", "--store", "site.db", *WEEK, "--retry")
    tap.ok(sent() == everybody(), "--retry leaves alone what may still be under way", soon, sent())
    with database("site.db") as db:
        db.execute("UPDATE mails SET at = at - 1000 WHERE state = 'sending'")
    later = fathom("mail", "--store", "site.db", *WEEK, "--retry")
    twice = [address for address, times in sent().items() if times == 2]
    same = {parse(path)["Message-ID"] for path in (WORK / "sent").iterdir() if parse(path)["To"] in twice}
    tap.ok(later.returncode == 0 and len(twice) == 1 and len(same) == 1 and set(states().values()) == {"sent"},
           "later it sends it, with the same identity", later, sent())


def test_random_kills(tap):
    fresh()
    dice = random.Random(SEED)
    runs = 0
    while runs < 200:
        runs += 1
        process, wanted = start_mailing(), sum(sent().values()) + dice.randrange(4)
        daemons.wait_for(lambda at=wanted, run=process: sum(sent().values()) >= at or run.poll() is not None, pause=0.001)
        if process.poll() is not None and wanted < USERS:
            process.communicate()
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
    finished = daemons.wait_for(lambda: not [p for p in (WORK / "sent").iterdir() if p.suffix != ".eml"])
    left = {f"{user}@example.org" for user, state in states().items() if state == "sending"}
    missing = everybody().keys() - sent().keys()
    tap.ok(finished and max(sent().values()) == 1 and missing <= left and len(states()) == USERS,
           f"after {runs - 1} kills nobody has a mail twice, and who has none is known", missing, left, sent())


def test_interrupted(tap):
    fresh()
    (WORK / "hold").touch()
    process = start_mailing()
    held = daemons.wait_for((WORK / "held").exists)
    process.send_signal(signal.SIGTERM)
    (WORK / "hold").unlink()
    out, err = process.communicate()
    tap.ok(held and process.returncode == 1 and "interrupted" in err and sum(sent().values()) == 1 and
           list(states().values()) == ["sent"], "SIGTERM lets a mail be finished", out, err, states())


def test_two_at_once(tap):
    fresh()
    both = [start_mailing(), start_mailing()]
    said = [process.communicate() for process in both]
    tap.ok(sent() == everybody() and set(states().values()) == {"sent"}, "two runs at the same time send each mail once", said,
           sent())


def test_turns(tap):
    """Runs that follow each other, and runs at the same time, share the limit."""
    fresh()
    configure(mail_per_minute=60)
    begun = time.time()
    first = [fathom("mail", "--store", "site.db", *WEEK, "--user", f"user00{number}").returncode for number in range(2)]
    both = [start_mailing("site.db", "--user", f"user00{number}") for number in range(2, 4)]
    said = [process.communicate() for process in both]
    last = max(path.stat().st_mtime for path in (WORK / "sent").glob(".*.eml"))
    tap.ok(first == [0, 0] and sum(sent().values()) == 4 and last - begun >= 3, "four runs do not send more than one with the limit",
           said, last - begun)


# ---- hostile names ----

def test_hostile(tap):
    """Names of users, programs and places that would like to be something else."""
    fresh()
    copied("hostile.db")
    names = ["x\r\nBcc: victim@example.org", "../../etc/passwd", "a" * 10000, "\u202eeve\u05d0\u05d1", "-froot@example.org", "*",
             "a,b@example.com", "\x1b[31mred", "=?utf-8?q?x?="]
    with database("hostile.db") as db:
        for i, name in enumerate(names):
            db.execute("UPDATE names SET name = ? WHERE name = ?", (name, f"user{i:03d}"))
            db.execute("UPDATE jobs SET user_name = ? WHERE user_name = ?", (name, f"user{i:03d}"))
        nasty = "<script>alert(1)</script>\r\n.\r\nFrom evil\r\nBcc: victim@example.org\u202e\x1b]0;x\x07" + "w" * 10000
        db.execute("UPDATE names SET name = ? WHERE name = (SELECT program FROM jobs WHERE user_name = 'user020' LIMIT 1)", (nasty,))
        db.execute("UPDATE findings SET text = ?, file = ?, function = ? WHERE job IN (SELECT id FROM jobs WHERE user_name = 'user020')",
                   (nasty, nasty, nasty))
        db.execute("UPDATE jobs SET program = ?, job_id = ? WHERE user_name = 'user020'", (nasty, nasty))
    configure(mail_addresses=WORK / "addresses")
    (WORK / "addresses").write_text("../../etc/passwd one@example.org\n" + "b" * 900 + " two@example.org\n", encoding="utf8")
    done = fathom("mail", "--store", "hostile.db", *WEEK)
    tap.ok(done.returncode == 0 and f"{len(names) - 1} without an address" in done.stdout and
           sent() == {f"user{i:03d}@example.org": 1 for i in range(len(names), USERS)} | {"one@example.org": 1},
           "users without a plain name get nothing, unless the site says where", done, sent())
    mails = [parse(path) for path in (WORK / "sent").iterdir()]
    raw = [path.read_bytes() for path in (WORK / "sent").iterdir()]
    mail = next(mail for mail in mails if mail["To"] == "user020@example.org")
    text, marked = plain(mail), mail.get_body(("html",)).get_content()
    tap.ok(all(len(mail.get_all("To")) == 1 and not mail["Bcc"] and not mail.defects for mail in mails) and
           all(data.isascii() and max(map(len, data.split(b"\n"))) <= 76 and b"\n.\n" not in data and b"\nFrom " not in data
               for data in raw), "no name adds a header, a recipient or a line")
    tap.ok("alert(1)" in text and not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", text) and "<script" not in marked and
           "\u202e" not in marked and "\x1b" not in marked and len(raw[0]) < 100000, "nor is it more than a text in the mail", text[:500])
    fathom("mail", "--store", "hostile.db", *WEEK, "-o", "hostile")
    inside = sorted(path.name for path in (WORK / "hostile").iterdir())
    tap.ok("%2E.%2F..%2Fetc%2Fpasswd.eml" in inside and len(inside) == USERS - len(names) + 1, "nor a path of a file", inside)


def test_postgres(tap):
    why = postgres.why_not()
    if why:
        tap.skip("mails from PostgreSQL", why)
        return
    fresh()
    fathom("mail", "--store", "site.db", *WEEK, "-o", "lite")
    with postgres.server() as address:
        fathom("init", "--no-spool", "--store", address)
        made = fathom("simulate", "--store", address, "--jobs", 3000, "--users", USERS)
        fathom("mail", "--store", address, *WEEK, "-o", "post")
        same = [name for name in sorted(path.name for path in (WORK / "lite").iterdir())
                if plain(parse(WORK / "lite" / name)) == plain(parse(WORK / "post" / name))]
        tap.ok(made.returncode == 0 and len(same) == USERS, "PostgreSQL: the same mails", made, same)
        both = [start_mailing(address), start_mailing(address)]
        said = [process.communicate() for process in both]
        again = fathom("mail", "--store", address, *WEEK)
        tap.ok(sent() == everybody() and f"{USERS} sent before" in again.stdout, "PostgreSQL: each once", said, again, sent())


def main():
    tap = jobs.Tap()
    (WORK / "sent").mkdir()
    (WORK / "sink").write_text(SINK.format(work=WORK), encoding="utf8")
    (WORK / "sink").chmod(0o755)
    configure()
    made = fathom("simulate", "--store", "site.db", "--jobs", 3000, "--users", USERS)
    written = fathom("mail", "--store", "site.db", *WEEK, "-o", "written")
    tap.ok(made.returncode == 0 and written.returncode == 0 and f"{USERS} mails written" in written.stdout, "mails are written",
           made, written)
    test_form(tap, WORK / "written", USERS)
    test_figures(tap, WORK / "written")
    test_order(tap, WORK / "written")
    test_references(tap, WORK / "written")
    test_private(tap)
    test_insights(tap)
    test_links(tap)
    test_sending(tap)
    test_choices(tap)
    test_failures(tap)
    test_killed(tap)
    test_random_kills(tap)
    test_interrupted(tap)
    test_two_at_once(tap)
    test_turns(tap)
    test_hostile(tap)
    test_postgres(tap)
    shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
