#!/bin/bash
# fathom scale as a command: its formats, and one sentence for each thing that does not fit.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
fathom=$FATHOM_BUILD/fathom
maker=$FATHOM_BUILD/tests/report-scaling
built "$fathom" "$maker"
cd "$TMPDIR" || exit 1

warned() { # warned TEXT COMMAND...: succeeds, and says that the program of the sample is not here, once for all runs
    local text=$1
    shift
    "$@" >out 2>err && grep -q "No such file or directory" err && [ -z "$(sort err | uniq -d)" ] && grep -qF -- "$text" out
}
silent() { # silent TEXT COMMAND...: succeeds, and needs no symbols
    local text=$1
    shift
    "$@" >out 2>err && [ ! -s err ] && grep -qF -- "$text" out
}
first_ten() { head -n 10 out | grep -qF -- "$1"; } # first_ten TEXT: the answer has it

ok "samples are written" "$maker" --profiles .
ok "text, of profiles in any order" warned "pop on 4, 64 ranks, strong scaling" "$fathom" scale --strong pop64.fathom pop4.fathom
ok "the answer comes first" first_ten "71 % of the run on 64 ranks is excess time; efficiency 0.29"
ok "the largest loss too" first_ten "1. MPI_Waitall "
ok "weak" warned "weak scaling" "$fathom" scale --weak pop4.fathom pop64.fathom
ok "same, in the order given" warned "A (pop64.fathom) and B (pop4.fathom): B takes" "$fathom" scale --same pop64.fathom pop4.fathom
for view in calls callers flat mpi costs efficiency; do
    ok "view $view" warned "4 ranks" "$fathom" scale --strong pop4.fathom pop64.fathom --view $view
    ok "view $view as CSV" warned "," "$fathom" scale --strong pop4.fathom pop64.fathom --view $view --format csv
    ok "which python reads" python3 -c 'import csv
rows = list(csv.reader(open("out", newline="")))
assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows)'
done
ok "view timers" warned "timers" "$fathom" scale --strong bare4.fathom bare16.fathom --view timers
ok "without call paths the view is mpi" warned "MPI routines by region and call site" "$fathom" scale --strong bare4.fathom bare16.fathom
page() { # page VIEWS PROFILE...: one HTML file with these views
    local views=$1
    shift
    "$fathom" scale --strong "$@" --format html -o page.html 2>err && python3 - "$views" <<'EOF'
import base64, gzip, json, re, sys
slices = dict(re.findall(r'data-slice="([^"]+)">([^<]*)<', open("page.html", encoding="utf8").read()))
slices = {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in slices.items()}
views = slices.pop("scale")["views"]
assert views == sys.argv[1].split(), views
assert list(slices) == ["scale/" + view for view in views], list(slices)
assert all(slices["scale/" + view]["scale"]["view"] == view for view in views)
EOF
}
ok "one HTML file with all views" page "calls callers flat mpi" pop4.fathom pop64.fathom
ok "the view that is asked for comes first" page "flat calls callers mpi" pop4.fathom pop64.fathom --view flat
ok "views without data are left out" page "mpi timers" bare4.fathom bare16.fathom
ok "only call paths, if only these are restricted" page "calls callers flat" pop4.fathom pop64.fathom --inside-mpi
ok "view split, of runs of the same size" silent "% program  % MPI" "$fathom" scale --view split bare4.fathom pop4.fathom bare16.fathom
ok "view split as JSON" silent '"machines"' "$fathom" scale --view split --format json bare4.fathom bare16.fathom
ok "--threshold" warned "Efficiency is 0.20 or more in all runs" "$fathom" scale --strong bare4.fathom bare16.fathom killed8.fathom --threshold 0.2
ok "--project" warned "Projection, not measured: on 256 ranks" "$fathom" scale --strong bare4.fathom bare16.fathom killed8.fathom --project 256
ok "--project of two runs" warned "No projection: it needs runs at three" "$fathom" scale --strong bare4.fathom bare16.fathom --project 256
ok "--inside-mpi, --fold-recursion" warned "call path" "$fathom" scale --strong pop4.fathom pop64.fathom --inside-mpi --fold-recursion

ok "JSON" warned '"mode": "strong"' "$fathom" scale --strong pop4.fathom pop64.fathom --format json
mv out pop.json
ok "has the keys of the contract" python3 - <<'PYTHON'
import json
document = json.load(open("pop.json", encoding="utf-8"))
assert document["fathom"] == 1
scale = document["scale"]
assert (scale["mode"], scale["view"], scale["base"], scale["other"]) == ("strong", "calls", 0, 1)
assert scale["notes"] == [] and scale["projection"] is None
assert scale["headline"] == "pop on 4, 64 ranks, strong scaling: 71 % of the run on 64 ranks is excess time; efficiency 0.29."
assert scale["advice"] == "Efficiency is below 0.80 beyond 4 ranks."
small, large = scale["runs"]
assert (small["ranks"], large["ranks"]) == (4, 64) and small["to_previous"] is None
assert abs(large["to_first"]["efficiency"] - 0.29) < 1e-6 and abs(large["speedup"] - 0.29 * 16) < 1e-3
assert scale["where_to_run"] == {"threshold": 0.8, "ranks": 4, "mpi_jumps_after": None}, scale["where_to_run"]
for run in scale["runs"]:
    assert {"profile", "program", "job", "complete", "time_s", "mpi_fraction"} <= set(run)
    assert abs(sum(cost["fraction"] for cost in run["costs"]) - 1) < 1e-3
    assert run["costs"][0]["name"] == "computation"
verdict = scale["verdicts"][0]
assert verdict["name"] == "MPI_Waitall" and verdict["cause"] == "communication" and "34 %" in verdict["text"]
assert set(verdict) == {"text", "cause", "name", "x", "x_error", "callers", "lines"}


def check(node, depth=0):
    """Sums, and the formula of strong scaling at every node."""
    small, large = node["costs"]
    total = 64 * 100 / 64
    for kind in ("inclusive", "exclusive"):
        x = ((large or {}).get(kind + "_s", 0) - (small or {}).get(kind + "_s", 0)) / total
        assert abs(x - node["x_" + kind]) < 2e-6, node
    losses = [child["x_inclusive"] for child in node["children"] if child["certain"]]
    assert losses == sorted(losses, reverse=True)
    return 1 + sum(check(child, depth + 1) for child in node["children"])


assert scale["root"]["name"] == "all" and abs(scale["root"]["x_inclusive"] - 0.71) < 1e-6
assert check(scale["root"]) > 10
PYTHON
ok "--depth and --percent cut it" warned '"cut": true' "$fathom" scale --strong pop4.fathom pop64.fathom --format json --depth 1 --percent 50

ok "an incomplete run is compared" warned "Note: killed8.fathom is incomplete" "$fathom" scale --strong bare4.fathom killed8.fathom
ok "so are different programs" warned "Note: these are different programs: miniocean (4 ranks), pop (64 ranks)." \
    "$fathom" scale --strong bare4.fathom pop64.fathom
ok "in CSV it is said beside it" warned "x_inclusive" "$fathom" scale --strong bare4.fathom killed8.fathom --format csv
ok "in one line" says "fathom scale: killed8.fathom is incomplete: 2 of 8 ranks did not end normally."

ok "no profile" status 2 "$fathom" scale --strong
ok "is told" says "at least two profiles are needed"
ok "one profile" status 2 "$fathom" scale --strong pop4.fathom
ok "no mode" status 2 "$fathom" scale pop4.fathom pop64.fathom
ok "is asked for" says "--strong, --weak or --same"
ok "two modes" status 2 "$fathom" scale --strong --weak pop4.fathom pop64.fathom
ok "equal sizes" status 2 "$fathom" scale --strong pop4.fathom bare4.fathom
ok "are named" says "pop4.fathom and bare4.fathom both have 4 ranks; use --same to compare runs of the same size"
ok "three for --same" status 2 "$fathom" scale --same pop4.fathom bare4.fathom pop64.fathom
ok "a view of call paths that are not there" status 2 "$fathom" scale --strong pop4.fathom bare16.fathom --view callers
ok "names those that work" says "bare16.fathom has no call paths; the available views are mpi and costs"
ok "an option of call paths" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --view mpi --focus pcg
ok "is told whose it is" says "--focus applies only to the views calls, callers and flat, not to mpi"
ok "a view of timers that are not there" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --view timers
ok "a view that is none" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --view colour
ok "lists the views" says "unknown view 'colour'; choose from calls, callers, flat, mpi, timers, costs"
ok "a format that is none" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --format yaml
ok "lists the formats" says "unknown format 'yaml'; choose from text, json, csv"
ok "a threshold that is none" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --threshold 80
ok "an unknown option" status 2 "$fathom" scale --strong pop4.fathom pop64.fathom --colour
ok "a profile that is not there" status 1 "$fathom" scale --strong pop4.fathom nowhere.fathom
ok "is named" says "nowhere.fathom"
head -c 100 pop4.fathom >short.fathom
ok "a profile cut short" status 1 "$fathom" scale --strong pop64.fathom short.fathom
ok "a full disk" test "$("$fathom" scale --strong pop4.fathom pop64.fathom -o /dev/full 2>/dev/null; echo $?)" -eq 1
ok "help" status 0 "$fathom" scale --help
ok "tells of all options" grep -q -e "--fold-recursion" out
echo "1..$count"
exit "$failed"
