#!/bin/bash
# The layer check passes the real tree and fails on includes in the wrong direction; so does the linker on symbols.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
check=$FATHOM_SOURCE/tools/check_layers.py

try() { # try FILE INCLUDE: the check's status and output for a tree with this one line in this one file
    rm -rf "$TMPDIR/tree"
    mkdir -p "$TMPDIR/tree/src/$(dirname "$1")"
    cp "$FATHOM_SOURCE/src/meson.build" "$TMPDIR/tree/src"
    printf '#include <stdio.h>\n#include "%s"\n' "$2" >"$TMPDIR/tree/src/$1"
    "$check" "$TMPDIR/tree" >"$TMPDIR/out" 2>&1
}

accepts() {
    try "$1" "$2"
    result $? "$1 may use $2"
}

refuses() {
    try "$1" "$2"
    [ $? -eq 1 ] && grep -q "^src/$1:2: " "$TMPDIR/out"
    result $? "$1 may not use $2"
}

"$check" "$FATHOM_SOURCE" >"$TMPDIR/out" 2>&1
result $? "the tree has no include in the wrong direction"
sed 's/^/# /' "$TMPDIR/out"

ninja -C "$FATHOM_BUILD" rooms >"$TMPDIR/out" 2>&1
result $? "no folder uses a symbol of one that it may not use"
grep 'undefined reference' "$TMPDIR/out" | sed 's/^/# /'

accepts base/text.c base/text.h
accepts cli/run.c base/text.h
accepts runtime/start.c merge/merge.h
accepts runtime/start.c fathom.h
accepts runtime/mpi/start.c runtime/start.h
accepts attach/unwinder.c model/call_paths.h
accepts cli/attach.c attach/session.h
accepts runtime/signal/tick.c format/segment.h
accepts runtime/start.c runtime/interpose/next.h
accepts model/profile.c generated/routines.h
refuses base/text.c model/profile.h
refuses model/profile.c format/segment.h
refuses attach/unwinder.c symbols/symbols.h
refuses analyse/modules/module_breakdown.c attach/session.h
refuses model/profile.c merge/merge.h
refuses analyse/balance/balance.c render/text.h
refuses render/text.c model/profile.h
refuses report/views.c export/export.h
refuses cli/run.c runtime/start.h
refuses report/text.c site/../runtime/start.h
refuses runtime/start.c analyse/balance/balance.h
refuses runtime/signal/tick.c merge/merge.h
refuses runtime/signal/tick.c runtime/start.h
refuses runtime/interpose/next.c runtime/runtime.h
refuses runtime/interpose/next.c runtime/signal/sample.h
refuses base/text.c generated/routines.h
refuses merge/merge.c ../runtime/start.h
refuses merge/merge.c merge.h

try utils/all.c base/text.h
[ $? -eq 1 ]
result $? "an unknown folder is refused"

echo "1..$count"
