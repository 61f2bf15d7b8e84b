#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that are missing: tools/setup.sh [build] [run] [test]   (default: all groups)
# Does nothing, quickly, if none is missing; without permission to install, prints the command to run.
# tools/setup.sh --missing [GROUP...] only prints their names.
set -eu

list=$(dirname "$0")/packages.txt
list_only=
if [ "${1:-}" = --missing ]; then
    list_only=yes
    shift
fi
groups=${*:-build run test}

for group in $groups; do
    case $group in
    build | run | test) ;;
    *)
        echo "setup: no group '$group' in $list; the groups are build, run and test." >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this is not a Debian system; going on with what is installed ($list names what is needed)." >&2
    exit 0
fi

wanted=$(awk -v groups=" $groups " -v here="[$(dpkg --print-architecture)]" \
    '$1 !~ /^#/ && NF && index(groups, " " $1 " ") && ($3 !~ /^\[/ || $3 == here) { print $2 }' "$list")
# A package provided by another one also counts as installed: some nodejs packages include npm.
# shellcheck disable=SC2086 # one word per package
missing=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' $wanted 2>/dev/null |
    awk -v wanted="$wanted" '$1 == "installed" { gsub(",", ""); for (i = 2; i <= NF; i++) have[$i] = 1 }
        END { n = split(wanted, name); for (i = 1; i <= n; i++) if (!(name[i] in have)) printf "%s ", name[i] }')
missing=${missing% }
[ -n "$missing" ] || exit 0
if [ -n "$list_only" ]; then
    echo "$missing"
    exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    echo "setup: some packages are missing and only root may install them. Run this line, then try again:" >&2
    echo "  sudo apt-get update && sudo apt-get install --no-install-recommends -y $missing"
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { # step TEXT COMMAND...: one line of progress; the output of the command only if it fails
    printf 'setup: %s ... ' "$1"
    shift
    started=$(date +%s)
    if "$@" >"$log" 2>&1 </dev/null; then
        echo "done ($(($(date +%s) - started)) s)"
    else
        echo "failed"
        cat "$log" >&2
        echo "setup: '$*' failed; its output is above." >&2
        exit 1
    fi
}

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q "$@"
}

# shellcheck disable=SC2086
count=$(set -- $missing && echo $#)
step "reading the package lists" apt update
# shellcheck disable=SC2086
step "fetching $count packages and what they need" apt install -y --no-install-recommends --download-only $missing
# shellcheck disable=SC2086
step "installing $missing" apt install -y --no-install-recommends $missing
