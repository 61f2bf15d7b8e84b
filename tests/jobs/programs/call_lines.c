/* A function that is called from nine lines of another, none of which has half of the time: main > force > shift > spin.
 * Also compiled as C++. */
#include <mpi.h>

#define ALONE __attribute__((noinline))

volatile double sink;

ALONE static double spin(int n)
{
    double sum = 0;
    for (int i = 0; i < n * 1000; i++)
        sum += i * 0.5 + sink;
    sink = sum;
    return sum;
}

ALONE static double shift(int n)
{
    double sum = spin(n);
    sink = sink + 1;
    return sum + spin(n);
}

ALONE static double force(int n)
{
    double sum = shift(n);
    sum += shift(n);
    sum += shift(n);
    sum += shift(n);
    sum += shift(n);
    sum += shift(n);
    sum += shift(n);
    sum += shift(n);
    return sum + 2 * shift(n);
}

int main(int argc, char **argv)
{
    double end, sum = 0;
    MPI_Init(&argc, &argv);
    for (end = MPI_Wtime() + 1; MPI_Wtime() < end;)
        sum += force(20);
    MPI_Finalize();
    return sum < 0;
}
