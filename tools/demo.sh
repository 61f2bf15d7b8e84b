#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures the mini ocean model on 4 ranks and shows the report; then, with timers, on 16 ranks with two distributions
# of land and ocean; at last a site with twelve jobs (demo_site.sh). Called by `make demo` after the build.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
model=$build/examples/openmpi/miniocean
timed=$build/examples/openmpi-timed/miniocean
profile=$build/demo.fathom

# A laptop may have fewer cores than the demo has ranks; as root (in a container) Open MPI requires an option.
launcher='mpirun.openmpi --oversubscribe'
[ "$(id -u)" -ne 0 ] || launcher="$launcher --allow-run-as-root"

heading() {
    printf '\n=== %s\n' "$*"
}

make_model() { # make_model PROGRAM [VARIABLE=VALUE...]
    folder=$(dirname "$1")
    shift
    mkdir -p "$folder"
    make -s --no-print-directory -C examples/miniocean FC=mpifort.openmpi BUILD="$(realpath "$folder")" "$@"
}

measure() { # measure PROFILE RANKS PROGRAM [OPTION...]
    to=$1 ranks=$2
    shift 2
    heading "fathom run -o $to -- $launcher -n $ranks $*"
    rm -f "$to"
    # shellcheck disable=SC2086 # the launcher's options are words
    "$build/fathom" run -o "$to" -- $launcher -n "$ranks" "$@"
}

report() { # report PROFILE [OPTION...]
    heading "fathom report $*"
    "$build/fathom" report "$@"
}

heading "building the mini ocean model, without and with timers"
make_model "$model"
make_model "$timed" FATHOM="$(realpath "$build")"

# as many ranks as cores: with more, all that could be said is that they had to wait for a core
ranks=$(nproc)
[ "$ranks" -ge 2 ] || ranks=2
[ "$ranks" -le 4 ] || ranks=4
measure "$profile" "$ranks" "$model"
report "$profile"

for distribution in cartesian packed; do
    measure "$build/$distribution.fathom" 16 "$timed" --steps 10 --dist "$distribution"
    report "$build/$distribution.fathom" --timer baroclinic_driver --histograms cluster --groups 4
done

echo
echo "Ranks with land alone take microseconds for what takes the others milliseconds: 2-3,6-7 when blocks are"
echo "distributed by place, 14-15 when blocks with ocean are packed to the low ranks; so 14 ranks do."
report "$profile" --view calls --top 15
report "$profile" --modules examples/miniocean/modules.txt
report "$profile" --view sequence --modules examples/miniocean/modules.txt
"$build/fathom" report "$profile" --modules examples/miniocean/modules.txt --format svg -o "$build/demo.svg"
page=
if "$build/fathom" report "$profile" --modules examples/miniocean/modules.txt --source examples/miniocean \
    --format html -o "$build/demo.html"; then
    page=$build/demo.html
fi

echo
[ -z "$page" ] || echo "The whole report is a page for a browser: $page"
echo "The profile is in $profile. Go on with:"
next() {
    printf '  %-58s %s\n' "$1" "$2"
}
next "$build/fathom report $profile --view balance" "which ranks wait"
next "$build/fathom report $profile --view topology" "who talks to whom"
next "$build/fathom report $profile --view flat" "which lines use the time"
[ -z "$page" ] || next "a browser on $page" "all of it, to look at"
next "a browser on $build/demo.svg" "the picture of its modules"
next "$build/fathom report $build/packed.fathom --view timers" "all timers"
next "$build/fathom report $profile --format json" "everything, for programs"
next "$build/fathom run -- mpirun -n 4 ./your-program" "your own program, as it is"
next "$build/fathom doctor" "what works on this machine"

BUILD=$build tools/demo_site.sh
