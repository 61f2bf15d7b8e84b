#!/bin/bash
# The man pages are sound, all installed, and there is one for every command.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
cd "$FATHOM_SOURCE" || exit 1

for page in man/*.[13]; do
    MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>"$TMPDIR/out" >/dev/null
    [ ! -s "$TMPDIR/out" ]
    result $? "$page has no faults"
    grep -qF "'${page#man/}'" man/meson.build
    result $? "$page is installed"
done

for command in run report scale check list export modules attach collect calibrate doctor serve site; do
    [ -s "man/fathom-$command.1" ]
    result $? "fathom $command has a page"
done

echo "1..$count"
