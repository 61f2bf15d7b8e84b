"""Slurm for tests: Debian's own munged, slurmctld and slurmd, with this machine as the only node, in a folder of their own,
on free ports of the loopback interface. Needs root, as slurmd starts the jobs of other users; neither cgroups nor systemd.
"""
import os
import pathlib
import random
import re
import socket
import subprocess

import daemons

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "sinfo", "squeue", "scontrol", "setpriv")
TRIES = 3
LIMIT_S = 60
WAITED = re.compile(r"^srun: job \d+ (queued and waiting for resources|has been allocated resources)\n", re.MULTILINE)

CONFIGURATION = """\
ClusterName=fathom
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge
SlurmctldPort={port_controller}
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdDebug=verbose
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=1
ReturnToService=2
KillWait=2
FirstJobId={first_job}
MpiDefault=none
PlugStackConfig={folder}/plugstack.conf
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 Port={port_node} CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
{more}
"""


def unavailable():
    """Why Slurm cannot be started here; None if it can."""
    return daemons.missing(*PROGRAMS)


class Slurm(daemons.Daemons):
    """`plugstack`: the lines of plugstack.conf, `more`: further lines of slurm.conf; {folder} in both is the folder."""

    def __init__(self, plugstack="", more=""):
        super().__init__("slurm")
        for name in ("run", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        # numbers that no other Slurm of this host uses: they are in the names of segments
        self.first_job = random.randrange(1000, 60_000_000, 1000)
        self.more = more.replace("{folder}", str(self.folder))
        self.set_plugstack(plugstack)
        self.environment = {"PATH": "/usr/bin:/bin:/usr/sbin", "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "LC_ALL": "C.UTF-8", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_pml": "ob1",
                            "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader"}

    def __enter__(self):
        try:
            self.start_munge()
            for last in range(TRIES, 0, -1):
                try:
                    self.start_slurm()
                    break
                except daemons.NotStarted:
                    if last == 1:
                        raise
                    for _, process in self.running[1:]:
                        self.end(process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        if not self.interrupted:  # else what runs is killed
            self.ask("scancel", "--state=RUNNING")
            daemons.wait_for(lambda: not self.ask("squeue", "-h").strip(), 10)
        self.stop()

    def set_plugstack(self, lines):
        """Read at the start of each srun, sbatch and slurmstepd."""
        (self.folder / "plugstack.conf").write_text(lines.replace("{folder}", str(self.folder)))

    def start_munge(self):
        key, sock = self.folder / "munge.key", self.folder / "run" / "munge"
        key.touch(mode=0o400)
        key.write_bytes(os.urandom(1024))
        munged = self.start("munged", [daemons.find("munged"), "--foreground", f"--socket={sock}", f"--key-file={key}",
                                       f"--pid-file={self.folder}/run/munged.pid", f"--seed-file={self.folder}/seed",
                                       f"--log-file={self.folder}/munged.log", "--num-threads=2"])
        self.await_start("munged", munged, sock.exists)

    def start_slurm(self):
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, port_controller=daemons.free_port(),
            port_node=daemons.free_port(), first_job=self.first_job, more=self.more))
        controller = self.start("slurmctld", [daemons.find("slurmctld"), "-D", "-i"], self.environment)
        node = self.start("slurmd", [daemons.find("slurmd"), "-D", "-N", "node"], self.environment)
        self.await_start("slurmctld", controller, lambda: node.poll() is not None or self.is_up())
        if node.poll() is not None:
            raise daemons.NotStarted(f"slurmd did not start:\n{self.log('slurmd')}")

    def is_up(self):
        return self.ask("sinfo", "-h", "-o", "%T").strip() == "idle"

    def ask(self, *command):
        """The output of a command of Slurm, as root."""
        try:
            return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=20,
                                  check=False).stdout
        except subprocess.TimeoutExpired:
            return ""

    def run(self, uid, command, env=None, cwd=None):
        """A command of this user, with Slurm's commands in its path."""
        return subprocess.run(daemons.as_user(uid, command), env={**self.environment, **(env or {})}, cwd=cwd or "/",
                              capture_output=True, text=True, timeout=LIMIT_S, check=False)

    def srun(self, uid, *command, env=None, cwd=None):
        """A step of its own. Whether it had to wait for the one before it is not of interest."""
        done = self.run(uid, ["srun", "--overcommit", *command], env, cwd)
        done.stderr = WAITED.sub("", done.stderr)
        return done

    def sbatch(self, uid, script, *options, folder):
        """Runs a batch script to its end; (its exit status, what it printed). `folder`: a directory of that user for both."""
        path = pathlib.Path(folder)
        script_file, out = path / "job.sh", path / "job.out"
        script_file.write_text("#!/bin/bash\n" + script)
        done = self.run(uid, ["sbatch", "--parsable", "--overcommit", "--ntasks=2", f"--output={out}", *options, script_file],
                        cwd=path)
        # not --wait, which asks after ever longer pauses
        job = done.stdout.strip()
        if not job or not daemons.wait_for(lambda: not self.ask("squeue", "-h", "-j", job).strip(), LIMIT_S):
            return None, done.stderr
        status = re.search(r" ExitCode=(\d+):", self.ask("scontrol", "show", "job", "-o", job))
        text = out.read_text(errors="replace") if out.exists() else ""
        out.unlink(missing_ok=True)
        script_file.unlink()
        return int(status[1]) if status else None, text + done.stderr
