/* A team of OpenMP that computes in every rank; and the ranks wait for each other. */
#include <math.h>
#include <mpi.h>
#include <omp.h>

__attribute__((noinline)) static double work(int thread, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += sqrt(i + thread);
    return sum;
}

int main(int argc, char **argv)
{
    int provided, going = 1;
    double all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    double end = MPI_Wtime() + 1;
    while (going) {
#pragma omp parallel num_threads(3) reduction(+ : all)
        all += work(omp_get_thread_num(), 200000);
        int mine = MPI_Wtime() < end;
        MPI_Allreduce(&mine, &going, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all < 0;
}
