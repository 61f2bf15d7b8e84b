#!/bin/bash
# tools/setup.sh finds what is missing and installs it, or says how; with stand-ins for dpkg-query, apt-get, id, sudo.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out" "$TMPDIR/calls")
stubs=$TMPDIR/stubs
mkdir -p "$stubs" "$TMPDIR/tools"
cp "$FATHOM_SOURCE/tools/setup.sh" "$TMPDIR/tools/"
cat >"$TMPDIR/tools/packages.txt" <<'END'
# a comment
build  one    # why
run    two    # why
test   three  # why
build  four   [arm64]  # why
build  five   [amd64]
END

stub() { # stub NAME <SCRIPT
    { echo '#!/bin/sh'; cat; } >"$stubs/$1"
    chmod +x "$stubs/$1"
}

machine() { # machine UID SUDO_STATUS APT_STATUS INSTALLED...
    stub dpkg <<<'echo riscv64'
    stub id <<<"echo $1"
    stub sudo <<<"[ $2 -eq 0 ] || exit 1; shift; exec \"\$@\""
    stub apt-get <<<"echo \"apt-get \$*\" >>$TMPDIR/calls; echo words of apt; exit $3"
    shift 3
    { printf 'echo "installed %s"\n' "$@"; echo 'echo "config-files three"; exit 1'; } | stub dpkg-query
    : >"$TMPDIR/calls"
}

setup() { # setup STATUS GROUP...
    local wanted=$1
    shift
    PATH=$stubs:$PATH "$TMPDIR/tools/setup.sh" "$@" >"$TMPDIR/out" 2>&1
    [ $? -eq "$wanted" ]
}

machine 0 1 0 one two
setup 0 build run && [ ! -s "$TMPDIR/out" ] && [ ! -s "$TMPDIR/calls" ]
result $? "does and says nothing when all is there"

machine 0 1 0 one 'two, zero, three'
setup 0 && [ ! -s "$TMPDIR/calls" ]
result $? "what a package provides is there"

machine 0 1 0 one
setup 0 && grep -qx 'apt-get -q update' "$TMPDIR/calls" &&
    grep -q 'install -y --no-install-recommends two three$' "$TMPDIR/calls"
result $? "root installs what is missing, with a removed package among it"

machine 0 1 0 one
setup 0 build run && grep -q 'install -y --no-install-recommends two$' "$TMPDIR/calls"
result $? "only the groups asked for"
! grep -q 'words of apt' "$TMPDIR/out" && [ "$(wc -l <"$TMPDIR/out")" -eq 3 ]
result $? "one line of progress per step"

machine 0 1 0 one
stub dpkg <<<'echo arm64'
setup 0 build && grep -q 'install -y --no-install-recommends four$' "$TMPDIR/calls"
result $? "what one architecture needs is for it alone"

machine 1000 0 0 one two
setup 0 && grep -q 'install -y --no-install-recommends three$' "$TMPDIR/calls"
result $? "others install through sudo"

machine 1000 1 0 one two
setup 1 && [ ! -s "$TMPDIR/calls" ] &&
    grep -q 'sudo apt-get update && sudo apt-get install --no-install-recommends -y three$' "$TMPDIR/out"
result $? "without sudo the line to run is printed"

machine 0 1 0 one
setup 0 --missing run test && [ ! -s "$TMPDIR/calls" ] && [ "$(cat "$TMPDIR/out")" = "two three" ]
result $? "asked to, it names what is missing and installs nothing"
setup 0 --missing build && [ ! -s "$TMPDIR/out" ]
result $? "it names nothing when all is there"

machine 0 1 100 one two
setup 1 && grep -q 'words of apt' "$TMPDIR/out"
result $? "what apt said is shown when it fails"

setup 2 toast && grep -q "no group 'toast'" "$TMPDIR/out"
result $? "an unknown group is refused"

echo "1..$count"
