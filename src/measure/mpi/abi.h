/* The MPI library that is loaded: which ABI it has, its constants, and its real functions.
 *
 * Fathom links no MPI. Arguments travel as register-sized words; what must be understood (handles, statuses, a few
 * constants) is described here once for Open MPI and once for the MPICH ABI. The MPI-5 standard ABI would be a
 * third column. */
#ifndef FM_MEASURE_MPI_ABI_H
#define FM_MEASURE_MPI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/platform.h"
#include "generated/routines.h"
#include "profile/segment.h"

typedef uintptr_t fm_word;
typedef void fm_function(void); /* any: cast to its real type to be called */

struct fm_abi {
    enum fm_mpi_kind kind;
    fm_word handle_mask; /* handles are int (MPICH) or pointers (Open MPI) */
    uint8_t handle_bytes;
    uint8_t status_bytes;
    uint8_t status_source, status_error; /* offsets of int fields */
    fm_word status_ignore, statuses_ignore;
    fm_word in_place;
    int32_t any_source, any_tag, proc_null, root;
    int32_t err_in_status, err_pending, err_other;
    int32_t undefined;
    int32_t comm_type_shared;
    fm_word comm_world, comm_null, request_null, group_null, info_null, type_byte, errors_return;

    fm_word (*comm_f2c)(int); /* NULL: a communicator of Fortran is the same as one of C */

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

extern FM_HIDDEN struct fm_abi fm_abi;

/* Finds the MPI library of this process and fills fm_abi; false when there is none we know. Cheap when done. */
bool fm_abi_find(void);

/* The next definition of a routine (slot = 2 * routine + is_pmpi): another tool's or the library's; when there is
 * none, a function that answers "not initialised" or an error. Never NULL. */
fm_function *fm_next_find(unsigned slot);
extern FM_HIDDEN fm_function *fm_next_table[];
/* The next definition of a Fortran routine by its symbol, kept in *known. */
fm_function *fm_next_fortran(fm_function **known, const char *symbol);

static inline fm_function *fm_next(unsigned slot)
{
    fm_function *known = fm_next_table[slot];
    return known ? known : fm_next_find(slot);
}

static inline fm_word fm_handle(fm_word word)
{
    return word & fm_abi.handle_mask;
}

/* The handle behind a pointer argument (MPI_Request *). */
static inline fm_word fm_handle_at(fm_word address, int64_t index)
{
    if (fm_abi.handle_bytes == 4)
        return ((const uint32_t *)address)[index];
    return ((const uintptr_t *)address)[index];
}

static inline void *fm_status_at(fm_word statuses, int64_t index)
{
    return (char *)statuses + index * fm_abi.status_bytes;
}

/* What a status says of its message. */
struct fm_outcome {
    uint64_t bytes; /* received or read */
    bool cancelled; /* files leave this field unset in Open MPI */
};

FM_INLINE struct fm_outcome fm_status_outcome(const void *status)
{
    const uint32_t *field = status;
    struct fm_outcome outcome;
    if (fm_abi.kind == FM_MPI_OPENMPI) {
        __builtin_memcpy(&outcome.bytes, field + 4, sizeof outcome.bytes);
        outcome.cancelled = field[3] != 0;
    } else {
        outcome.bytes = (uint64_t)(field[1] >> 1) << 32 | field[0];
        outcome.cancelled = field[1] & 1;
    }
    return outcome;
}

static inline bool fm_status_cancelled(const void *status)
{
    return fm_status_outcome(status).cancelled;
}

/* Length of the received message in bytes; 0 for a cancelled one. */
FM_INLINE uint64_t fm_status_length(const void *status)
{
    struct fm_outcome outcome = fm_status_outcome(status);
    return outcome.cancelled ? 0 : outcome.bytes;
}

static inline int32_t fm_status_source(const void *status)
{
    return *(const int32_t *)(const void *)((const char *)status + fm_abi.status_source);
}

static inline int32_t fm_status_error(const void *status)
{
    return *(const int32_t *)(const void *)((const char *)status + fm_abi.status_error);
}

/* In a list of statuses with an error: whether this one's request is not complete yet. */
static inline bool fm_status_pending(const void *status)
{
    int32_t error = fm_status_error(status);
    return (fm_abi.kind == FM_MPI_MPICH ? error & 0x7f : error) == fm_abi.err_pending;
}

#endif
