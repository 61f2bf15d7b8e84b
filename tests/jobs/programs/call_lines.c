/* A function that is called from nine lines of another, none of which has half of the time: main > force > shift > spin.
 * Also compiled as C++. */
#include <mpi.h>
#include <time.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* For longer than MPI takes to start, which may be long on a busy machine. */
int main(int argc, char **argv)
{
    double start = now(), end, sum = 0;
    MPI_Init(&argc, &argv);
    end = now() + 1 + 2 * (now() - start);
    while (now() < end)
        sum += force(20);
    MPI_Finalize();
    return sum < 0;
}
