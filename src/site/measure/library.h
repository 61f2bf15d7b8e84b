/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library that is measured, opened at run time: the functions of the library itself, below any tool, with
 * arguments as in mpi/abi.h. */
#ifndef FM_SITE_MEASURE_LIBRARY_H
#define FM_SITE_MEASURE_LIBRARY_H

#include "base/error.h"
#include "mpi/abi.h"

typedef fm_word fm_w; /* a handle */

/* X(name, arguments) */
/* clang-format off */
#define FM_MEASURE_FUNCTIONS(X) \
    X(Init,           (int *, char ***)) \
    X(Finalize,       (void)) \
    X(Abort,          (fm_w, int)) \
    X(Send,           (const void *, int, fm_w, int, int, fm_w)) \
    X(Ssend,          (const void *, int, fm_w, int, int, fm_w)) \
    X(Bsend,          (const void *, int, fm_w, int, int, fm_w)) \
    X(Recv,           (void *, int, fm_w, int, int, fm_w, void *)) \
    X(Sendrecv,       (const void *, int, fm_w, int, int, void *, int, fm_w, int, int, fm_w, void *)) \
    X(Waitall,        (int, void *, void *)) \
    X(Buffer_attach,  (void *, int)) \
    X(Buffer_detach,  (void *, int *)) \
    X(Barrier,        (fm_w)) \
    X(Reduce,         (const void *, void *, int, fm_w, fm_w, int, fm_w)) \
    X(Allreduce,      (const void *, void *, int, fm_w, fm_w, fm_w)) \
    X(Scan,           (const void *, void *, int, fm_w, fm_w, fm_w)) \
    X(Gather,         (const void *, int, fm_w, void *, int, fm_w, int, fm_w)) \
    X(Gatherv,        (const void *, int, fm_w, void *, const int *, const int *, fm_w, int, fm_w)) \
    X(Scatter,        (const void *, int, fm_w, void *, int, fm_w, int, fm_w)) \
    X(Scatterv,       (const void *, const int *, const int *, fm_w, void *, int, fm_w, int, fm_w)) \
    X(Allgather,      (const void *, int, fm_w, void *, int, fm_w, fm_w)) \
    X(Allgatherv,     (const void *, int, fm_w, void *, const int *, const int *, fm_w, fm_w)) \
    X(Alltoall,       (const void *, int, fm_w, void *, int, fm_w, fm_w)) \
    X(Alltoallv,      (const void *, const int *, const int *, fm_w, void *, const int *, const int *, fm_w, fm_w)) \
    X(Reduce_scatter, (const void *, void *, const int *, fm_w, fm_w, fm_w)) \
    X(Reduce_scatter_block, (const void *, void *, int, fm_w, fm_w, fm_w))
/* clang-format on */

struct fm_measure_mpi {
    struct fm_abi abi;
#define X(name, arguments) int(*name) arguments;
    FM_MEASURE_FUNCTIONS(X)
#undef X
};

/* path: a library; NULL: that of the launcher by which this process was started, by its usual names. Not closed. */
enum fm_status fm_measure_library(struct fm_measure_mpi *mpi, const char *path, struct fm_error *error);

#endif
