#!/bin/bash
# The check for circles finds two files that need each other, by one step or several, and says how; not a weak reference.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
check=$FATHOM_SOURCE/tools/check_circles.py

compile() { # compile NAME TEXT
    mkdir -p "$TMPDIR/objects"
    printf '%s\n' "$2" >"$TMPDIR/$1.c"
    gcc -c -o "$TMPDIR/objects/$1.c.o" "$TMPDIR/$1.c"
}

compile first 'void second(void); void first(void) { second(); }'
compile second 'void third(void); void second(void) { third(); }'
compile third 'extern void first(void) __attribute__((weak)); void third(void) { if (first) first(); }'
"$check" "$TMPDIR/objects" >"$TMPDIR/out" 2>&1
result $? "what is used in one direction is no circle, nor does a weak reference close one"

compile third 'void first(void); void third(void) { first(); }'
"$check" "$TMPDIR/objects" >"$TMPDIR/out" 2>&1
[ $? -eq 1 ] && grep -q '^3 files in a circle: first.c second.c third.c$' "$TMPDIR/out" &&
    grep -q '^    third.c uses first of first.c$' "$TMPDIR/out"
result $? "a circle of three files is found and told"

"$check" "$TMPDIR/nothing" >"$TMPDIR/out" 2>&1
[ $? -eq 2 ]
result $? "a folder without object files is an error"

echo "1..$count"
