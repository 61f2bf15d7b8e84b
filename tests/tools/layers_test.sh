#!/bin/bash
# The layer check passes the real tree and fails on includes in the wrong direction.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
check=$FATHOM_SOURCE/tools/check_layers.py

try() { # try FILE INCLUDE: the check's status and output for a tree with this one line in this one file
    rm -rf "$TMPDIR/tree"
    mkdir -p "$TMPDIR/tree/src/$(dirname "$1")"
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

accepts base/text.c base/text.h
accepts cli/run.c base/text.h
accepts measure/start.c reduce/merge.h
accepts measure/start.c fathom.h
accepts attach/walk.c profile/paths.h
accepts cli/attach.c attach/session.h
accepts measure/signal/tick.c profile/segment.h
accepts profile/profile.c generated/routines.h
refuses base/text.c profile/profile.h
refuses attach/walk.c analyse/symbols.h
refuses analyse/modules.c attach/session.h
refuses profile/profile.c reduce/merge.h
refuses analyse/balance.c present/text.h
refuses cli/run.c measure/start.h
refuses present/text.c site/../measure/start.h
refuses measure/start.c analyse/balance.h
refuses measure/signal/tick.c reduce/merge.h
refuses measure/signal/tick.c measure/start.h
refuses base/text.c generated/routines.h
refuses reduce/merge.c ../measure/start.h
refuses reduce/merge.c merge.h

try utils/all.c base/text.h
[ $? -eq 1 ]
result $? "an unknown folder is refused"

echo "1..$count"
