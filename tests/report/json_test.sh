#!/bin/bash
# fathom report as a command: JSON that any reader parses, the keys of the contract, and one sentence for each error.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
fathom=$FATHOM_BUILD/fathom
maker=$FATHOM_BUILD/tests/report-views
built "$fathom" "$maker"
cd "$TMPDIR" || exit 1

warned() { # warned COMMAND...: succeeds, and says once that the program of the sample is not here
    "$@" >out 2>err && [ "$(wc -l <err)" -eq 1 ] && says "miniocean: No such file or directory"
}

ok "the sample is written" "$maker" --profile job.fathom
ok "JSON" warned "$fathom" report job.fathom --format json --histogram -o job.json
ok "python reads it" python3 -m json.tool job.json /dev/null
ok "the keys of the contract" python3 - <<'PYTHON'
import json
report = json.load(open("job.json", encoding="utf-8"))
assert report["fathom"] == 1
job, mpi = report["job"], report["mpi"]
for key in ("id command ranks hosts wall_s complete ends mpi language overhead_s user started ended memory_bytes "
            "hosts_list snapshots notes environment launcher").split():
    assert key in job, key
assert job["notes"] == [{"code": "text", "argument": "", "text": "events kept with less detail", "amount": 1200, "ranks": "1-2"}]
assert job["ranks"] == 8 and job["complete"] is False
ends = {end["ranks"]: end for end in job["ends"]}
assert ends["2"]["how"] == "killed by signal 9 (SIGKILL)" and ends["2"]["inside"] == "MPI_Waitall"
assert "7" in ends
for key in "time_s fraction routines sites regions sizes communicators topology balance".split():
    assert key in mpi, key
routine = mpi["routines"][0]
assert routine["name"] == "MPI_Allreduce" and routine["bytes"] == 8 * routine["calls"]
assert sum(b["calls"] for b in routine["histogram"]) == routine["calls"]
assert set(routine["per_rank"]["time_s"]) == {"min", "min_rank", "max", "max_rank", "avg"}
assert abs(sum(s["time_s"] for s in mpi["sites"]) - sum(r["time_s"] for r in mpi["routines"])) < 1e-6
assert [r["path"] for r in mpi["regions"]] == ["baroclinic", "barotropic", "barotropic/pcg"]
balance = mpi["balance"]
assert balance["mpi_s"] == sorted(balance["mpi_s"])
assert len(balance["routines"]["MPI_Allreduce"]) == len(balance["ranks_by_mpi_time"]) == 7
assert [g["ranks"] for g in balance["groups"]] == ["0-1", "2-6"] and balance["groups"][0]["difference_s"] < 0
assert report["sequence"] is None
assert report["timers"] == []
counters = report["counters"]
assert counters["source"] == "perf: hardware" and counters["instructions_per_cycle"] == 1.5
assert [c["name"] for c in counters["list"]] == ["instructions", "cycles", "LLC-load-misses"]
assert all(c["total"] == c["program"] + c["mpi"] and len(c["per_rank"]) == 7 for c in counters["list"])
assert [c["scaled"] for c in counters["list"]] == [False, False, True]
finding, = report["findings"]
for key in "rule text advice trace cost_s cost_fraction measured ranks function file line path evidence".split():
    assert key in finding, key
assert finding["rule"] == "imbalance" and finding["ranks"] == "0-1" and finding["measured"] is True
assert abs(finding["cost_fraction"] - finding["cost_s"] / job["wall_sum_s"]) < 1e-6
assert finding["evidence"]["work_max_s"] > finding["evidence"]["work_avg_s"]
assert [p["rank"] for p in report["processes"]] == list(range(7))
PYTHON
ok "all codes of notes are in the contract" python3 - "$FATHOM_SOURCE" <<'PYTHON'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
table = (source / "src/model/note_codes.h").read_text(encoding="utf-8")
notes = re.findall(r'X\(\d+, \w+,[ \\\n]*"([^"]*)",[ \\\n]*"([^"]*)",[ \\\n]*"([^"]*)",', table)
assert len(notes) == table.count("    X(") > 30, len(notes)
contract = (source / "doc/JSON.md").read_text(encoding="utf-8").splitlines()
for name, amount, argument in notes:
    line = f"| `{name}` | {amount} | {argument and f'`{argument}`'} |"
    assert line in contract, line
PYTHON
ok "all figures of a process are in the contract" python3 - "$FATHOM_SOURCE" <<'PYTHON'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
keys = re.findall(r'X\( *\d+, \d, \w+, .*"(\w+)", *"[^"]*"\)', (source / "src/model/figures.h").read_text(encoding="utf-8"))
assert len(keys) >= 10, keys
contract = (source / "doc/JSON.md").read_text(encoding="utf-8")
for key in keys:
    assert f"\n| `{key}` | " in contract.partition("## `processes`")[2].partition("\n## ")[0], key
PYTHON
for view in summary mpi sizes balance topology regions snapshots; do
    ok "view $view" status 0 "$fathom" report --view "$view" job.fathom
    ok "view $view as CSV" status 0 "$fathom" report --view "$view" --format csv job.fathom
    ok "which python reads" python3 -c 'import csv, sys
rows = list(csv.reader(open("out", newline="")))
assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows)'
done
ok "view findings" warned "$fathom" report --view findings job.fathom
ok "with its advice" grep -q "  advice    Distribute the work" out
ok "view findings as CSV" warned "$fathom" report --view findings --format csv job.fathom
ok "which python reads" python3 -c 'import csv
row, = csv.DictReader(open("out", newline=""))
assert row["rule"] == "imbalance" and float(row["cost_s"]) > 1 and "work_max_s=" in row["evidence"], row'
ok "grouped" warned "$fathom" report job.fathom --view mpi --by site --top 2
ok "a line for the rest" grep -q "more call sites (--all shows them)" out
ok "the terse banner" status 0 "$fathom" report --terse job.fathom
ok "has at most 12 lines" test "$(wc -l <out)" -le 12
ok "help" status 0 "$fathom" report --help

ok "an unknown view" status 2 "$fathom" report --view color job.fathom
ok "lists the views" says "unknown view 'color'; choose from summary, findings, efficiency, mpi, sizes"
ok "an unknown format" status 2 "$fathom" report --format yaml job.fathom
ok "an unknown option" status 2 "$fathom" report --colour job.fathom
ok "is named" says "unknown option '--colour'"
ok "an option without its value" status 2 "$fathom" report job.fathom --view
ok "a value too many" status 2 "$fathom" report --all=yes job.fathom
ok "--by shows the view mpi" status 0 "$fathom" report job.fathom --by routine
ok "as it is" grep -q "min, max, second: shortest, longest" out
ok "--by another view" status 2 "$fathom" report job.fathom --by site --view sizes
ok "is told whose it is" says "--by applies only to the view mpi, not to sizes"
ok "--histogram of another view" status 2 "$fathom" report job.fathom --histogram --view balance
ok "an option of call paths" status 0 "$fathom" report job.fathom --depth 3
ok "shows them" grep -q "No call paths were sampled" out
ok "--focus of another view" status 2 "$fathom" report job.fathom --focus main --view sizes
ok "is told whose it is too" says "--focus applies only to the views calls, callers, flat and modules, not to sizes"
ok "a view without its data" status 0 "$fathom" report job.fathom --view sequence
ok "says so" grep -q "No sequence was recorded" out
ok "and draws nothing" status 1 "$fathom" report job.fathom --view sequence --format svg
ok "a picture for graphviz of a view that is no graph" status 2 "$fathom" report job.fathom --view sequence --format dot
ok "--modules of another view" status 2 "$fathom" report job.fathom --modules job.json --view sizes
ok "is told whose it is as well" says "--modules applies only to the views modules and sequence, not to sizes"
ok "a percentage that is none" status 2 "$fathom" report job.fathom --percent 101
ok "an unknown order" status 2 "$fathom" report job.fathom --sort colour
ok "lists the orders" says "--sort must be inclusive, exclusive, max, imbalance or name, not 'colour'"
ok "a depth of nothing" status 2 "$fathom" report job.fathom --depth 0
ok "--terse and a view" status 2 "$fathom" report job.fathom --terse --view mpi
ok "a number that is none" status 2 "$fathom" report --top many job.fathom
ok "no profile" status 2 "$fathom" report
ok "two profiles" status 2 "$fathom" report job.fathom job.fathom
ok "a profile that is not there" status 1 "$fathom" report nowhere.fathom
ok "is named too" says "nowhere.fathom"
head -c 100 job.fathom >short.fathom
ok "a profile cut short" status 1 "$fathom" report short.fathom
ok "a foreign file" status 1 "$fathom" report job.json
ok "an endless one" status 1 timeout 20 "$fathom" report /dev/zero
ok "an output that cannot be written" status 1 "$fathom" report job.fathom -o nowhere/file
ok "a full disk" status 1 "$fathom" report job.fathom -o /dev/full
ok "an unknown command" status 2 "$fathom" frobnicate
ok "lists the commands" says "unknown command 'frobnicate'; choose from run, report"
ok "no command" status 2 "$fathom"
ok "help of all" status 0 "$fathom" --help
ok "help of one" status 0 "$fathom" help report
ok "is its own" grep -q -e "--histogram" out
ok "version" status 0 "$fathom" --version
echo "1..$count"
exit "$failed"
