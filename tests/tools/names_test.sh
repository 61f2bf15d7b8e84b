#!/bin/bash
# The check for tags passes the real tree, and finds one that two files define; not one that is used, or only mentioned.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
check=$FATHOM_SOURCE/tools/check_names.py

"$check" "$FATHOM_SOURCE" >"$TMPDIR/out" 2>&1
result $? "no tag of the tree is defined twice"

mkdir -p "$TMPDIR/tree/src/a" "$TMPDIR/tree/src/b"
printf '%s\n' 'struct item {' '    int n;' '};' >"$TMPDIR/tree/src/a/one.h"
printf '%s\n' '/* struct item {' ' */' 'static struct item *next(struct item *item)' '{' '    return item;' '}' \
    >"$TMPDIR/tree/src/b/two.c"
"$check" "$TMPDIR/tree" >"$TMPDIR/out" 2>&1
result $? "a tag that is used elsewhere, and named in a comment, is defined once"

printf '%s\n' '/* of its own */' 'enum item { FIRST };' >>"$TMPDIR/tree/src/b/two.c"
"$check" "$TMPDIR/tree" >"$TMPDIR/out" 2>&1
[ $? -eq 1 ] && grep -qx "src/b/two.c:8: 'item' is also defined in src/a/one.h:1" "$TMPDIR/out"
result $? "a tag that another file defines again is found, and both places are told"

"$check" "$TMPDIR/nothing" >"$TMPDIR/out" 2>&1
[ $? -eq 2 ]
result $? "a folder without sources is an error"

echo "1..$count"
