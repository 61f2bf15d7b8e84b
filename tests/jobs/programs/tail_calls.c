/* Functions that end with a tail call, so that their frames are replaced: update_h > force > work; global_sum, which
 * ends with an MPI routine; and choose, which reaches force by two ways that cannot be told apart. Also compiled as
 * C++. */
#include <mpi.h>

#define ALONE __attribute__((noinline))

volatile double sink;
double in[8], out[8];

ALONE void work(int n)
{
    double sum = 0;
    for (int i = 0; i < n * 1000; i++)
        sum += i * 0.5 + sink;
    sink = sum;
}

ALONE static void force(int n)
{
    work(n);
    sink = sink + 1;
    work(n);
}

ALONE void update_h(int n)
{
    work(n);
    sink = sink + 1;
    force(n);
}

ALONE void left(int n)
{
    sink = sink + 2;
    force(n);
}

ALONE void right(int n)
{
    sink = sink + 3;
    force(n);
}

ALONE void choose(int n)
{
    if (n % 2)
        left(n);
    else
        right(n);
}

ALONE static void global_sum(double *from, double *to)
{
    sink = sink + 4;
    MPI_Allreduce(from, to, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

ALONE static void solve(void)
{
    for (int i = 0; i < 50; i++) {
        global_sum(in, out);
        sink = sink + out[0];
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 200; i++) {
        update_h(200);
        sink = sink + 1;
        choose(200 + i % 2);
        sink = sink + 1;
        solve();
        sink = sink + 1;
    }
    MPI_Finalize();
    return 0;
}
