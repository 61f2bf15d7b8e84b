#!/bin/bash
# fathom doctor: says what it finds, in lines that begin with ok, warn or bad.
set -u
# shellcheck source=tests/checks.sh
. "${FATHOM_SOURCE:-$PWD}/tests/checks.sh"
told=(out err)
FATHOM=${FATHOM:-${FATHOM_BUILD:-build}/fathom}
FATHOM=$(realpath "$FATHOM")
work=${TMPDIR:-/tmp}/doctor-$$
mkdir -p "$work" && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
export FATHOM_DIR=$work/segments

skip() { # skip TEXT REASON
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

doctor() { # doctor ARGUMENT...: its output in out and err, its status in $status
    "$FATHOM" doctor "$@" >out 2>err
    status=$?
}

doctor
[ $status -eq 0 ] && [ ! -s err ]
result $? "a working place: status 0"
grep -vqE '^(ok   |warn |bad  |      fix: |      hint: |[0-9]+ ok, )' out
[ $? -eq 1 ]
result $? "every line is a finding, a fix or the sum"
for what in library hosts segments space leftovers counters clock limits MPI; do
    grep -qE "^(ok|warn) +$what:" out
    result $? "it looks at: $what"
done
FATHOM_EVERYWHERE=0 doctor
grep -A1 '^ok    hosts:' out | grep -q 'hint: set FATHOM_EVERYWHERE=1'
result $? "what several hosts need, and the variable that changes it"
FATHOM_EVERYWHERE=1 doctor
grep -q '^ok    hosts: merged over MPI' out
result $? "which is seen once it is set"
FATHOM_LIBRARY=/nonexistent doctor
[ $status -eq 1 ] && grep -q '^bad   library:' out
result $? "no library is bad"
mkdir -m 755 segments
doctor
grep -q '^warn  segments:' out && grep -q 'chmod 700' out
result $? "a directory that is open to others is told, with the fix"
chmod 700 segments
head -c 8192 /dev/urandom >segments/job.1.2.3.segment
doctor
grep -q '^warn  leftovers: 1 damaged' out
result $? "damaged leftovers are told"

FATHOM_DIR=$work/no/such/place doctor
grep -q '^warn  segments: cannot create .*/no/such/place .*using TMPDIR instead' out
result $? "a directory that cannot be made is told"
for stack in 100 512; do
    (ulimit -s $stack && "$FATHOM" doctor >out 2>err)
    [ $? -eq $((stack < 512)) ] && [ "$(grep -c '^bad   limits: the stack' out)" -eq $((stack < 512)) ]
    result $? "a stack of $stack KiB is room enough to tell of it"
done

# The kernel's word on the counter of an x86, as another machine would give it.
source=/sys/devices/system/clocksource/clocksource0/current_clocksource
echo hpet >hpet
with_hpet() { # with_hpet COMMAND...
    # shellcheck disable=SC2016 # for the shell inside
    unshare --mount sh -c 'mount --bind hpet "$0" && exec "$@"' "$source" "$@"
}
if [ "$(uname -m)" = x86_64 ] && with_hpet true 2>/dev/null; then
    with_hpet "$FATHOM" doctor >out 2>err
    grep -q "^warn  clock: clock_gettime, because the kernel's clock source is hpet" out
    result $? "a counter that the kernel does not use is not used"
    with_hpet "$FATHOM" run -o hpet.fathom --sample off sh -c : >out 2>err &&
        "$FATHOM" report hpet.fathom --format json | grep -q 'timed with clock_gettime because the kernel.s clock source'
    result $? "and a profile says so"
else
    skip "a counter that the kernel does not use" "needs root on an x86"
fi

doctor no-such-program
[ $status -eq 1 ] && grep -q '^bad   program:' out
result $? "a program that is not there"
doctor sh
[ $status -eq 0 ] && grep -q '^ok    program:.*not linked with MPI' out
result $? "a program without MPI"
printf '#!/bin/sh\n' >script && chmod +x script
doctor ./script
[ $status -eq 0 ] && grep -q '^ok    program:.*script' out
result $? "a script"
echo text >text && chmod +x text
doctor text
[ $status -eq 1 ] && grep -q 'text: no such command in PATH' out && grep -q 'fix: use ./text' out
result $? "a file here that is not in PATH"
doctor ./text
[ $status -eq 1 ] && grep -q '^bad   program:' out
result $? "what is no program"
shell=$(realpath "$(command -v sh)")
head -c 200 "$shell" >short && chmod +x short
doctor ./short
[ $status -eq 1 ] && grep -q 'damaged' out
result $? "a program that is cut short"

if command -v gcc >/dev/null; then
    echo 'int MPI_Init(int *a, char ***b) { (void)a; (void)b; return 0; } int main(void) { return MPI_Init(0, 0); }' >static.c
    gcc static.c -o static
    doctor ./static
    [ $status -eq 1 ] && grep -q '^bad   program:.*statically' out
    result $? "MPI linked statically"
    gcc -static static.c -o whole
    doctor ./whole
    [ $status -eq 1 ] && grep -q '^bad   program:.*statically' out
    result $? "a program linked statically"
    "$FATHOM" run -o p.fathom ./static >out 2>err
    grep -q 'no MPI call was seen: .* is statically linked with MPI' err
    result $? "fathom run tells of it too"
    "$FATHOM" run ./whole >out 2>err && grep -q 'nothing was measured' err
    result $? "and of a program that nothing can be loaded into"
    for at in 16 18 40 52 54 56 58 60 64 100 200 500; do
        cp static flipped
        printf '\377\377\377\377' | dd of=flipped bs=1 seek=$at conv=notrunc status=none
        doctor ./flipped
        [ $status -le 1 ] || break
    done
    [ $status -le 1 ]
    result $? "a damaged program does no harm"
else
    skip "programs linked statically" "no gcc"
fi
for compiler in mpicc.openmpi mpicc.mpich; do
    if command -v $compiler >/dev/null; then
        echo '#include <mpi.h>
int main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }' >mpi.c
        $compiler mpi.c -o mpi
        doctor ./mpi
        case $compiler in *openmpi) kind='Open MPI' ;; *) kind=MPICH ;; esac
        [ $status -eq 0 ] && grep -q "^ok    program:.*$kind" out
        result $? "a program with $kind"
        for launcher in mpirun.openmpi mpirun.mpich; do
            if ! command -v $launcher >/dev/null; then
                skip "a program of $compiler where mpirun is $launcher" "there is none"
                continue
            fi
            mkdir -p bin && ln -sf "$(command -v $launcher)" bin/mpirun
            PATH=$work/bin:$PATH doctor ./mpi
            case $compiler-$launcher in
            *openmpi-*openmpi | *mpich-*mpich) ! grep -q '^warn  program: mpirun belongs to' out ;;
            *) [ $status -eq 0 ] && grep -q '^warn  program: mpirun belongs to' out ;;
            esac
            result $? "a program of $compiler where mpirun is $launcher"
        done
    else
        skip "a program of $compiler" "there is none"
    fi
done

echo "1..$count"
