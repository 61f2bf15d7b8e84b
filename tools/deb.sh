#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the Debian packages fathom and fathom-site of what is built, for the system it was built on: called by `make deb` after
# the build. Only dpkg itself is needed. The packages are written to $OUTPUT (default: the build directory).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
output=${OUTPUT:-$build}

if ! command -v dpkg-deb >/dev/null; then
    echo "deb: dpkg-deb was not found; this is not a Debian system" >&2
    exit 1
fi
if [ ! -e "$build/spank_fathom.so" ]; then
    echo "deb: the plug-in for Slurm was not built; install libslurm-dev, then run make again" >&2
    exit 1
fi

version=$("$build/fathom" --version | awk '{ print $2 }')
architecture=$(dpkg --print-architecture)
slurm=$(dpkg-query -W -f '${source:Upstream-Version}' libslurm-dev 2>/dev/null || true)
prefix=$(sed -n 's/^prefix=//p' "$build/meson-private/fathom.pc")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH # same sources, same packages

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# What was built for another prefix works anywhere; only texts have its paths.
all=$work/all
DESTDIR=$all meson install -C "$build" --no-rebuild --quiet >/dev/null
if [ "$prefix" != /usr ]; then
    mkdir -p "$work/moved"
    mv "$all$prefix" "$work/moved/usr"
    all=$work/moved
    grep -rlIF "$prefix" "$all/usr/share/fathom/site" "$all/usr/lib/pkgconfig" |
        xargs sed -i "s#$prefix/#/usr/#g; s#^prefix=.*#prefix=/usr#"
fi

take() { # take PACKAGE PATH...: from what was installed, by its path below /
    local root=$work/$1 path
    shift
    for path; do
        mkdir -p "$root/$(dirname "$path")"
        mv "$all/$path" "$root/$path"
    done
}

take fathom-site usr/lib/fathom usr/share/fathom/site
mkdir -p "$work/fathom-site/lib/systemd" "$work/fathom-site/etc/fathom" "$work/fathom-site/var/spool/fathom"
mv "$work/fathom-site/usr/share/fathom/site/systemd" "$work/fathom-site/lib/systemd/system"
install -m 644 examples/site/site.conf "$work/fathom-site/etc/fathom/site.conf"
# Every user may put a profile there; nobody may list, read or remove those of others.
chmod 1733 "$work/fathom-site/var/spool/fathom"
take fathom usr
strip --strip-debug "$work/fathom/usr/lib/libfathom.so.0" "$work/fathom-site/usr/lib/fathom/spank_fathom.so"
strip "$work/fathom/usr/bin/fathom"

# The packages that have the libraries which a program itself is linked with.
libraries_of() {
    local needed
    needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    ldd "$1" | awk -v needed="${needed//$'\n'/ }" 'BEGIN { n = split(needed, name, " "); for (; n; n--) wanted[name[n]] = 1 }
        $3 ~ /^\// && wanted[$1] { print $3 }' | while read -r library; do
        dpkg-query -S "$(realpath "$library")" 2>/dev/null || dpkg-query -S "$library"
    done | sed 's/:.*//' | sort -u | while read -r package; do
        printf '%s (>= %s)\n' "$package" "$(dpkg-query -W -f '${source:Upstream-Version}\n' "$package" | awk 'NR == 1')"
    done | paste -sd, | sed 's/,/, /g'
}
depends=$(libraries_of "$work/fathom/usr/bin/fathom")

finish() { # finish PACKAGE
    local root=$work/$1 doc=$work/$1/usr/share/doc/$1 name
    mkdir -p "$doc" "$root/DEBIAN"
    { echo "Fathom, a profiler for MPI programs"; echo; cat LICENSE; } >"$doc/copyright"
    gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
    mkdir -p "$root/usr/share/man"
    find "$root/usr/share/man" -type f -exec gzip -9n {} +
    find "$root/usr/share/man" -type l | while read -r name; do
        ln -s "$(readlink "$name").gz" "$name.gz"
        rm "$name"
    done
    rmdir --ignore-fail-on-non-empty "$root/usr/share/man"
    sed "s#@version@#$version#; s#@architecture@#$architecture#; s#@depends@#$depends#; s#@slurm@#${slurm:-another version}#;
        s#@size@#$(du -sk "$root" --exclude=DEBIAN | cut -f1)#" "tools/deb/$1.control" >"$root/DEBIAN/control"
    for name in postinst prerm postrm; do
        [ ! -e "tools/deb/$1.$name" ] || install -m 755 "tools/deb/$1.$name" "$root/DEBIAN/$name"
    done
    [ ! -d "$root/etc" ] || (cd "$root" && find etc -type f -printf '/%p\n' | sort >DEBIAN/conffiles)
    (cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    dpkg-deb --root-owner-group -Zxz --build "$root" "$output/${1}_${version}_$architecture.deb" >/dev/null
    echo "deb: $output/${1}_${version}_$architecture.deb"
}

# what manual pages and the administrator's guide refer to
for page in README.md doc/[!AD]*.md doc/ADMIN.md doc/API.md; do
    [ ! -e "$page" ] || install -D -m 644 "$page" "$work/fathom/usr/share/doc/fathom/$(basename "$page")"
done
mkdir -p "$output"
finish fathom
finish fathom-site
