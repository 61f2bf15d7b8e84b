/* regions CASE: parts of the program named by MPI_Pcontrol and by Fathom's own calls (regions_test.py knows them). */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WITH_FATHOM
#include "fathom.h"
#endif

#define W MPI_COMM_WORLD

static int rank, size, value[4];

static void barriers(int n)
{
    while (n-- > 0)
        MPI_Barrier(W);
}

static void nested(void)
{
    barriers(1);
    MPI_Pcontrol(1, "outer");
    barriers(2);
    for (int i = 0; i < 3; i++) {
        MPI_Pcontrol(1, "inner");
        for (int k = 0; k < 4; k++)
            MPI_Bcast(value, 2, MPI_INT, 0, W);
        MPI_Pcontrol(-1, "inner");
    }
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, W);
    MPI_Pcontrol(-1, "outer");
    MPI_Pcontrol(1, "inner"); /* another one: it is not within "outer" */
    barriers(5);
    MPI_Pcontrol(-1, "inner");
    MPI_Pcontrol(1, "a name/with spaces, and 37 more letters: aaaaaaaaaaaa"); /* 54 characters fit */
    barriers(1);
    MPI_Pcontrol(-1, "a name/with spaces, and 37 more letters: aaaaaaaaaaaa");
}

static void unmatched(void)
{
    MPI_Pcontrol(-1, "never begun");
    MPI_Pcontrol(1, "outer");
    MPI_Pcontrol(1, "inner");
    barriers(2);
    MPI_Pcontrol(-1, "outer"); /* closes both */
    MPI_Pcontrol(-1, "inner");
    barriers(3);
    MPI_Pcontrol(1, "never ended");
    barriers(4);
}

static void paused(void)
{
    MPI_Request request;
    barriers(3);
    MPI_Irecv(value, 4, MPI_INT, rank, 0, W, &request);
    MPI_Pcontrol(0);
    barriers(10);
    MPI_Send(value, 2, MPI_INT, rank, 0, W);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* of a receive that counts */
    MPI_Irecv(value, 4, MPI_INT, rank, 0, W, &request);
    MPI_Pcontrol(1);
    MPI_Ssend(value, 1, MPI_INT, rank, 0, W);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* of one that does not */
    barriers(2);
    MPI_Pcontrol(1, "after"); /* not paused: a region */
    barriers(1);
    MPI_Pcontrol(-1, "after");
}

/* A page of ours with nothing readable behind it. */
static char *last_page(void)
{
    long page = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, (size_t)page, PROT_NONE) != 0)
        abort();
    memset(memory, 'x', (size_t)page);
    return memory + page;
}

/* What a second register may hold when only the level was given. */
static void garbage(void)
{
    static const char binary[] = "\001\002\003", latin[] = "na\xefve", endless[300] = {[0 ... 298] = 'y'};
    int (*pcontrol)(int, const void *) = (int (*)(int, const void *))MPI_Pcontrol;
    char *end = last_page();
    const void *words[] = {NULL,
                           (void *)1,
                           (void *)4095,
                           (void *)0xdeadbeef,
                           (void *)(UINTPTR_MAX / 2 + 1),
                           (void *)UINTPTR_MAX,
                           (void *)(UINTPTR_MAX - 4095),
                           end,
                           end - 1,
                           end - 40,
                           binary,
                           "",
                           endless};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pcontrol(1, words[i]);
        barriers(1);
        pcontrol(-1, words[i]);
    }
    strcpy(end - 9, "the edge"); /* its end is the end of the page */
    pcontrol(1, end - 9);
    barriers(2);
    pcontrol(-1, end - 9);
    pcontrol(7, end);
    pcontrol(-8, end - 9);
    (void)latin;
}

static void snapshots(void)
{
    barriers(2);
    if (rank == 1)
        MPI_Pcontrol(2, "of one");
    MPI_Bcast(value, 4, MPI_INT, 0, W);
    barriers(3);
    MPI_Pcontrol(3, "of all");
    barriers(4);
}

#ifdef WITH_FATHOM
static void own_calls(void)
{
    fathom_region_begin("solver");
    barriers(2);
    fathom_region_begin("inner loop");
    barriers(3);
    fathom_region_end("inner loop");
    fathom_region_end("solver");
    fathom_region_end("nothing");
    fathom_region_begin(NULL);
    fathom_region_end(NULL);
    fathom_snapshot("so far", 1);
    if (rank == 0)
        fathom_snapshot("of the first", 0);
    fathom_snapshot(NULL, 1);
    barriers(1);
}
#endif

/* More than a process keeps. */
static void many_snapshots(void)
{
    for (int i = 0; i < 20; i++)
        MPI_Pcontrol(2, "again");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"nested", nested},   {"unmatched", unmatched}, {"paused", paused},
        {"garbage", garbage}, {"snapshots", snapshots}, {"many", many_snapshots},
#ifdef WITH_FATHOM
        {"own", own_calls},
#endif
    };
#ifdef WITH_FATHOM
    fathom_region_begin("before MPI"); /* safe at any time */
    fathom_region_end("before MPI");
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
#ifdef WITH_FATHOM
    fathom_region_begin("after MPI");
    fathom_snapshot("after MPI", 0);
    fathom_region_end("after MPI");
#endif
    return 0;
}
