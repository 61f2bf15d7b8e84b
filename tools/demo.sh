#!/bin/sh
# Measures the mini ocean model on 4 ranks and shows the report. Called by `make demo` after the build.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
model=$build/examples/openmpi/miniocean
profile=$build/demo.fathom

# More ranks than cores is what a demo on a laptop needs; the root user of a container is asked twice.
launcher='mpirun.openmpi --oversubscribe'
[ "$(id -u)" -ne 0 ] || launcher="$launcher --allow-run-as-root"

heading() {
    printf '\n=== %s\n' "$*"
}

heading "building the mini ocean model"
mkdir -p "$(dirname "$model")"
make -s --no-print-directory -C examples/miniocean FC=mpifort.openmpi BUILD="$(realpath "$(dirname "$model")")"

heading "fathom run -- $launcher -n 4 $model"
rm -f "$profile"
# shellcheck disable=SC2086 # the launcher's options are words
"$build/fathom" run -o "$profile" -- $launcher -n 4 "$model"

heading "fathom report $profile"
"$build/fathom" report "$profile"

echo
echo "The profile is in $profile. Go on with:"
next() {
    printf '  %-58s %s\n' "$1" "$2"
}
next "$build/fathom report $profile --view balance" "which ranks wait"
next "$build/fathom report $profile --view topology" "who talks to whom"
next "$build/fathom report $profile --format json" "everything, for programs"
next "$build/fathom run -- mpirun -n 4 ./your-program" "your own program, as it is"
next "$build/fathom doctor" "what works on this machine"
