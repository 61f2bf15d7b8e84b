#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make deb`: the packages are the same if made twice, install with the system's own dpkg, work, start nothing, and go
without a trace. Installed into a copy of the system's tree that only the test sees: an overlay in a mount namespace."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import jobs

IN_COPY = """set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --bind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
mount -t tmpfs none "$1/root/tmp"
mkdir "$1/root/tmp/packages"
cp "$2"/*.deb "$1/root/tmp/packages"
exec chroot "$1/root" /bin/sh -s
"""
SCRIPT = r"""
exec 2>&1
cd /tmp
rm -rf /etc/fathom /var/spool/fathom /var/lib/fathom /var/log/fathom # of a site on this system, in the copy
find /etc /usr /var /lib/systemd -xdev ! -path '/var/lib/dpkg*' ! -path '/var/cache/*' ! -path '/var/log/dpkg.log*' 2>/dev/null | sort >before
step() { # step NAME COMMAND...
    name=$1
    shift
    if "$@" >out 2>&1; then echo "ok $name"; else echo "not ok $name"; sed 's/^/# /' out; fi
}
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
mode() { [ "$(stat -c '%a %U %G' "$1")" = "$2" ] || { stat -c '%n %a %U %G' "$1"; false; }; }
not() { ! "$@"; }
step "installs" dpkg -i packages/*.deb
step "the tool is the installed one" sh -c 'command -v fathom && fathom --version && fathom report --help'
step "it measures" sh -c 'env -u FATHOM_LIBRARY fathom run -q -o true.fathom -- /bin/true && fathom report true.fathom'
step "its manual pages" sh -c '[ -e /usr/share/man/man1/fathom.1.gz ] && [ -e /usr/share/man/man3/fathom_timer_start.3.gz ]'
step "a C program builds with it" sh -c 'echo "#include <fathom.h>
int main(void) { fathom_region_begin(\"a\"); fathom_region_end(\"a\"); return 0; }" >user.c && gcc user.c -o user -lfathom && ./user'
step "the web pages are in it" grep -q 'id="app"' /usr/bin/fathom
step "the spool is for everybody's files and nobody's eyes" mode /var/spool/fathom "1733 root root"
step "a user can write there" as_nobody sh -c 'touch /var/spool/fathom/x'
step "but not look" not as_nobody ls /var/spool/fathom
rm -f /var/spool/fathom/x
step "the user of the services" sh -c 'getent passwd fathom | grep nologin'
step "its state is its own" mode /var/lib/fathom "750 fathom fathom"
step "and so is the log" mode /var/log/fathom "750 fathom fathom"
step "the configuration is a file of the administrator" sh -c 'dpkg-query -W -f "\${Conffiles}" fathom-site | grep /etc/fathom/site.conf'
step "units to send, ingest, analyse and thin" sh -c 'cd /lib/systemd/system && ls fathom-send.timer fathom-ingest.service fathom-analyse.timer fathom-thin.timer && grep -q "^ExecStart=/usr/bin/fathom site analyse" fathom-analyse.service'
step "no unit is enabled" sh -c '! find /etc/systemd /run/systemd -name "fathom*" | grep .'
step "nothing of rsyslog, Slurm or the dynamic linker is changed" sh -c '! grep -rl fathom /etc --include=*.conf --include=ld.so.preload | grep -v ^/etc/fathom/'
step "no path of where it was built" sh -c '! grep -rlE "/usr/local|@[a-z]+dir@" /usr/share/fathom/site /lib/systemd/system/fathom* /usr/lib/pkgconfig/fathom*'
echo "spool = /other" >>/etc/fathom/site.conf
step "installs again" dpkg -i packages/*.deb
step "the changed configuration is kept" grep -q "^spool = /other" /etc/fathom/site.conf
step "is removed" dpkg -r fathom-site fathom
step "with the configuration kept" test -e /etc/fathom/site.conf
step "is purged" dpkg -P fathom-site fathom
find /etc /usr /var /lib/systemd -xdev ! -path '/var/lib/dpkg*' ! -path '/var/cache/*' ! -path '/var/log/dpkg.log*' 2>/dev/null | sort >after
step "nothing is left" sh -c 'diff before after | grep "^[<>]" | grep -vE "(passwd|group|shadow|gshadow|subuid|subgid)-$|/etc/alternatives|fontconfig|mandb" | grep . && exit 1 || exit 0'
"""


def build(folder):
    folder.mkdir()
    done = subprocess.run([jobs.SOURCE / "tools" / "deb.sh"], env={**os.environ, "BUILD": str(jobs.BUILD), "OUTPUT": str(folder)},
                          capture_output=True, text=True, check=False)
    return done, {path.name: path.read_bytes() for path in folder.iterdir()}


def main():
    tap = jobs.Tap()
    if not (jobs.BUILD / "spank_fathom.so").exists():
        tap.skip("Debian packages", "the plug-in for Slurm is not built: slurm/spank.h was not found")
        tap.done()
    first, again = jobs.SCRATCH / "first", jobs.SCRATCH / "again"
    done, packages = build(first)
    tap.ok(done.returncode == 0 and sorted(name.split("_")[0] for name in packages) == ["fathom", "fathom-site"],
           "two packages", done.stdout + done.stderr)
    tap.ok(build(again)[1] == packages, "made again, they are the same")
    copy = jobs.SCRATCH / "copy"
    copy.mkdir()
    done = subprocess.run(["unshare", "--mount", "sh", "-c", IN_COPY, "sh", copy, first], input=SCRIPT, capture_output=True, text=True,
                          timeout=300, check=False, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
    lines = done.stdout.splitlines()
    if not any(line.startswith(("ok", "not ok")) for line in lines):
        tap.skip("installing them", "this system allows no overlay: " + (done.stderr.splitlines() or ["no reason given"])[-1])
    elif not any(line.endswith("ok nothing is left") for line in lines):
        tap.ok(False, "all steps were done", *lines, done.stderr)
    for number, line in enumerate(lines):
        if line.startswith(("ok ", "not ok ")):
            details = []
            for more in lines[number + 1:]:
                if not more.startswith("#"):
                    break
                details.append(more[2:])
            tap.ok(line.startswith("ok"), line.split("ok ", 1)[1], *details)
    tap.done()


main()
