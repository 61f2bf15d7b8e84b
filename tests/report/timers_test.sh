#!/bin/bash
# The view timers as a command: its layouts and options, JSON and CSV, from a profile of 4500 tasks made up by a unit test.
# shellcheck disable=SC2317 # functions are called by name
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
fathom=$FATHOM_BUILD/fathom
maker=$FATHOM_BUILD/tests/timer_report-timer_rich
figures=$FATHOM_SOURCE/tests/timer_report/figures
built "$fathom" "$maker"
cd "$TMPDIR" || exit 1
export LC_ALL=C.UTF-8

shows() { # shows FIGURE OPTION...: the report ends as the figure has it; what is before is about the job
    local figure=$1
    shift
    "$fathom" report job.fathom "$@" >out && tail -n "$(wc -l <"$figures/$figure")" out | cmp - "$figures/$figure"
}

ok "the sample is written" "$maker" --profile job.fathom
ok "the rich layout is the default" shows rich.txt --view timers
ok "and of timers alone" shows rich.txt --layout rich
ok "in ASCII" shows rich-ascii.txt --ascii --correct
ok "where the locale is plain" env LC_ALL=C bash -c "\"$fathom\" report job.fathom --correct | tail -n 5 | cmp - <(tail -n 5 \"$figures/rich-ascii.txt\")"
ok "or none is set" env -u LC_ALL -u LC_CTYPE -u LANG bash -c "\"$fathom\" report job.fathom --correct | tail -n 5 | cmp - <(tail -n 5 \"$figures/rich-ascii.txt\")"
ok "clusters" shows rich-cluster.txt --histograms cluster --groups 3
ok "two groups by the maximum bin" status 0 "$fathom" report job.fathom --groups 2
ok "and what is left out" grep -q "^      185  in 3 more groups (fathom report --full)$" out
ok "in full" status 0 "$fathom" report job.fathom --full
ok "the last tasks are there" grep -q "4494-4499$" out
ok "one timer" status 0 "$fathom" report job.fathom --top 1 --view timers
ok "and how many more" grep -qF "+ 4 more timers (fathom report --all shows them)" out
ok "the paper's layout" status 0 "$fathom" report job.fathom --layout paper
ok "has its summary" grep -qF "*** profile for 4500 tasks ***" out
ok "in ticks of a millisecond" status 0 "$fathom" report job.fathom --tick 1ms
ok "as the figure has them" grep -qF "500-599 ticks: 001 max (task 0012), 001 min (task 0012), 001 avg" out
ok "JSON with clusters" status 0 "$fathom" report job.fathom --format json --histograms cluster --groups 2 -o job.json
ok "has what the text shows" python3 - <<'PYTHON'
import json
timers = {t["name"]: t for t in json.load(open("job.json", encoding="utf-8"))["timers"]}
step, ice, halo = timers["step"], timers["ice"], timers["halo"]
assert abs(step["exclusive_s"] - (step["time_s"] - step["in_other_timers_s"])) < 1e-6
assert abs(halo["corrected_s"] - (halo["time_s"] - halo["overhead_s"] / 2)) < 1e-6
assert halo["threads"] == 18000 and halo["thread_total_s"]["max_rank"] == 6
assert len(ice["clusters"]) == 2 and ice["clusters"][0]["ranks"].startswith("0,3,6")
assert len(timers["baroclinic_driver"]["histograms"]) == 5 and len(timers["baroclinic_driver"]["clusters"]) == 2
PYTHON
ok "JSON without" status 0 "$fathom" report job.fathom --format json
ok "has none" bash -c '! grep -q clusters out'
ok "CSV" status 0 "$fathom" report job.fathom --view timers --format csv
ok "has them as columns" python3 -c 'import csv
rows = {row["timer"]: row for row in csv.DictReader(open("out", newline="", encoding="utf-8"))}
step, halo = rows["step"], rows["halo"]
assert abs(float(step["exclusive_s"]) + float(step["in_other_timers_s"]) - float(step["total_s"])) < 1e-6
assert float(halo["overhead_s"]) == 7.2, halo
assert abs(float(halo["avg_total_s"]) - float(halo["total_s"]) / 4500) < 2e-9, halo
assert float(halo["second_s"]) == 1.8e-6 and rows["write the restart ?[31m file"]["second_s"] == "", rows
assert list(rows) == ["step", "baroclinic_driver", "ice", "write the restart ?[31m file", "halo"], rows.keys()'

ends_with_note() { # ends_with_note OPTION...: one note, that of the timers which the view has not shown itself
    "$fathom" report noted.fathom "$@" >out && grep -c Note: out | grep -qx 1 &&
        tail -n 2 out | cmp - <(printf '\nNote: timer names truncated to 119 bytes: 7\n')
}
ok "a profile with notes" "$maker" --noted noted.fathom
ok "the rich layout ends with that of the timers" ends_with_note --view timers
ok "and the paper's" ends_with_note --layout paper
ok "the summary" status 0 "$fathom" report noted.fathom
ok "has all notes" grep -qx "Note: region ends without a begin: 9" out
ok "and says that there are timers" grep -qxF "5 timers, the longest 'step': see --view timers." out
ok "CSV of the summary has none" bash -c "! \"$fathom\" report noted.fathom --format csv | grep -q timers"

ok "an unknown layout" status 2 "$fathom" report job.fathom --layout pretty
ok "is told which there are" says "--layout must be rich or paper, not 'pretty'"
ok "an unknown reduction" status 2 "$fathom" report job.fathom --histograms mean
ok "a tick that is none" status 2 "$fathom" report job.fathom --tick 3ms
ok "no groups" status 2 "$fathom" report job.fathom --groups 0
ok "ticks of the rich layout" status 2 "$fathom" report job.fathom --layout rich --tick 1ms
ok "or before it" status 2 "$fathom" report job.fathom --tick 1ms --layout rich
ok "clusters of the paper" status 2 "$fathom" report job.fathom --layout paper --histograms cluster
ok "an option of another view" status 2 "$fathom" report job.fathom --view mpi --full
ok "is told whose it is" says "--full applies only to the view timers, not to mpi"
echo "1..$count"
exit "$failed"
