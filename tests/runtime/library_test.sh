#!/bin/bash
# What is loaded into a user's program: libc alone, one SONAME, nothing exported that could clash.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
library=$FATHOM_BUILD/libfathom.so.0

readelf -dW "$library" >"$TMPDIR/dynamic"
: >"$TMPDIR/out"

grep -q 'SONAME.*\[libfathom\.so\.0\]' "$TMPDIR/dynamic"
result $? "the SONAME is libfathom.so.0"

sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$TMPDIR/dynamic" | grep -vE '^(libc\.so\.6|ld-linux-.*)$' >"$TMPDIR/out"
[ ! -s "$TMPDIR/out" ]
result $? "it needs nothing but libc"

grep -E 'TEXTREL|RPATH|RUNPATH' "$TMPDIR/dynamic" >"$TMPDIR/out"
[ ! -s "$TMPDIR/out" ]
result $? "no text relocations, no search path of its own"

readelf -rW "$library" | grep -E 'R_(AARCH64_TLSDESC|AARCH64_TLS_DTPMOD|X86_64_DTPMOD64|X86_64_TLSDESC)' >"$TMPDIR/out"
[ ! -s "$TMPDIR/out" ]
result $? "thread-local data is reached without a call"

readelf -lW "$library" >"$TMPDIR/segments"
awk '$1 == "GNU_STACK" && $7 ~ /E/ { print "executable stack" }' "$TMPDIR/segments" >"$TMPDIR/out"
tls_bytes=$(($(awk '$1 == "TLS" { print $6 }' "$TMPDIR/segments") + 0))
[ $tls_bytes -le 512 ] || echo "$tls_bytes bytes of thread-local data" >>"$TMPDIR/out"
[ ! -s "$TMPDIR/out" ]
result $? "no executable stack, and thread-local data that fits a late dlopen"

nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | grep -E '^(fm_|_?fm)' >"$TMPDIR/out"
[ ! -s "$TMPDIR/out" ]
result $? "internal names stay inside"

echo "1..$count"
