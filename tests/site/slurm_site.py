"""A site for tests: Slurm with the plug-in, a spool and an Epilog that collects and sends, and MPI programs that know nothing
of Fathom, all where every user can reach them."""
import os
import pathlib
import pwd
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import jobs
import slurm

USER, OTHER = pwd.getpwnam("nobody").pw_uid, pwd.getpwnam("daemon").pw_uid
EPILOG = """#!/bin/sh
[ ! -e {folder}/send.conf ] || export FATHOM_SITE_CONFIG={folder}/send.conf
FATHOM_PROGRAM={folder}/fathom/fathom exec {source}/epilog
"""


class Site(slurm.Slurm):
    """`text`: of the programs, which are the same under each of the names; programs[name, name of the MPI] is the path. The
    Epilog sends by the configuration send.conf, once it is there."""

    ARGUMENTS = ("lib={folder}/fathom/libfathom.so.0 conf={folder}/site.conf off={folder}/off")

    def __init__(self, text, *names):
        super().__init__(f"optional {{folder}}/fathom/spank_fathom.so {self.ARGUMENTS}\n", "Epilog={folder}/epilog")
        (self.folder / "fathom").mkdir(mode=0o755)
        for name in ("fathom", "libfathom.so.0", "spank_fathom.so"):
            shutil.copy(jobs.BUILD / name, self.folder / "fathom")
        shutil.copytree(jobs.SOURCE / "examples" / "site" / "slurm", self.folder / "examples")
        self.spool = self.folder / "profiles"
        self.spool.mkdir()
        self.spool.chmod(0o1733)
        self.off = self.folder / "off"
        (self.folder / "site.conf").write_text(
            f"spool = {self.spool}\nexclude_users = daemon\nexclude_programs = excluded.*\n")
        epilog = self.folder / "epilog"
        epilog.write_text(EPILOG.format(folder=self.folder, source=self.folder / "examples"))
        epilog.chmod(0o755)
        self.home = {}
        for uid in (USER, OTHER):
            self.home[uid] = self.folder / f"home-{uid}"
            self.home[uid].mkdir()
            os.chown(self.home[uid], uid, uid)
        self.programs = {}
        for mpi in jobs.MPIS:
            for name in names:
                built = mpi.compile(name, text)
                self.programs[name, mpi.name] = shutil.copy(built, self.folder)

    def taken(self):
        """The profiles of the spool as JSON, which are removed."""
        reports = []
        for path in sorted(self.spool.glob("*.fathom")):
            report = jobs.Job(self.spool, self.spool).report(str(path))
            report["owner"], report["mode"] = path.stat().st_uid, path.stat().st_mode & 0o777
            reports.append(report)
            path.unlink()
        return reports


def srun_of(mpi):
    return ["--mpi=pmi2" if mpi.name == "mpich" else "--mpi=pmix", "--ntasks=2"]
