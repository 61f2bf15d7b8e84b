/* Functions that end with a tail call, so that their frames are replaced: update_h > force > work; global_sum, which
 * ends with an MPI routine; choose, which reaches force by two ways that cannot be told apart; and either and meet, which
 * use a pointer, and never call the function that they name. Also compiled as C++. */
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

ALONE void rare(int n)
{
    sink = sink + 5;
    work(n);
}

void (*volatile by_pointer)(int) = work;

ALONE void either(int n)
{
    void (*to)(int) = by_pointer;
    if (n < 0)
        rare(n);
    else
        to(n);
}

ALONE int barrier(MPI_Comm comm)
{
    sink = sink + 6;
    return MPI_Barrier(comm);
}

int (*volatile barrier_by_pointer)(MPI_Comm) = MPI_Barrier;

ALONE int meet(int n)
{
    int (*to)(MPI_Comm) = barrier_by_pointer;
    return n < 0 ? barrier(MPI_COMM_WORLD) : to(MPI_COMM_WORLD);
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
        either(400);
        sink = sink + 1;
        meet(i);
    }
    MPI_Finalize();
    return 0;
}
