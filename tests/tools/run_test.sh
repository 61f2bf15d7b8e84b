#!/bin/bash
# The test runner counts what tests say and takes a file that ends badly for a failure.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
tree=$TMPDIR/tree
missing= # packages that are not installed

runs() { # runs STATUS LAST_LINE TEXT [WORD...] <SCRIPT: the runner over a tree with the script as its test
    local status=$1 last=$2 text=$3
    shift 3
    rm -rf "$tree"
    mkdir -p "$tree/tests/part" "$tree/tools"
    printf '#!/bin/sh\necho "%s"\n' "$missing" >"$tree/tools/setup.sh"
    chmod +x "$tree/tools/setup.sh"
    sed 's/^LIMIT_S = .*/LIMIT_S = 1/' "$FATHOM_SOURCE/tests/run" >"$tree/tests/run"
    cat >"$tree/tests/part/one_test.sh"
    env -u BUILD /usr/bin/python3 "$tree/tests/run" "$@" >"$TMPDIR/out" 2>&1
    [ $? -eq "$status" ] && [ "$(tail -n 1 "$TMPDIR/out")" = "$last" ]
    result $? "$text"
}

runs 0 "2 passed, 0 failed" "all pass" <<<'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b # not skipped"'
runs 0 "1 passed, 0 failed, 1 skipped" "one is skipped" <<<'echo "ok 1"; echo "ok 2 # SKIP no mpirun"; echo 1..2'
grep -qx '    skipped: no mpirun' "$TMPDIR/out"
result $? "the reason is shown"
runs 0 "2 passed, 0 failed, 2 skipped" "two are skipped" \
    <<<'echo "ok 1"; echo "ok 2 - a # SKIP no mpirun"; echo "ok 3 - b # skip: no gcc"; echo "ok 4"; echo 1..4'
tail -n 4 "$TMPDIR/out" | head -n 3 | diff - <(printf '%s\n' skipped: '    part/one_test.sh: a: no mpirun' '    part/one_test.sh: b: no gcc') >/dev/null
result $? "all that was skipped is listed at the end"
runs 0 "0 passed, 0 failed, 1 skipped" "a whole file is skipped" <<<'echo "1..0 # skip no browser"'
runs 1 "1 passed, 1 failed, 1 skipped" "one is skipped for no reason" <<<'echo 1..2; echo "ok 1"; echo "ok 2 - a # skip"'
runs 1 "0 passed, 1 failed, 1 skipped" "a file plans nothing, for no reason" <<<'echo "1..0"'
missing="one two"
runs 1 "1 passed, 2 failed" "packages are missing" <<<'echo 1..1; echo "ok 1"'
grep -qx 'not ok: package two of tools/packages.txt is missing' "$TMPDIR/out"
result $? "they are named"
missing=
runs 1 "1 passed, 1 failed" "one fails" <<<'echo 1..2; echo "ok 1"; echo "not ok 2 - sum"; echo "# 3 is not 4"; exit 1'
grep -q '3 is not 4' "$TMPDIR/out"
result $? "the output of a failing test is shown"
runs 1 "1 passed, 1 failed" "no plan" <<<'echo ok 1'
runs 1 "0 passed, 1 failed" "nothing printed" <<<'exit 0'
runs 1 "1 passed, 1 failed" "fewer than planned" <<<'echo 1..2; echo ok 1'
runs 1 "1 passed, 1 failed" "a bad status" <<<'echo 1..1; echo ok 1; exit 3'
runs 1 "1 passed, 1 failed" "a crash" <<<'echo 1..1; echo ok 1; kill -SEGV $$'
runs 1 "1 passed, 1 failed" "a hang" <<<'echo 1..1; echo ok 1; sleep 60'
runs 0 "1 passed, 0 failed" "one left behind holds nothing up" <<<'echo 1..1; echo ok 1; sleep 60 &'
runs 0 "1 passed, 0 failed" "a word that fits" one <<<'echo 1..1; echo ok 1'
runs 1 "tests/run: no test has two in its name." "a word that does not" two <<<'echo 1..1; echo ok 1'

# ---- interrupted ----
mkdir "$TMPDIR/scratch"
cat >"$tree/tests/part/one_test.sh" <<END
echo \$\$ >"$TMPDIR/pid"
sleep 600
END
TMPDIR=$TMPDIR/scratch env -u BUILD /usr/bin/python3 "$tree/tests/run" >"$TMPDIR/out" 2>&1 &
until [ -s "$TMPDIR/pid" ]; do sleep 0.1; done
kill -TERM $!
wait $!
[ $? -eq 143 ]
result $? "who ends the runner gets its status"
! kill -0 "$(cat "$TMPDIR/pid")" 2>/dev/null
result $? "its tests are ended"
[ -z "$(ls -A "$TMPDIR/scratch")" ]
result $? "and their folders removed"

: >"$tree/tests/part/forgotten_test.c"
env -u BUILD /usr/bin/python3 "$tree/tests/run" >"$TMPDIR/out" 2>&1
[ $? -eq 1 ] && grep -q 'not listed in tests/meson.build' "$TMPDIR/out"
result $? "a C test that is not built is a failure"

echo "1..$count"
