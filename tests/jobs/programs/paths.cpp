// Ways of C++ to be somewhere: templates that are inlined into each other, exceptions through many frames, virtual calls,
// lambdas in std::function, algorithms that call back, constructors and destructors.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

template <int depth> struct Nested {
    static double value(double x)
    {
        return Nested<depth - 1>::value(std::sqrt(x + depth)) * 0.5;
    }
};

template <> struct Nested<0> {
    static double value(double x)
    {
        return x;
    }
};

class Shape
{
  public:
    virtual ~Shape() = default;
    virtual double area(int n) const = 0;
};

class Circle : public Shape
{
  public:
    double area(int n) const override
    {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += Nested<12>::value(i);
        return sum;
    }
};

__attribute__((noinline)) static double fall(int depth, double x)
{
    std::vector<double> kept(8, x); // something to be cleaned up on the way
    if (depth == 0)
        throw std::runtime_error("at the bottom");
    return fall(depth - 1, x + 1) + kept[0];
}

__attribute__((noinline)) static int throw_often(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++) {
        try {
            fall(20, i);
        } catch (const std::exception &) {
            caught++;
        }
    }
    return caught;
}

__attribute__((noinline)) static double sort_much(int n)
{
    std::vector<double> values(static_cast<std::size_t>(n));
    std::function<bool(double, double)> less = [](double a, double b) { return std::sin(a) < std::sin(b); };
    for (int i = 0; i < n; i++)
        values[static_cast<std::size_t>(i)] = i * 37 % 1009;
    std::sort(values.begin(), values.end(), less);
    return values[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double end = MPI_Wtime() + (argc > 1 ? std::atof(argv[1]) : 1), sum = 0, all;
    std::unique_ptr<Shape> shape = std::make_unique<Circle>();
    int going = 1, caught = 0;
    while (going) {
        caught += throw_often(50) == 50 ? 0 : 1;
        sum += shape->area(20000) + sort_much(3000);
        int mine = MPI_Wtime() < end;
        MPI_Allreduce(&mine, &going, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return caught;
}
