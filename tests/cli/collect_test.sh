#!/bin/bash
# fathom collect: what dead processes left behind becomes profiles; the living and the damaged are left alone.
set -u
# shellcheck source=tests/checks.sh
. "${FATHOM_SOURCE:-$PWD}/tests/checks.sh"
told=(out.txt err)
FATHOM=${FATHOM:-${FATHOM_BUILD:-build}/fathom}
FATHOM=$(realpath "$FATHOM")
library=${FATHOM_LIBRARY:-$(dirname "$FATHOM")/libfathom.so.0}
work=${TMPDIR:-/tmp}/collect-$$
mkdir -p "$work/out" && cd "$work" || exit 1
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export FATHOM_DIR=$work/segments
unset FATHOM_RUN_ID FATHOM_OUTPUT FATHOM_REPORT

files() { # files DIRECTORY: how many there are
    find "$1" -type f 2>/dev/null | wc -l
}

collect() { # collect ARGUMENT...: its output in out.txt and err, its status in $status
    "$FATHOM" collect "$@" >out.txt 2>err
    status=$?
}

start() { # start: a measured program in the background that nobody waits for, when its segment is complete; $pid
    sh -c 'export FATHOM_NAMED=$$ LD_PRELOAD=$0; exec sleep 60' "$library" &
    pid=$!
    for _ in $(seq 200); do
        [ "$(head -c 8 "$FATHOM_DIR"/*."$pid".*.segment 2>/dev/null)" = FATHOMSG ] && return
        sleep 0.05
    done
}

end() { # end: kills the program
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
}

collect
[ $status -eq 0 ] && grep -q "^nothing to collect in $FATHOM_DIR" out.txt
result $? "no directory: nothing to collect"
collect --quiet
[ $status -eq 0 ] && [ ! -s out.txt ]
result $? "--quiet says nothing"
collect /no/such/directory
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]
result $? "a directory that is not there"
collect -o /no/such/directory
[ $status -eq 2 ]
result $? "an output directory that is not there"
collect --wait forever
[ $status -eq 2 ]
result $? "a time that is none"

start
collect -o out
[ $status -eq 0 ] && grep -q 'skipped, 1 process still running' out.txt && [ -z "$(ls out)" ]
result $? "a living process is left alone, and named"
end
collect -o out
profile=$(ls out/sleep.*.fathom 2>/dev/null)
[ $status -eq 0 ] && [ -n "$profile" ] && grep -q "^$work/$profile: 1 of 1 rank; rank 0 vanished" out.txt
result $? "a dead one becomes a profile, in one line"
[ -z "$(ls "$FATHOM_DIR")" ]
result $? "its segment is gone"
collect
grep -q '^nothing to collect' out.txt
result $? "and is collected once"

start
(sleep 0.5; kill -KILL $pid) &
collect -o out --wait 20
[ $status -eq 0 ] && [ "$(files out)" -eq 2 ]
result $? "--wait waits for living ones to end"

start
end
segment=$(ls "$FATHOM_DIR"/*.segment)
head -c 100000 "$segment" >cut.txt && cp cut.txt "$segment"
collect -o out
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$segment" err && [ -e "$segment" ]
result $? "a damaged one is named and left"
rm -f "$segment"

start
end
segment=$(ls "$FATHOM_DIR"/*.segment)
dd if=/dev/urandom of="$segment" bs=1 seek=100 count=200 conv=notrunc status=none
collect -o out
[ $status -le 1 ] && [ "$(wc -l <err)" -le 1 ]
result $? "a damaged head does no harm"
rm -f "$FATHOM_DIR"/*

start
end
mv "$FATHOM_DIR" moved
collect moved -o out
[ $status -eq 0 ] && [ "$(files out)" -ge 3 ]
result $? "another directory"

mkdir -p "$FATHOM_DIR" && chmod 700 "$FATHOM_DIR"
touch "$FATHOM_DIR/old.job" "$FATHOM_DIR/old.run" "$FATHOM_DIR/held.run" "$FATHOM_DIR/other.txt"
flock "$FATHOM_DIR/held.run" "$FATHOM" collect >out.txt 2>err
[ "$(files "$FATHOM_DIR")" -eq 2 ] && [ -e "$FATHOM_DIR/held.run" ] && [ -e "$FATHOM_DIR/other.txt" ]
result $? "files that belong to nothing any more are swept away, others are not"
rm -f "$FATHOM_DIR"/*

namespace=$(stat -L -c %i /proc/self/ns/pid)
half=$FATHOM_DIR/single-1-2.999999.2.$namespace.segment
truncate -s 4M "$half"
touch -d '1 hour ago' "$half"
truncate -s 4M "$FATHOM_DIR/single-1-2.999998.2.$namespace.segment"
collect
[ $status -eq 0 ] && [ ! -e "$half" ] && [ "$(files "$FATHOM_DIR")" -eq 1 ]
result $? "segments that were never set up are no error, and are swept away once nobody can be at it"
rm -f "$FATHOM_DIR"/*

boot=$(head -c 8 /proc/sys/kernel/random/boot_id)
self=$(cut -d ' ' -f 22 /proc/$$/stat)
touch "$FATHOM_DIR/.fathom-$boot-$namespace-999999-2.tmp" "$FATHOM_DIR/.fathom-$boot-$namespace-$$-$self.tmp"
collect
[ $status -eq 0 ] && [ "$(ls -A "$FATHOM_DIR")" = ".fathom-$boot-$namespace-$$-$self.tmp" ]
result $? "a file in the making is swept away when its maker is dead"
rm -f "$FATHOM_DIR"/.f*

start
end
collect
ls "$work"/sleep.*.fathom >/dev/null 2>&1
result $? "without -o the profile goes where the job was"

echo "1..$count"
