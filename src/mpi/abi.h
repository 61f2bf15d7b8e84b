/* SPDX-License-Identifier: BSD-3-Clause */
/* A loaded MPI library: its ABI, its constants, and its real functions.
 *
 * Fathom does not link against MPI. Arguments are passed on as register-sized words; what must be interpreted (handles,
 * statuses, a few constants) is described here, once for Open MPI and once for the MPICH ABI. The MPI-5 standard ABI
 * would be a third column. */
#ifndef FM_MPI_ABI_H
#define FM_MPI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/libraries.h"

enum { FM_STATUS_BYTES = 24 }; /* the larger of the two layouts */

typedef uintptr_t fm_word;
typedef void fm_function(void); /* generic; cast to the real type before calling */

struct fm_abi {
    enum fm_mpi_kind kind;
    fm_word handle_mask; /* handles are int (MPICH) or pointers (Open MPI) */
    uint8_t handle_bytes;
    uint8_t status_bytes;
    uint8_t status_source, status_error; /* offsets of int members */
    fm_word status_ignore, statuses_ignore;
    fm_word in_place;
    int32_t any_source, any_tag, proc_null, root;
    int32_t err_in_status, err_pending, err_other;
    int32_t undefined;
    int32_t comm_type_shared;
    fm_word comm_world, comm_null, request_null, group_null, info_null, type_byte, type_double, op_sum, errors_return;

    fm_word (*comm_f2c)(int); /* NULL: Fortran and C handles are the same */

    /* The library's own functions, below any other tool. */
    struct {
        int (*Comm_rank)(fm_word, int *);
        int (*Comm_size)(fm_word, int *);
        int (*Comm_remote_size)(fm_word, int *);
        int (*Comm_test_inter)(fm_word, int *);
        int (*Comm_compare)(fm_word, fm_word, int *);
        int (*Comm_group)(fm_word, fm_word *);
        int (*Comm_remote_group)(fm_word, fm_word *);
        int (*Comm_split)(fm_word, int, int, fm_word *);
        int (*Comm_split_type)(fm_word, int, int, fm_word, fm_word *);
        int (*Comm_free)(fm_word *);
        int (*Comm_get_errhandler)(fm_word, fm_word *);
        int (*Comm_set_errhandler)(fm_word, fm_word);
        int (*Errhandler_free)(fm_word *);
        int (*Comm_get_parent)(fm_word *);
        int (*Group_translate_ranks)(fm_word, int, const int *, fm_word, int *);
        int (*Group_free)(fm_word *);
        int (*Win_get_group)(fm_word, fm_word *);
        int (*Type_size_x)(fm_word, int64_t *);
        int (*Type_get_extent)(fm_word, int64_t *, int64_t *); /* this one and the next may be missing */
        int (*Type_get_true_extent)(fm_word, int64_t *, int64_t *);
        int (*Topo_test)(fm_word, int *);
        int (*Cartdim_get)(fm_word, int *);
        int (*Cart_shift)(fm_word, int, int, int *, int *);
        int (*Graph_neighbors_count)(fm_word, int, int *);
        int (*Dist_graph_neighbors_count)(fm_word, int *, int *, int *);
        int (*Get_library_version)(char *, int *);
        int (*Query_thread)(int *);
        int (*Initialized)(int *);
        int (*Finalized)(int *);
        int (*Bcast)(void *, int, fm_word, int, fm_word);
        int (*Isend)(const void *, int, fm_word, int, int, fm_word, fm_word *);
        int (*Irecv)(void *, int, fm_word, int, int, fm_word, fm_word *);
        int (*Iprobe)(int, int, fm_word, int *, void *);
        int (*Test)(fm_word *, int *, void *);
        int (*Cancel)(fm_word *);
        int (*Wait)(fm_word *, void *);
        int (*Request_free)(fm_word *);
    } pmpi;
};

/* Describes the library that `find` searches. Returns false if it is unknown. */
bool fm_abi_describe(struct fm_abi *abi, fm_symbol_finder *find, const void *library);

#endif
