#!/bin/bash
# What runs in a signal handler calls nothing that allocates, locks or prints: only these.
set -u
allowed='__errno_location|_dl_find_object|clock_gettime|getauxval|getcontext|getpid|memcpy|memmove|memset|pthread_self|fm_[a-z_]+|_GLOBAL_OFFSET_TABLE_'
allowed+='|__aarch64_[a-z0-9_]+' # atomic operations, which the compiler puts in a library of its own
objects=("$FATHOM_BUILD"/src/libruntime-signal.a.p/*.o "$FATHOM_BUILD"/src/libruntime-counters.a.p/*.o)

undefined() {
    nm -u "${objects[@]}" | awk '$1 == "U" { print $2 }' | sort -u
}
defined() {
    nm --defined-only "${objects[@]}" | awk 'NF == 3 { print $3 }' | sort -u
}

undefined | grep -vxE "$allowed" >"$TMPDIR/others"
if [ -e "${objects[0]}" ] && [ -n "$(undefined)" ] && [ ! -s "$TMPDIR/others" ]; then
    echo "ok 1 - nothing but what is safe in a handler is called"
else
    echo "not ok 1 - nothing but what is safe in a handler is called"
    sed 's/^/# /' "$TMPDIR/others"
fi

# names of our own must be of the same folders, where the same holds; but for one that only reads clocks
comm -23 <(undefined | grep '^fm_' | grep -vx fm_clock_error_ppb) <(defined) >"$TMPDIR/others"
if [ ! -s "$TMPDIR/others" ]; then
    echo "ok 2 - and of our own functions only those of the same folders"
else
    echo "not ok 2 - and of our own functions only those of the same folders"
    sed 's/^/# /' "$TMPDIR/others"
fi
# bound by the loader before the program runs: LD_DEBUG names what it binds, and when it hands over to the program
LD_DEBUG=bindings,files LD_PRELOAD=$FATHOM_BUILD/libfathom.so.0 FATHOM_DIR=$TMPDIR/segments \
    sh -c 'FATHOM_NAMED=$$ exec sleep 0.2' >/dev/null 2>"$TMPDIR/bindings"
awk '/transferring control: sleep/ { runs = 1 }
    runs && /binding file .*libfathom/ { print }' "$TMPDIR/bindings" | grep -E "symbol .($allowed)'" >"$TMPDIR/others"
if grep -q 'transferring control: sleep' "$TMPDIR/bindings" && [ ! -s "$TMPDIR/others" ]; then
    echo "ok 3 - what a handler calls is bound before the first sample"
else
    echo "not ok 3 - what a handler calls is bound before the first sample"
    sed 's/^/# /' "$TMPDIR/others"
fi
# the marks around the handler's entry, by which a signal that comes with a sample is told
nm -S "$FATHOM_BUILD/libfathom.so.0" >"$TMPDIR/symbols"
word() { # of the line of a symbol, as a number
    echo $((16#$(awk -v name="$1" -v n="$2" '$NF == name { print $n }' "$TMPDIR/symbols")))
}
begins=$(word fm_sample_signal 1) size=$(word fm_sample_signal 2)
if [ "$size" -gt 0 ] && [ "$(word fm_sample_entry 1)" = "$begins" ] &&
    [ "$(word fm_sample_entry_end 1)" = "$((begins + size))" ]; then
    echo "ok 4 - the marks are where the handler begins and ends"
else
    echo "not ok 4 - the marks are where the handler begins and ends"
    grep fm_sample "$TMPDIR/symbols" | sed 's/^/# /'
fi
echo "1..4"
