#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes a release tarball of the last commit, with the built web pages in it, so that a user needs no node. Called by
# `make dist` after the build.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}

version=$("$build/fathom" --version | awk '{ print $2 }')
name=fathom-$version
if [ ! -s "$build/web/app.js" ] || [ "$(cat "$build/web/digest")" = missing ]; then
    echo "dist: the web pages were not built; install nodejs and npm, then run make again" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD | tar -x -C "$work"
mkdir "$work/$name/web/bundle"
cp "$build/web/app.js" "$build/web/app.css" "$work/$name/web/bundle/"
# same commit, same tarball
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -c "$name" |
    gzip -9n >"$build/$name.tar.gz"
echo "dist: $build/$name.tar.gz"
