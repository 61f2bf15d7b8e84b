/* A program that knows what it did: every MPI call is made through X, which writes down what Fathom must say of it.
 *
 *     X(Send, 40, 40, 0, buffer, 10, MPI_INT, right, 0, MPI_COMM_WORLD);
 *
 * counts one MPI_Send with 40 bytes, 40 sent and none received (doc/BYTES.md), and calls it. At its end the program
 * writes a file "tally.RANK": a line "routine calls bytes sent received" for each. */
#ifndef TALLY_H
#define TALLY_H

#include <mpi.h>

#define X(routine, bytes, sent, received, ...) \
    (tally("MPI_" #routine, (bytes), (sent), (received)), MPI_##routine(__VA_ARGS__))
/* A routine without bytes. */
#define Y(routine, ...) (tally("MPI_" #routine, 0, 0, 0), MPI_##routine(__VA_ARGS__))

extern int rank, size, left, right;

void tally(const char *routine, long bytes, long sent, long received);
/* Bytes of a call that is written down already: what a receive turned out to have. */
void tally_bytes(const char *routine, long bytes, long sent, long received);
void tally_write(void);
/* Stops the job with a sentence: a result is not what it must be. */
void require(int holds, const char *what);

#endif
