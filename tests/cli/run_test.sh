#!/bin/bash
# fathom run: the command is what it is without it, and what it leaves behind becomes a profile.
# shellcheck disable=SC2016 # what is in single quotes is for the command
set -u
# shellcheck source=tests/checks.sh
. "${FATHOM_SOURCE:-$PWD}/tests/checks.sh"
told=(out.txt err)
FATHOM=${FATHOM:-${FATHOM_BUILD:-build}/fathom}
FATHOM=$(realpath "$FATHOM")
work=${TMPDIR:-/tmp}/run-$$
mkdir -p "$work/out" && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
export FATHOM_DIR=$work/segments
unset FATHOM_RUN_ID FATHOM_OUTPUT FATHOM_REPORT OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID

run() { # run ARGUMENT...: its output in out.txt and err, its status in $status
    "$FATHOM" run "$@" >out.txt 2>err
    status=$?
}

fresh() { # nothing of an earlier test is left
    rm -rf "$FATHOM_DIR" out/*.fathom ./*.fathom
}

ends() { # ends PROFILE: how its ranks ended, in the words of the report
    "$FATHOM" report "$1" --format json | tr -d '\n' | sed -n 's/.*"ends" *: *\[\([^]]*\)\].*/\1/p'
}

until_true() { # until_true COMMAND...: for at most 10 s
    for _ in $(seq 200); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

# ---- the command's own ----
run -- sh -c 'exit 7'
[ $status -eq 7 ]
result $? "the status of the command"
run -- sh -c 'kill -TERM $$'
[ $status -eq 143 ]
result $? "a signal that ends the command ends the run"
env --ignore-signal=CHLD "$FATHOM" run -q -- sh -c 'exit 7'
[ $? -eq 7 ]
result $? "the status of the command, also when whoever started us ignores SIGCHLD"
run --quiet -- sh -c 'echo words; echo more >&2; cat' </dev/null
[ "$(cat out.txt)" = words ] && [ "$(cat err)" = more ]
result $? "nothing is added to what the command writes"
[ "$(echo hello | "$FATHOM" run -q cat)" = hello ]
result $? "the command keeps standard input"
run -q -- sh -c 'ps -o pgid= -p $$ | tr -d " "; exit 0'
[ "$(cat out.txt)" = "$(ps -o pgid= -p $$ | tr -d ' ')" ]
result $? "the command stays in its process group"
run -q sh -c 'echo "$1"' name 'a b'
[ "$(cat out.txt)" = 'a b' ]
result $? "words of the command reach it as they are"
(trap '' HUP; "$FATHOM" run -q -- sh -c 'kill -HUP $$; echo still' >out.txt 2>err)
[ "$(cat out.txt)" = still ]
result $? "a signal that is ignored stays ignored"
LD_PRELOAD=libm.so.6 "$FATHOM" run -q -- sh -c 'echo $LD_PRELOAD' >out.txt 2>err
grep -q 'libfathom.so.0:libm.so.6$' out.txt
result $? "an LD_PRELOAD of the user's own stays"

# ---- what cannot be started ----
run no-such-command
[ $status -eq 127 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q no-such-command err
result $? "a command that is not there: 127 and a sentence"
touch plain
run ./plain
[ $status -eq 126 ] && [ "$(wc -l <err)" -eq 1 ]
result $? "one that may not be executed: 126 and a sentence"
[ -z "$(ls "$FATHOM_DIR")" ]
result $? "then nothing is left behind"
run
[ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
result $? "no command at all: 2"
run --memory lots true
[ $status -eq 2 ] && grep -q lots err
result $? "a size that is none: 2"
run --memory 1K true
[ $status -eq 0 ] && grep -q -- "--memory 1K is less than the minimum; using 256K" err
result $? "a size below the minimum is told"
run --no-such-option true
[ $status -eq 2 ]
result $? "an unknown option: 2"
run --help
[ $status -eq 0 ] && grep -q mpirun out.txt
result $? "help"

# ---- signals ----
waiting='trap "echo got; exit 5" USR1; touch ready; while :; do sleep 0.02; done'
fresh
rm -f ready
"$FATHOM" run -q -- sh -c "$waiting" >out.txt 2>err &
until_true test -e ready
kill -USR1 $!
wait $!
[ $? -eq 5 ] && [ "$(cat out.txt)" = got ]
result $? "a signal to the run is passed on"
rm -f ready
"$FATHOM" run -o out/killed.fathom -- sh -c 'touch ready; sleep 30' >out.txt 2>err &
until_true test -e ready
kill -TERM $!
wait $!
[ $? -eq 143 ] && ends out/killed.fathom | grep -q 'signal 15'
result $? "SIGTERM to the run ends the command, and its profile says so"

# ---- profiles ----
fresh
run -o out/one.fathom -- sleep 0.05
[ $status -eq 0 ] && grep -q "profile in $work/out/one.fathom; view it with: fathom report" err && [ -s out/one.fathom ]
result $? "a program without MPI: the profile is where it was asked for, and that is said"
[ "$(wc -l <err)" -eq 1 ] && [ -z "$(ls "$FATHOM_DIR")" ]
result $? "in one line, with nothing left behind"
run -o out/one.fathom -- sleep 0.06
[ "$(ls out)" = one.fathom ]
result $? "the next run with the same -o replaces it"
run -o out/ -- sleep 0.05
ls out/sleep.*.fathom >/dev/null 2>&1
result $? "into a directory, under the program's name"
(cd out && rm -f ./*.fathom && "$FATHOM" run -q sleep 0.05 2>../err && ls sleep.*.fathom >/dev/null)
result $? "without -o into the current directory"
rm -f out/*
run -o relative.fathom -- sh -c 'cd / && exec sleep 0.05'
[ -s "$work/relative.fathom" ]
result $? "-o is relative to where the run was started"
run -o out/k.fathom -- sh -c 'kill -KILL $$'
[ $status -eq 137 ] && grep -q 'incomplete: rank 0 killed by signal 9 (SIGKILL)' err
result $? "a killed program: incomplete, and how it ended"
run --report terse -o out/t.fathom -- sleep 0.05
[ ! -s out.txt ] && [ "$(wc -l <err)" -gt 1 ] && grep -q '^sleep' err
result $? "--report prints a report on standard error"
run -o "$work/no/such/place.fathom" -- sh -c 'exit 4'
[ $status -eq 4 ] && grep -q 'cannot write a profile to' err && grep -q 'fathom collect -o' err
result $? "a place that cannot be written to: the command runs, the user is told before and after"
run -o /sys/place.fathom -- true
grep -q 'cannot write /sys/place.fathom: ' err && ! grep -q 'No such file' err
result $? "with the reason why the file could not be made, not that it is not there"
ls "$FATHOM_DIR"/*.segment >/dev/null 2>&1
result $? "and what was measured is kept"
rm -f out/*
"$FATHOM" collect -o out >out.txt 2>err && ls out/*.fathom >/dev/null
result $? "to be collected later"
FATHOM_DISABLE=1 "$FATHOM" run -- sh -c 'echo ${LD_PRELOAD:-none}; exit 3' >out.txt 2>err
[ $? -eq 3 ] && [ "$(cat out.txt)" = none ] && [ ! -s err ]
result $? "FATHOM_DISABLE=1: the command alone"
FATHOM_LIBRARY=/nonexistent.so "$FATHOM" run -- sh -c 'exit 3' >out.txt 2>err
[ $? -eq 3 ] && grep -q 'without measuring it' err
result $? "no library: the command runs, the user is told"

# ---- a directory of segments that is made difficult ----
fresh
(umask 0777 && "$FATHOM" run -q -o out/ -- true)
[ "$(stat -c %a "$FATHOM_DIR")" = 700 ]
result $? "a umask that takes everything away: the directory of segments can still be used"
fresh
mkdir -m 700 "$FATHOM_DIR"
flock "$FATHOM_DIR" sleep 30 &
holder=$!
sleep 0.3
timeout 20 "$FATHOM" run -q -o out/ -- sh -c 'exit 5'
[ $? -eq 5 ] && ls out/*.fathom >out.txt
result $? "a collector that does not go on holds no run up"
kill $holder

fresh
FATHOM_DIR=$work/no/such/place TMPDIR=$work "$FATHOM" run -o out/elsewhere.fathom -- sh -c 'exit 5' >out.txt 2>err
[ $? -eq 5 ] && [ "$(grep -c "^fathom: cannot create $work/no/such/place: .*; using $work/fathom-.* instead" err)" -eq 1 ]
result $? "one that cannot be made: the user is told which is used instead"
"$FATHOM" report out/elsewhere.fathom | grep -q 'data kept in TMPDIR because the default directory could not be created'
result $? "and the profile does not speak of room"
rm -rf fathom-*

# ---- places for the profile that are made difficult ----
fresh
latin=$(printf 'l\374')
mkdir "$latin"
(cd "$latin" && "$FATHOM" run -q true && ls ./*.fathom >/dev/null)
result $? "a directory whose name is not UTF-8"
rm -rf "$latin"
fresh
run -o /dev/null -- true
[ $status -eq 0 ] && [ ! -e /dev/null-2 ] && grep -q 'fathom collect -o' err
result $? "a device is no place for a profile, and nothing is written beside it"

# ---- a host file that can be read once ----
fresh
printf '#!/bin/sh\ncat "$2"\n' >mpirun
chmod +x mpirun
mkfifo hosts
echo "this host" >hosts &
timeout -k 1 20 "$FATHOM" run --quiet -- ./mpirun --hostfile hosts >out.txt 2>err && [ "$(cat out.txt)" = "this host" ]
result $? "a pipe is left to the launcher"
rm -f mpirun hosts

# ---- a program of no length ----
fresh
run --quiet -o out/short.fathom true
"$FATHOM" report out/short.fathom --format json |
    python3 -c 'import json, sys; job = json.load(sys.stdin)["job"]; sys.exit(not 0 < job["overhead_s"] <= job["wall_s"])'
result $? "what Fathom takes is a share of the time measured, however short the program is"

# ---- exec ----
fresh
printf '#!/bin/sh\nsleep 0.1\nexec true\n' >script
chmod +x script
run -o out/exec.fathom ./script
[ $status -eq 0 ] && ! grep -q incomplete err && [ "$(ls out)" = exec.fathom ] && [ -z "$(ends out/exec.fathom)" ] &&
    "$FATHOM" report out/exec.fathom | grep -q '^true on 1 rank'
result $? "a script that becomes its program by exec: the profile is the program's, and whole"

# ---- launchers, ranks, runs in runs ----
fresh
cat >mpirun <<'SCRIPT'
#!/bin/sh
echo "named ${FATHOM_NAMED:-no}"
exec "$@"
SCRIPT
chmod +x mpirun
run -- ./mpirun true
grep -q 'named no' out.txt && grep -q 'nothing was measured.*fathom doctor' err
result $? "a launcher is not measured itself; no MPI in it: the user is told"
run -- ./mpirun sh -c 'exit 3'
[ $status -eq 3 ] && grep -q 'mpirun exited with status 3 before anything was measured' err
result $? "a command that fails before any MPI call: the user is told its status"
run -- ./mpirun sh -c 'kill -TERM $$'
grep -q 'mpirun was killed by signal 15' err
result $? "or the signal"
run -- "$FATHOM" run -o out/inner.fathom -- sleep 0.05
[ "$(grep -c 'profile in' err)" -eq 1 ] && [ -s out/inner.fathom ]
result $? "a run in a run: one profile, told of once"
fresh
PMI_RANK=0 "$FATHOM" run -o out/rank.fathom -- sh -c 'exit 6' >out.txt 2>err
[ $? -eq 6 ] && [ "$(grep -c 'profile in' err)" -eq 1 ] && [ -s out/rank.fathom ]
result $? "as a rank: the status, a profile, and the last one to end says where it is"
fresh
rm -f ready
PMI_RANK=0 setsid "$FATHOM" run -o out/rank.fathom -- sh -c 'ps -o pgid= -p $$ | tr -d " " >group; touch ready; sleep 30' \
    >out.txt 2>err &
until_true test -e ready
kill -KILL -- "-$(cat group)"
until_true test -s out/rank.fathom && ends out/rank.fathom | grep -q 'signal 9'
result $? "a launcher that kills the whole group at once: still a profile, with the exact end"
until_true sh -c "[ -z \"\$(ls '$FATHOM_DIR')\" ]"
result $? "and nothing is left behind"

# ---- what is certain of a launcher's ranks ----
mkdir hydra
printf '#!/bin/sh\necho "launched=$FATHOM_LAUNCHED"\n' >hydra/mpiexec
printf '#!/bin/sh\nexec "$@"\n' >wrap
chmod +x hydra/mpiexec wrap
cp hydra/mpiexec hydra/mpiexec.hydra
cp hydra/mpiexec hydra/mpirun_rsh
cp hydra/mpiexec mpiexec # nothing says that it is a Hydra
true=$(command -v true)
launched() { # launched WHAT COMMAND...: what the ranks are told is WHAT
    wanted=$1
    shift
    run --quiet -- "$@"
    [ "$(cat out.txt)" = "launched=$wanted" ]
    result $? "${wanted:-nothing} is certain of: $*"
}
launched "$true" hydra/mpiexec -n 4 "$true" --steps 4
launched true hydra/mpiexec -n 4 -genv A wrap true
launched "$true" hydra/mpiexec -launcher ssh -launcher-exec ./wrap -hosts a,b "$true"
launched "" hydra/mpiexec -n 4 ./wrap "$true"
launched "" hydra/mpiexec -n 4 wrap "$true"
launched "" hydra/mpiexec -print-all-exitcodes ./wrap "$true"
launched env hydra/mpiexec -n 4 env A=1 "$true"
launched "" hydra/mpiexec -n 2 "$true" : -n 2 "$true"
launched "" hydra/mpiexec -genvnone -n 2 "$true"
launched "" hydra/mpiexec -wdir /elsewhere -n 2 "$true"
launched "" hydra/mpirun_rsh -n 2 "$true"
launched "" ./mpiexec -n 2 "$true"
export FATHOM_LAUNCHED=$true
launched "" sh -c 'echo "launched=$FATHOM_LAUNCHED"'
unset FATHOM_LAUNCHED

echo "1..$count"
