"""Several hosts on one machine: each a mount and UTS namespace with a name and a /dev/shm of its own, reached by a
script that stands in for ssh. The launchers and MPI take them for hosts, and so does Fathom. Needs root.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = """#!/bin/sh
# A launcher calls it as it would call ssh: [options] HOST COMMAND...
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
[ -e {root}/$host.mnt ] || {{ echo "no route to host $host" >&2; exit 255; }}
exec nsenter --mount={root}/$host.mnt --uts={root}/$host.uts sh -c "cd '$PWD' && $*"
"""
SHM = "mount -t tmpfs -o mode=1777 tmpfs /dev/shm && hostname"


class Hosts:
    """with Hosts("nodea", "nodeb") as hosts: ..."""

    def __init__(self, *names):
        self.names = names
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hosts-"))
        self.agent = str(self.root / "agent")

    def __enter__(self):
        # names of namespaces can be bound only where mounts do not spread
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.root], check=True)
        subprocess.run(["mount", "--make-private", self.root], check=True)
        for name in self.names:
            (self.root / f"{name}.mnt").touch()
            (self.root / f"{name}.uts").touch()
            subprocess.run(["unshare", f"--mount={self.root}/{name}.mnt", f"--uts={self.root}/{name}.uts", "sh", "-c",
                            f"{SHM} {name}"], check=True)
        script = pathlib.Path(self.agent)
        script.write_text(SCRIPT.format(root=self.root), encoding="utf-8")
        script.chmod(0o755)
        return self

    def __exit__(self, *_):
        for name in self.names:
            for kind in ("mnt", "uts"):
                subprocess.run(["umount", self.root / f"{name}.{kind}"], check=False)
        subprocess.run(["umount", self.root], check=False)
        self.root.rmdir()

    def on(self, name, *command, **options):
        """Runs a command on one of the hosts."""
        return subprocess.run([self.agent, name, *command], capture_output=True, text=True, check=False, **options)

    def hide(self, name, directory):
        """On this host there is an empty directory instead, of the host's own."""
        done = self.on(name, "mount", "-t", "tmpfs", "tmpfs", str(directory), cwd="/")
        if done.returncode:
            raise OSError(done.stderr)

    def set(self, name, variable, value):
        """Whatever is started on this host finds this in its environment."""
        agent = pathlib.Path(self.agent)
        line = f'[ "$host" = {name} ] && export {variable}={value}\n'
        agent.write_text(agent.read_text(encoding="utf-8").replace("exec ", line + "exec ", 1), encoding="utf-8")

    def lose(self, name):
        """The host is not to be reached any more."""
        subprocess.run(["umount", self.root / f"{name}.mnt"], check=True)
        (self.root / f"{name}.mnt").unlink()

    def mpirun(self, mpi, slots):
        """The words that start slots[name] ranks on each host."""
        listed = ",".join(f"{name}:{n}" for name, n in slots.items())
        launcher = f"mpirun.{mpi.name}"
        total = str(sum(slots.values()))
        if mpi.name == "openmpi":
            return [launcher, "--mca", "plm_rsh_agent", self.agent, "--oversubscribe", "--host", listed, "-n", total]
        return [launcher, "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", listed, "-n", total]


def require():
    """Ends the test where there can be no hosts."""
    why_not = "needs root for namespaces"
    if os.geteuid() == 0:
        probe = subprocess.run(["unshare", "-m", "-u", "true"], capture_output=True, check=False)
        why_not = "" if probe.returncode == 0 else "namespaces cannot be made here"
    if why_not:
        print(f"1..0 # skip {why_not}")
        sys.exit()
