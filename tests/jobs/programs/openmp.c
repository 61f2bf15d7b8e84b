/* Timers in the threads of OpenMP: "team" by each of three threads, thread k 10 (k + 1) times; "region" around it. */
#include <mpi.h>

#include <fathom.h>
#include <omp.h>

int main(int argc, char **argv)
{
    int team = 0, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    fathom_timer_get(&team, "team");
    FATHOM_TIME("region")
    {
#pragma omp parallel num_threads(3)
        for (int i = 0; i < 10 * (omp_get_thread_num() + 1); i++) {
            fathom_timer_start(team);
            fathom_timer_stop(team);
        }
    }
    MPI_Finalize();
    return 0;
}
