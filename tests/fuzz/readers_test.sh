#!/bin/bash
# The readers of profiles, segments, records and addresses stand a few seconds of damaged input; `make fuzz` goes on for longer.
set -u
cd "$FATHOM_SOURCE" || exit 1
if BUILD=$FATHOM_BUILD FUZZ_SECONDS=${FUZZ_SECONDS:-5} tools/fuzz.sh; then
    echo "ok 1 - no crash, no sanitizer report, no hang"
else
    echo "not ok 1 - no crash, no sanitizer report, no hang"
fi
echo "1..1"
