# shellcheck shell=bash disable=SC2034 # what tests in shell have in common; `failed` is for who reads this
count=0
failed=0
told=() # files that say more when something is wrong
result() { # result STATUS TEXT
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=1
        sed 's/^/# /' /dev/null "${told[@]}" 2>/dev/null
    fi
}
ok() { # ok NAME COMMAND...: the command succeeds
    local name=$1
    shift
    "$@"
    result $? "$name"
}
status() { # status WANTED COMMAND...: its exit status, and at most one line on stderr
    local wanted=$1
    shift
    "$@" >out 2>err
    [ $? -eq "$wanted" ] && [ "$(wc -l <err)" -eq $((wanted != 0)) ]
}
built() { # built PROGRAM...: ends the test where one is not
    local program
    for program in "$@"; do
        [ -x "$program" ] || { echo "not ok 1 - $program is not built"; echo "1..1"; exit 1; }
    done
}
says() { grep -qF -- "$1" err; } # says TEXT: on stderr
