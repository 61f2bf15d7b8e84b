#!/usr/bin/env python3
"""The bodies of OpenMP regions, which compilers make functions of their own, belong to the function that contains the
region: by name and file, and on its call path, also what worker threads do there; with and without debug information."""
import subprocess

import jobs
from trees import check_agreement, walk

C = r"""
#include <stdio.h>
static double a[20000], b[20000];
static double total;
static void relax(double *x, int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 5000; k++)
            x[i] = x[i] * 0.999 + 0.1;
        sum += x[i];
    }
    total = sum;
}
static void smooth(double *x, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5000; k++)
            x[i] = x[i] * 0.99 + 0.2;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5000; k++)
            x[i] = x[i] * 0.9 + 0.3;
}
int main(void)
{
    relax(a, 20000);
    smooth(b, 20000);
    printf("%g %g %g\n", a[3], b[3], total);
    return 0;
}
"""
CXX = C.replace("static void relax(double *x", "namespace phys { template <class T> void relax(T *x").replace(
    "static void smooth(double *x", "template <class T> void smooth(T *x").replace(
    "int main(void)", "} int main()").replace("relax(a", "phys::relax(a").replace("smooth(b", "phys::smooth(b")
FORTRAN = """
module phys
  implicit none
contains
  subroutine relax(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i, k
    !$omp parallel do private(k)
    do i = 1, n
      do k = 1, 5000
        x(i) = x(i)*0.999d0 + 0.1d0
      end do
    end do
  end subroutine
  subroutine smooth(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i, k
    !$omp parallel do private(k)
    do i = 1, n
      do k = 1, 5000
        x(i) = x(i)*0.99d0 + 0.2d0
      end do
    end do
    !$omp parallel do private(k)
    do i = 1, n
      do k = 1, 5000
        x(i) = x(i)*0.9d0 + 0.3d0
      end do
    end do
  end subroutine
end module
program openmp_names
  use phys
  real(8) :: a(20000) = 1, b(20000) = 1
  call relax(a, 20000)
  call smooth(b, 20000)
  print *, a(3), b(3)
end program
"""
# Functions that begin at the same line; tasks; a body that ends with a tail call.
SHARED = r"""
volatile double sink;
__attribute__((noinline)) void burn(int n)
{
    double sum = 0;
    for (int i = 0; i < n * 1000; i++)
        sum += i * 0.5 + sink;
    sink = sum;
}
__attribute__((noinline)) void finish(int n)
{
    burn(n);
    sink = sink + 1;
}
template <int N> __attribute__((noinline)) void sweep(int n) {
#pragma omp parallel num_threads(2)
    {
        burn(n);
        sink = sink + N;
    }
}
#define STEP(name) __attribute__((noinline)) void name(int n) \
    { _Pragma("omp parallel num_threads(2)") { burn(n); sink = sink + 2; } }
STEP(left) STEP(right)
__attribute__((noinline)) void ending(int n)
{
#pragma omp parallel num_threads(2)
    finish(n);
    sink = sink + 3;
}
__attribute__((noinline)) void tasks(int n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++)
#pragma omp task
    {
        burn(n);
        sink = sink + 4;
    }
}
int main()
{
    for (int i = 0; i < 20; i++) {
        sweep<1>(1500);
        sweep<2>(1500);
        left(1500);
        right(1500);
        ending(1500);
        tasks(1500);
    }
    return 0;
}
"""
REDUCTION = r"""
volatile double sink;
__attribute__((noinline)) double norm(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5000; k++)
            sum += i * 0.999 + sink;
    return sum;
}
int main(void)
{
    sink = norm(60000);
    return 0;
}
"""
COMPILERS = {"gcc": (C, "c"), "clang": (C, "c"), "g++": (CXX, "cc"), "clang++": (CXX, "cc"), "gfortran": (FORTRAN, "f90")}


def build(compiler, level, text=None, name="openmp_names"):
    suffix = COMPILERS[compiler][1]
    text = text or COMPILERS[compiler][0]
    source = jobs.SCRATCH / f"{name}.{suffix}"
    target = jobs.SCRATCH / f"{name}.{compiler}{level}"
    source.write_text(text, encoding="utf-8")
    subprocess.run([compiler, level, "-g", "-fopenmp", "-o", target, source.name], check=True, cwd=jobs.SCRATCH)
    return target, source


def plain(name):
    return name.split("<")[0].split("(")[0].rpartition("::")[2]


def bodies(calls):
    return [(node, way) for node, way in walk(calls["root"]) if node.get("parallel_body")]


def measure(tap, title, program):
    job = jobs.run(jobs.AROUND, None, 1, [program], env={"FATHOM_SAMPLE": "1000", "OMP_NUM_THREADS": "2"})
    return job.report()["calls"] if tap.ok(job.status == 0, f"{title}: the program runs", job) else None


def check_debug(tap, title, program, source):
    calls = measure(tap, title, program)
    found = bodies(calls) if calls else []
    tap.equal({plain(node["name"]) for node, _ in found}, {"relax", "smooth"}, f"{title}: bodies have their function's name")
    tap.equal({node["defined"] for node, _ in found}, {str(source)}, f"{title}: and its file")
    tap.ok(found and all(plain(node["name"]) in map(plain, (up["name"] for up in way)) for node, way in found),
           f"{title}: they are below it", [[up["name"] for up in way] for _, way in found])
    tap.ok(found and all(way[1]["name"] == "main" for _, way in found), f"{title}: also those of workers",
           [[up["name"] for up in way] for _, way in found])
    names = [node["name"] for node, _ in walk(calls["root"]) if "omp_fn" in node["name"] or "outlined" in node["name"]]
    tap.equal(names, [], f"{title}: no name is the compiler's")
    check_agreement(tap, title, calls)


def check_stripped(tap, title, program):
    """gcc's symbols contain the name of the function; clang's do not."""
    bare = f"{program}.bare"
    subprocess.run(["strip", "--strip-debug", "-o", bare, program], check=True)
    calls = measure(tap, title, bare)
    tap.equal({plain(node["name"]) for node, _ in bodies(calls)} if calls else None, {"relax", "smooth"},
              f"{title}: names from symbols")


def check_shared(tap, title, program):
    calls = measure(tap, title, program)
    found = bodies(calls) if calls else []
    names = {node["name"] for node, _ in found}
    tap.equal(names, {"sweep<1>", "sweep<2>", "left", "right", "ending", "tasks"}, f"{title}: functions of bodies")
    lost = [(node["name"], [up["name"] for up in way]) for node, way in found
            if node["name"] not in [up["name"] for up in way if not up.get("parallel_body")] and node["name"] != "tasks"]
    tap.equal(lost, [], f"{title}: bodies are below their function")
    callers = {(way[-1]["name"], bool(way[-1].get("parallel_body")), way[-1]["inferred"])
               for node, way in walk(calls["root"]) if node["kind"] == "frame" and node["name"] == "finish"}
    tap.equal(callers, {("ending", True, True)}, f"{title}: a body that left by a tail call is inferred")


def check_reduction(tap, title, program):
    """clang makes a function for the reduction too, with the line of the region."""
    calls = measure(tap, title, program)
    tap.equal({node["name"] for node, _ in bodies(calls)} if calls else None, {"norm"},
              f"{title}: the body belongs to the function")


def main():
    tap = jobs.Tap()
    for compiler in COMPILERS:
        for level in ("-O2", "-O3"):
            program, source = build(compiler, level)
            check_debug(tap, f"{compiler} {level}", program, source)
            if compiler in ("gcc", "g++", "gfortran"):
                check_stripped(tap, f"{compiler} {level}, without debug information", program)
    for compiler in ("g++", "clang++"):
        for level in ("-O2", "-O3"):
            check_shared(tap, f"{compiler} {level}, shared lines", build(compiler, level, SHARED, "openmp_shared")[0])
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O2"):
            check_reduction(tap, f"{compiler} {level}, reduction",
                            build(compiler, level, REDUCTION, "openmp_reduction")[0])
    tap.done()


main()
