#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Feeds damaged input to each reader under libFuzzer and the sanitizers, FUZZ_SECONDS each (default 60).
# tests/fuzz/NAME_fuzz.c is a target, tests/fuzz/corpus/NAME/ its seeds (make seeds writes them anew when a format
# changes); what it finds stays in build/fuzz/.
set -eu
cd "$(dirname "$0")/.."
made=${BUILD:-build}/fuzz
seconds=${FUZZ_SECONDS:-60}

mkdir -p "$made"
log=$made/build.log
[ -f "$made/build.ninja" ] || CC=clang meson setup "$made" >"$log" 2>&1 || { cat "$log"; exit 1; }
ninja -C "$made" fuzz-targets >"$log" 2>&1 || { cat "$log"; exit 1; }

# Only on x86-64 is the leak check quick.
leaks=$([ "$(uname -m)" = x86_64 ] && echo 1 || echo 0)

for seeds in tests/fuzz/corpus/*/; do
    name=$(basename "$seeds")
    mkdir -p "$made/$name.grown"
    log=$made/$name.log
    if "$made/tests/$name-fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -detect_leaks="$leaks" -artifact_prefix="$made/$name-" "$made/$name.grown" "$seeds" >"$log" 2>&1; then
        echo "$name: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, no fault"
    else
        tail -n 60 "$log"
        echo "$name: FAILED; the whole output is in $log"
        exit 1
    fi
done
