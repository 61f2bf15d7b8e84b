/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library of this process, described as in mpi/abi.h, and the next definitions of its routines. */
#ifndef FM_RUNTIME_MPI_ABI_H
#define FM_RUNTIME_MPI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/platform.h"
#include "generated/routines.h"
#include "mpi/abi.h"

extern FM_HIDDEN struct fm_abi fm_abi;

/* Finds the MPI library of this process and fills fm_abi. Returns false if there is none that we support. Cheap once it
 * has succeeded. */
bool fm_abi_find(void);

/* Whether a symbol name begins with MPI or PMPI. */
bool fm_is_mpi_name(const char *symbol);

/* The next definition of a routine (slot = 2 * routine + is_pmpi), in another tool or in the library. If there is none,
 * a function that reports "not initialised" or returns an error. Never NULL. */
fm_function *fm_next_mpi(unsigned slot);
extern FM_HIDDEN fm_function *fm_next_table[2 * FM_ROUTINE_COUNT];
/* What the fast path calls for a slot: the next definition, or, if counters are split between the program and MPI, a
 * function that reads them around it. Set before a slot takes the fast path. */
extern FM_HIDDEN fm_function *fm_call_table[2 * FM_ROUTINE_COUNT];
/* The next definition of a Fortran routine by its symbol, cached in *known. */
fm_function *fm_next_fortran(fm_function **known, const char *symbol);

static inline fm_function *fm_next(unsigned slot)
{
    fm_function *known = fm_next_table[slot];
    return known ? known : fm_next_mpi(slot);
}

static inline fm_word fm_handle(fm_word word)
{
    return word & fm_abi.handle_mask;
}

/* Reads a handle through a pointer argument (MPI_Request *). */
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

/* What a status says about its message. */
struct fm_outcome {
    uint64_t bytes; /* received or read */
    bool cancelled; /* not set by file operations in Open MPI */
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

/* Length of the message if it fits into 32 bits and the message was not cancelled; otherwise some larger number. */
FM_INLINE uint64_t fm_status_brief(const void *status, enum fm_mpi_kind kind)
{
    const uint32_t *field = status;
    uint64_t word;
    if (kind == FM_MPI_OPENMPI) {
        __builtin_memcpy(&word, field + 4, sizeof word);
        return word | (uint64_t)field[3] << 32;
    }
    __builtin_memcpy(&word, field, sizeof word); /* low half, cancelled bit, high half */
    return word;
}

static inline bool fm_status_cancelled(const void *status)
{
    return fm_status_outcome(status).cancelled;
}

/* Length of the received message in bytes; 0 if it was cancelled. */
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

/* In an array of statuses with an error: whether the request of this one is still pending. */
static inline bool fm_status_pending(const void *status)
{
    int32_t error = fm_status_error(status);
    return (fm_abi.kind == FM_MPI_MPICH ? error & 0x7f : error) == fm_abi.err_pending;
}

#endif
