/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of known imbalance: in each step thread t works (t + 1) units, then the first thread one alone. Prints the time
 * in which threads worked and the time of all threads outside MPI. Work is sleep, so that it takes no cores. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 25 };

static double work(long ms)
{
    double before = omp_get_wtime();
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
    return omp_get_wtime() - before;
}

int main(int argc, char **argv)
{
    int provided, threads = 0;
    double worked = 0, outside = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    for (int i = 0; i < STEPS; i++) {
        double before = omp_get_wtime();
#pragma omp parallel reduction(+ : worked)
        {
            worked += work(20 * (omp_get_thread_num() + 1));
            threads = omp_get_num_threads();
        }
        worked += work(20);
        outside += omp_get_wtime() - before;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    printf("%.9f %.9f\n", worked, threads * outside);
    return 0;
}
