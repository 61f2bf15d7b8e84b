# shellcheck shell=bash disable=SC2034 # what tests of commands have in common; `failed` is for who reads this
count=0
failed=0
ok() { # ok NAME COMMAND...: the command succeeds
    local name=$1
    shift
    count=$((count + 1))
    if "$@"; then echo "ok $count - $name"; else echo "not ok $count - $name"; failed=1; fi
}
status() { # status WANTED COMMAND...: its exit status, and at most one line on stderr
    local wanted=$1
    shift
    "$@" >out 2>err
    [ $? -eq "$wanted" ] && [ "$(wc -l <err)" -eq $((wanted != 0)) ]
}
says() { grep -qF -- "$1" err; } # says TEXT: on stderr
