#!/bin/bash
# `make install` puts everything in its place, and the installed tree works wherever it is moved to.
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
top=$TMPDIR/root
prefix=$top$(sed -n 's/^prefix=//p' "$FATHOM_BUILD/meson-private/fathom.pc")

DESTDIR=$top meson install -C "$FATHOM_BUILD" --no-rebuild >"$TMPDIR/out" 2>&1
result $? "install into a DESTDIR"

for file in bin/fathom lib/libfathom.so.0 lib/libfathom.so lib/pkgconfig/fathom.pc lib/pkgconfig/fathom-fortran.pc lib/fortran/fathom.mod \
    include/fathom.h share/fathom/fathom.f90 lib/libfathom_fortran.a share/man/man1/fathom.1 \
    share/man/man3/fathom-timers.3 share/man/man3/fathom_timer_start.3; do
    [ -e "$prefix/$file" ]
    result $? "$file is there"
done

[ ! -e "$prefix/lib/libfathom.a" ]
result $? "no archive of the runtime: a second copy in a program would count twice"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$top
cat >user.c <<'END'
#include <fathom.h>
int main(void)
{
    fathom_region_begin("solver");
    fathom_region_end("solver");
    return 0;
}
END
# shellcheck disable=SC2046 # flags are words
gcc -Wall -Werror user.c -o user $(pkg-config --cflags --libs fathom) >"$TMPDIR/out" 2>&1 &&
    LD_LIBRARY_PATH=$prefix/lib ./user >>"$TMPDIR/out" 2>&1
result $? "a C program builds with pkg-config and runs"

cat >user.f90 <<'END'
program user
    use fathom
    call fathom_region_begin("solver")
    call fathom_region_end("solver")
end program
END
# shellcheck disable=SC2046
gfortran user.f90 -o user_f $(pkg-config --cflags --libs fathom-fortran) >"$TMPDIR/out" 2>&1 &&
    LD_LIBRARY_PATH=$prefix/lib ./user_f >>"$TMPDIR/out" 2>&1
result $? "a Fortran program builds with the installed module and runs"

mv "$prefix" "$TMPDIR/moved"
"$TMPDIR/moved/bin/fathom" run -o here.fathom -- /bin/true >"$TMPDIR/out" 2>&1 && [ -s here.fathom ]
result $? "the installed tool finds its library, wherever it lies"

echo "1..$count"
