"""The ocean model, built once for all tests."""
import subprocess

import jobs

MODEL = jobs.SOURCE / "examples/miniocean"


def build(mpi, timed=False):
    """Its program; timed: with Fathom's timers."""
    where = jobs.BUILD / "miniocean" / (mpi.name + (".timed" if timed else ""))
    where.mkdir(parents=True, exist_ok=True)
    timers = [f"FATHOM={jobs.BUILD}"] if timed else []
    # One at a time: tests run at the same time.
    subprocess.run(["flock", str(where), "make", "-s", "-j2", "-C", str(MODEL), f"FC=mpifort.{mpi.name}", f"BUILD={where}",
                    *timers], check=True, stdout=subprocess.DEVNULL)
    return where / "miniocean"
