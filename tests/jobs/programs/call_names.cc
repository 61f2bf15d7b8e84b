// Names that are longer than any terminal: templates of templates in nested namespaces, which differ in one argument; and
// a lambda, which gcc says nothing about.
#include <map>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace numerics_of_the_ocean
{
namespace solvers_for_elliptic_problems
{
template <class Grid, class Vector, int order> struct Solver {
    __attribute__((noinline)) double apply(Vector &v)
    {
        double sum = 0;
        for (int k = 0; k < 200; k++)
            for (double &x : v) {
                x = x * 0.999 + order;
                sum += x;
            }
        return sum;
    }

    __attribute__((noinline)) double solve(Vector &v)
    {
        double sum = apply(v);
        sum += apply(v);
        return sum + 2 * apply(v);
    }
};
} // namespace solvers_for_elliptic_problems
} // namespace numerics_of_the_ocean

int main(int argc, char **argv)
{
    using Pairs = std::vector<std::pair<int, double>>;
    numerics_of_the_ocean::solvers_for_elliptic_problems::Solver<std::map<std::string, Pairs>, std::vector<double>, 1> solver;
    numerics_of_the_ocean::solvers_for_elliptic_problems::Solver<std::map<std::string, Pairs>, std::vector<double>, 2> other;
    std::vector<double> v(10000);
    double mine = 0, all = 0;
    const auto twice = [&](std::vector<double> &w) __attribute__((noinline)) { return other.solve(w) + other.apply(w); };
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 60; i++) {
        mine += solver.solve(v) + twice(v);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all < 0;
}
