/* Waiting by call site. */
#include "analyse/findings/waiting.h"

#include "made_job.h"

static void test_kinds(void)
{
    tap_ok(fm_wait_kind_of("MPI_Send", 0) == FM_WAIT_SEND && fm_wait_kind_of("MPI_Isend", 0) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Sendrecv", 0) == FM_WAIT_RECEIVE &&
               fm_wait_kind_of("MPI_Waitany", 0) == FM_WAIT_RECEIVE &&
               fm_wait_kind_of("MPI_Barrier", 4) == FM_WAIT_BARRIER &&
               fm_wait_kind_of("MPI_Allreduce", 4) == FM_WAIT_COLLECTIVE &&
               fm_wait_kind_of("MPI_Allreduce", 1) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Iallreduce", 4) == FM_WAIT_NONE && fm_wait_kind_of("MPI_Init", 4) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Comm_split", 4) == FM_WAIT_NONE,
           "what a routine waits for");
}

static void test_sites(void)
{
    struct made_job *job = made_job(1);
    struct fm_waits waits;
    struct fm_error error = {0};
    made_calls(job, "MPI_Recv", 1, 8, 0, 1, 100, MS);
    made_calls(job, "MPI_Recv", 2, 8, 100, 1000, 0, 1);
    made_calls(job, "MPI_Isend", 3, 8, 0, 1, 100, MS);
    fm_waits_find(&job->profile, &job->arena, &waits, &error);
    tap_ok(waits.n == 2 && waits.items[0].site.offset == 1 && waits.items[0].waiting_ns > 0.99 * 100 * MS &&
               waits.items[1].waiting_ns == 0,
           "the floor of a call site is that of the routine and size anywhere");
    made_job_free(job);
}

int main(void)
{
    test_kinds();
    test_sites();
    return tap_done();
}
