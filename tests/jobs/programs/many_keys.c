/* many_keys REGIONS: thousands of different keys: routines x sizes x partners x call sites x regions. Writes its tally,
 * and "regions.RANK" with a line "region routine calls bytes" for each. */
#include <stdio.h>
#include <stdlib.h>

#include "tally.h"

#define W MPI_COMM_WORLD

enum { ROUNDS = 2, SIZES = 9, MOST_REGIONS = 64 };

static char out[1 << SIZES], in[1 << SIZES];
static int region;
static MPI_Comm comm; /* the world in the first region only: ranks need not wait for each other in the others */
static struct {
    long calls, bytes;
} sums[MOST_REGIONS][4];
static const char *const names[4] = {"MPI_Sendrecv", "MPI_Allreduce", "MPI_Bcast", "MPI_Send"};

static void add(int routine, long bytes)
{
    sums[region][routine].calls++;
    sums[region][routine].bytes += bytes;
}

/* Whether this rank is the root of a broadcast. */
static int sends(void)
{
    return rank == 0 || comm == MPI_COMM_SELF;
}

/* Call sites: each expansion has four of its own. */
#define SITE(number)                                                                                      \
    static void site##number(int bytes, int to, int from)                                                 \
    {                                                                                                     \
        X(Sendrecv, bytes, bytes, bytes, out, bytes, MPI_CHAR, to, 0, in, bytes, MPI_CHAR, from, 0, comm, \
          MPI_STATUS_IGNORE);                                                                             \
        add(0, bytes);                                                                                    \
        X(Allreduce, bytes, bytes, bytes, out, in, bytes, MPI_CHAR, MPI_MAX, comm);                       \
        add(1, bytes);                                                                                    \
        X(Bcast, bytes, sends() ? bytes : 0, sends() ? 0 : bytes, in, bytes, MPI_CHAR, 0, comm);          \
        add(2, bytes);                                                                                    \
        Y(Send, out, bytes, MPI_CHAR, MPI_PROC_NULL, 0, W);                                               \
        add(3, 0);                                                                                        \
    }
/* clang-format off */
SITE(0)
SITE(1)
SITE(2)
SITE(3)
SITE(4)
SITE(5)
SITE(6)
SITE(7)
SITE(8)
SITE(9)
SITE(10)
SITE(11)
/* clang-format on */

static void (*const sites[])(int, int, int) = {site0, site1, site2, site3, site4,  site5,
                                               site6, site7, site8, site9, site10, site11};

static void work(void)
{
    for (int power = 0; power < SIZES; power++)
        for (size_t s = 0; s < sizeof sites / sizeof *sites; s++) {
            int step = region == 0 ? (int)(s + (size_t)power) % size : 0;
            int me = region == 0 ? rank : 0;
            comm = region == 0 ? W : MPI_COMM_SELF;
            sites[s](1 << power, (me + step) % size, (me + size - step) % size);
        }
}

static void write_regions(int regions)
{
    char name[32];
    snprintf(name, sizeof name, "regions.%d", rank);
    FILE *file = fopen(name, "w");
    for (int r = 0; file && r < regions; r++)
        for (int i = 0; i < 4; i++)
            fprintf(file, "region%d %s %ld %ld\n", r, names[i], sums[r][i].calls, sums[r][i].bytes);
    if (!file || fclose(file) != 0)
        abort();
}

int main(int argc, char **argv)
{
    int regions = argc > 1 ? atoi(argv[1]) : 3;
    Y(Init, &argc, &argv);
    Y(Comm_rank, W, &rank);
    Y(Comm_size, W, &size);
    for (int round = 0; round < ROUNDS; round++)
        for (region = 0; region < regions; region++) {
            char name[32];
            snprintf(name, sizeof name, "region%d", region);
            Y(Pcontrol, 1, name);
            work();
            Y(Pcontrol, -1, name);
        }
    /* routines that come when the table has long been full */
    for (int i = 0; i < 10; i++) {
        Y(Barrier, W);
        X(Reduce, 4, 4, rank ? 0 : 4, out, in, 1, MPI_INT, MPI_SUM, 0, W);
        X(Gather, 8, 8, rank ? 0 : 8 * size, out, 2, MPI_INT, in, 2, MPI_INT, 0, W);
        X(Alltoall, 4 * size, 4 * size, 4 * size, out, 1, MPI_INT, in, 1, MPI_INT, W);
        X(Allgather, 4, 4, 4 * size, out, 1, MPI_INT, in, 1, MPI_INT, W);
    }
    Y(Finalize);
    tally_write();
    write_regions(regions);
    return 0;
}
