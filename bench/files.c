/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to a file, as an I/O benchmark makes them: ns per call of each loop, the least of some batches, and brackets for
 * counting instructions. usage: files BATCHES */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "instructions.h"

enum { CALLS = 1000, REQUEST = 4096, SMALL = 64 }; /* as in part_files.py */

static char buffer[REQUEST];
static int file, null;
static FILE *stream;

static int write_file(void)
{
    return write(file, buffer, REQUEST) == REQUEST;
}

static int read_file(void)
{
    return pread(file, buffer, REQUEST, 0) == REQUEST;
}

static int write_null(void)
{
    return write(null, buffer, REQUEST) == REQUEST;
}

static int write_stream(void)
{
    return fwrite(buffer, SMALL, 1, stream) == 1;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double batch(int (*call)(void))
{
    if (lseek(file, 0, SEEK_SET) != 0 || fseek(stream, 0, SEEK_SET) != 0)
        abort();
    double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        if (!call())
            abort();
    return (now_ns() - start) / CALLS;
}

static void measure(const char *name, int (*call)(void), int batches)
{
    double least = batch(call);
    for (int i = 0; i < batches; i++) {
        double ns = batch(call);
        least = ns < least ? ns : least;
    }
    bench_instructions_begin();
    batch(call);
    bench_instructions_end(name);
    printf("%s %.1f\n", name, least);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    file = open("files.data", O_CREAT | O_TRUNC | O_RDWR, 0600);
    stream = fopen("files.stream", "w");
    null = open("/dev/null", O_WRONLY);
    if (file < 0 || !stream || null < 0)
        abort();
    measure("write", write_file, batches);
    measure("read", read_file, batches);
    measure("fwrite", write_stream, batches);
    measure("null", write_null, batches);
    close(file);
    fclose(stream);
    unlink("files.data");
    unlink("files.stream");
    MPI_Finalize();
    return 0;
}
