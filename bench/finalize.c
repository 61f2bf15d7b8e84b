/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a job: from entering MPI_Finalize to the end of the process.   finalize RESULTS
 *
 * Each rank is a pair: the process that mpirun starts runs the real one as its child and sees when it ends. One line
 * per rank is added to RESULTS: the nanoseconds of CLOCK_MONOTONIC when MPI_Finalize was entered and at the end. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run_rank(int tell)
{
    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t entered = now_ns();
    if (write(tell, &entered, sizeof entered) != sizeof entered)
        return 1;
    MPI_Finalize();
    return 0;
}

static int watch(const char *program, const char *results)
{
    int ends[2], status = 1;
    char tell[16], line[64];
    if (pipe(ends) != 0)
        return 1;
    snprintf(tell, sizeof tell, "%d", ends[1]);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "rank", tell, NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    uint64_t ended = now_ns(), entered = 0;
    close(ends[1]);
    if (read(ends[0], &entered, sizeof entered) != sizeof entered || status != 0)
        return 1;
    int length = snprintf(line, sizeof line, "%llu %llu\n", (unsigned long long)entered, (unsigned long long)ended);
    int out = open(results, O_WRONLY | O_CREAT | O_APPEND, 0600);
    return out < 0 || write(out, line, (size_t)length) != length;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "rank") == 0)
        return run_rank(atoi(argv[2]));
    return argc == 2 ? watch(argv[0], argv[1]) : 2;
}
