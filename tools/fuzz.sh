#!/bin/bash
# Feeds damaged input to each reader under libFuzzer and the sanitizers, FUZZ_SECONDS each (default 60).
# tests/fuzz/NAME_fuzz.c is a target, tests/fuzz/corpus/NAME/ its seeds; finds are kept in build/fuzz/.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-60}
mkdir -p "$build/fuzz"

for target in tests/fuzz/*_fuzz.c; do
    name=$(basename "$target" _fuzz.c)
    echo "=== $name, $seconds s"
    clang -std=gnu17 -g -O1 -D_GNU_SOURCE= -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        -Isrc -Iinclude -I"$build/src" "$target" src/base/*.c src/profile/*.c src/reduce/*.c -o "$build/fuzz/$name"
    mkdir -p "$build/fuzz/$name.found"
    seeds=()
    [ ! -d "tests/fuzz/corpus/$name" ] || seeds=("tests/fuzz/corpus/$name")
    "$build/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="$build/fuzz/$name-" "$build/fuzz/$name.found" "${seeds[@]}"
done
