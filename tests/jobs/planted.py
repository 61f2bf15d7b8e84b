"""The ocean model with costs that are known where they are."""
import shutil
import subprocess

import jobs
from ocean_model import MODEL

MODULES = MODEL / "modules.txt"

PLANTED = """
  subroutine planted_wait()
    real(dp), volatile :: x
    integer :: i

    x = 0
    do i = 1, {turns}
      x = 0.5_dp*x + 1
    end do
  end subroutine planted_wait

end module halo
"""


def ocean(mpi, turns=300000):
    """The model with a wait in its halo exchange, which calls nothing; as many turns as usual are a few samples long."""
    source = jobs.SCRATCH / f"model.{mpi.name}"
    shutil.copytree(MODEL, source)
    halo = (source / "halo.f90").read_text(encoding="utf-8")
    halo = halo.replace("    call start_timer(timer)\n", "    call start_timer(timer)\n    call planted_wait()\n", 1)
    halo = halo.replace("end module halo\n", PLANTED.lstrip("\n").format(turns=turns), 1)
    (source / "halo.f90").write_text(halo, encoding="utf-8")
    subprocess.run(["make", "-s", "-j2", "-C", str(source), f"FC=mpifort.{mpi.name}", f"BUILD={source / 'build'}"], check=True,
                   stdout=subprocess.DEVNULL)
    return source / "build/miniocean"
