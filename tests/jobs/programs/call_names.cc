// Names that are longer than any terminal: templates of templates in nested namespaces.
#include <map>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace numerics_of_the_ocean
{
namespace solvers_for_elliptic_problems
{
template <class Grid, class Vector> struct Solver {
    __attribute__((noinline)) double apply(Vector &v)
    {
        double sum = 0;
        for (int k = 0; k < 200; k++)
            for (double &x : v) {
                x = x * 0.999 + 1;
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
    numerics_of_the_ocean::solvers_for_elliptic_problems::Solver<std::map<std::string, Pairs>, std::vector<double>> solver;
    std::vector<double> v(10000);
    double mine = 0, all = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 60; i++) {
        mine += solver.solve(v);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all < 0;
}
