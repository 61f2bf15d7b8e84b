#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds what needs only libc, the library and its unit tests, for the other of the two supported architectures:
# tools/cross.sh DIRECTORY TARGET...    Prints nothing unless it fails. The result runs under qemu-user.
set -eu

directory=$1
shift
case $(uname -m) in
x86_64) other=aarch64 ;;
aarch64) other=x86_64 ;;
*)
    echo "cross: this is neither x86-64 nor aarch64; there is no other architecture to build for." >&2
    exit 2
    ;;
esac
prefix=$other-linux-gnu

mkdir -p "$directory"
log=$directory/cross.log
if [ ! -f "$directory/build.ninja" ]; then
    cat >"$directory/cross.ini" <<END
[binaries]
c = '$prefix-gcc'
ar = '$prefix-ar'
strip = '$prefix-strip'

[host_machine]
system = 'linux'
cpu_family = '$other'
cpu = '$other'
endian = 'little'
END
    meson setup "$directory" "$(dirname "$0")/.." --cross-file "$directory/cross.ini" -Dtool=false >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
fi
ninja -C "$directory" "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
