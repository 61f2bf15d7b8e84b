#!/bin/bash
# What runs in a signal handler calls nothing that allocates, locks or prints: only these.
set -u
allowed='__errno_location|_dl_find_object|clock_gettime|getauxval|getcontext|getpid|memcpy|memmove|memset|pthread_self|syscall|fm_[a-z_]+|_GLOBAL_OFFSET_TABLE_'
allowed+='|__aarch64_[a-z0-9_]+' # atomic operations, which the compiler puts in a library of its own
objects=("$FATHOM_BUILD"/libfathom.so.0.p/src_measure_signal_*.o)

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

# names of our own must be of the same folder, where the same holds
comm -23 <(undefined | grep '^fm_') <(defined) >"$TMPDIR/others"
if [ ! -s "$TMPDIR/others" ]; then
    echo "ok 2 - and of our own functions only those of the same folder"
else
    echo "not ok 2 - and of our own functions only those of the same folder"
    sed 's/^/# /' "$TMPDIR/others"
fi
echo "1..2"
