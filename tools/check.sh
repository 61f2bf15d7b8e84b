#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks format, layers, cyclic dependencies, names, variables of the runtime, shell scripts and lint, each with a
# heading. All checks are run; the exit status is nonzero if any fails.
#   tools/check.sh            check                 tools/check.sh --format    rewrite the C sources instead
# shellcheck disable=SC2317 # functions are called by name
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
faults=0

c_sources() { # c_sources FOLDER...
    find "$@" \( -name '*.c' -o -name '*.h' \) -print0 2>/dev/null | sort -z
}

if [ "${1:-}" = --format ]; then
    c_sources src include tests bench examples | xargs -0 clang-format -i
    exit
fi

check() { # check HEADING COMMAND...
    local heading=$1 started=$SECONDS
    shift
    if "$@"; then
        printf '%-8s ok (%d s)\n' "$heading" $((SECONDS - started))
    else
        printf '%-8s FAILED\n' "$heading"
        faults=1
    fi
}

format() {
    c_sources src include tests bench examples | xargs -0 clang-format --dry-run --Werror 2>&1 |
        awk -F: '/error:/ && !seen[$1]++ { print $1 ": not in the common format; run make format" } END { exit NR > 0 }'
}

scripts() {
    grep -rlE '^#!/bin/(ba)?sh' .ci tools tests bench examples 2>/dev/null | sort | xargs shellcheck -x
}

circles() {
    find "$build" "$build/src" -maxdepth 1 -name 'lib*.a.p' -print0 | xargs -0 tools/check_circles.py
}

# With its default node limit the analyzer takes minutes, and has not found more.
lint() {
    c_sources src | grep -zv '\.h$' | xargs -0 -P "$(nproc)" -I{} \
        clang-tidy --quiet {} -- -std=gnu17 -D_GNU_SOURCE= '-DFM_VERSION="0"' -Wall -Wextra -Wno-string-plus-int \
        -Isrc -Iinclude -I"$build/src" -I"$(pkg-config --variable=includedir libpq)" -Xclang -analyzer-config -Xclang max-nodes=20000 2>/dev/null
}

check format format
check layers tools/check_layers.py .
check rooms ninja --quiet -C "$build" rooms
check circles circles
check names tools/check_names.py .
check globals tools/check_globals.py "$build/libfathom.so.0"
check scripts scripts
check lint lint
exit $faults
