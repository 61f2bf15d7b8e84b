#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make install` puts into share/fathom/site works: module files with Lmod, units with systemd's own checker."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import jobs

LMOD = pathlib.Path("/usr/share/lmod/lmod/libexec/lmod")
PROGRAM = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
# of systemd-analyze security, times ten
UNITS_MAX_EXPOSURE = {"fathom-serve.service": 20, "fathom-ingest.service": 20, "fathom-analyse.service": 20, "fathom-thin.service": 20,
                      "fathom-send.service": 35, "fathom-mail.service": 90, "fathom-collect.service": 60}


def install():
    """The installed tree at a place of its own: (prefix, directory of site files with the paths of that place)."""
    root = jobs.SCRATCH / "root"
    subprocess.run(["meson", "install", "-C", jobs.BUILD, "--no-rebuild", "--quiet"], env={**os.environ, "DESTDIR": str(root)},
                   check=True, stdout=subprocess.DEVNULL)
    prefix = re.search(r"^prefix=(.*)$", (jobs.BUILD / "meson-private" / "fathom.pc").read_text(), re.MULTILINE)[1]
    moved = root / prefix.lstrip("/")
    spool = jobs.SCRATCH / "spool"
    spool.mkdir()
    for path in (moved / "share" / "fathom" / "site").rglob("*"):
        if path.is_file():
            text = path.read_text()
            path.write_text(text.replace(prefix + "/", f"{moved}/").replace("/var/spool/fathom", str(spool)))
    return moved, moved / "share" / "fathom" / "site", spool


def module(env, words):
    """The environment after `module WORDS`, as a shell would have it."""
    script = f'eval "$({LMOD} bash {words})"; env -0'
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, check=True)
    return dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if "=" in entry)


def check_modules(tap, site, prefix, spool):
    if not LMOD.exists():
        tap.skip("module files", "Lmod is not installed")
        return
    library, mpi = f"{prefix}/lib/libfathom.so.0", jobs.MPIS[0]
    program = mpi.compile("barrier", PROGRAM)
    for kind in ("lua", "tcl"):
        path = jobs.SCRATCH / f"modules-{kind}"
        for name in ("fathom", "fathom-site"):
            (path / name).mkdir(parents=True)
            shutil.copy(site / "modules" / f"{name}.{kind}", path / name / ("1.0.lua" if kind == "lua" else "1.0"))
        before = {**jobs.environment(jobs.SCRATCH / "segments"), "MODULEPATH": str(path), "LMOD_DIR": str(LMOD.parent),
                  "LD_PRELOAD": "libm.so.6"}
        loaded = module(before, "load fathom")
        tap.ok(shutil.which("fathom", path=loaded["PATH"]) == f"{prefix}/bin/fathom" and loaded["LD_PRELOAD"] == "libm.so.6",
               f"{kind}: fathom is in the path, and nothing is measured", loaded)
        loaded = module(before, "load fathom-site")
        tap.equal((loaded.get("LD_PRELOAD"), loaded.get("FATHOM_OUTPUT")), (f"{library}:libm.so.6", f"{spool}/"),
                  f"{kind}: fathom-site sets what is needed, and keeps what there was")
        subprocess.run([*mpi.mpirun(2), program], env=loaded, cwd=jobs.SCRATCH, check=True, timeout=jobs.LIMIT_S)
        tap.equal(len(list(spool.glob("*.fathom"))), 1, f"{kind}: a job leaves a profile in the spool")
        for profile in spool.iterdir():
            profile.unlink()
        after = module(loaded, "unload fathom-site")
        tap.equal((after.get("LD_PRELOAD"), after.get("FATHOM_OUTPUT")), ("libm.so.6", None),
                  f"{kind}: nothing stays when it is unloaded")
        own = module({**before, "FATHOM_OUTPUT": "mine/"}, "load fathom-site")
        tap.equal(own["FATHOM_OUTPUT"], "mine/", f"{kind}: FATHOM_OUTPUT of the user is kept")


def check_units(tap, site):
    units = sorted((site / "systemd").iterdir())
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    tap.equal((done.returncode, done.stderr), (0, ""), f"systemd accepts the {len(units)} units")
    for name, most in UNITS_MAX_EXPOSURE.items():
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={most}",
                               site / "systemd" / name],
                              capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0, f"{name}: its exposure is at most {most / 10}", *done.stdout.splitlines()[-1:], done.stderr)


def main():
    tap = jobs.Tap()
    prefix, site, spool = install()
    check_modules(tap, site, prefix, spool)
    if shutil.which("systemd-analyze"):
        check_units(tap, site)
    else:
        tap.skip("units", "systemd-analyze is not installed")
    tap.done()


main()
