#!/bin/bash
# The man pages are sound, all installed, and there is one for every command.
set -u
cd "$FATHOM_SOURCE" || exit 1
count=0

result() { # result STATUS TEXT
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$TMPDIR/out"
    fi
}

for page in man/*.[13]; do
    MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>"$TMPDIR/out" >/dev/null
    [ ! -s "$TMPDIR/out" ]
    result $? "$page has no faults"
    grep -qF "'${page#man/}'" man/meson.build
    result $? "$page is installed"
done

for command in run report scale export modules attach collect doctor; do
    [ -s "man/fathom-$command.1" ]
    result $? "fathom $command has a page"
done

echo "1..$count"
