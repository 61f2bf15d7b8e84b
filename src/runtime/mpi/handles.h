/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches of what the MPI library knows about communicators, windows and datatypes.
 *
 * An entry is valid until its handle is freed (libraries reuse handles). Readers take no lock: an entry is published by
 * storing its handle last. Writers take a lock. The library is queried only after a call with the handle has succeeded,
 * so that an error of the program is reported by the program's own call. */
#ifndef FM_RUNTIME_MPI_HANDLES_H
#define FM_RUNTIME_MPI_HANDLES_H

#include <stddef.h>

#include "runtime/mpi/abi.h"
#include "runtime/runtime.h"

struct fm_comm {
    fm_word handle; /* 0 = empty; that of a window is tagged */
    uint32_t generation;
    int32_t size;                  /* of the group that peers are in (the remote group of an intercommunicator) */
    int32_t rank;                  /* our own; -1 if unknown */
    int32_t in_degree, out_degree; /* of a topology: entries in the arrays of counts; -1 = not queried yet */
    uint64_t no_neighbour;         /* bit i: neighbour i is beyond the border of a grid */
    bool identity;                 /* ranks are world ranks */
    bool inter, window;
    uint64_t unused[2]; /* pads to a power of two, which is faster to index */
};

/* Both never return NULL; the size is 0 if nothing is known. */
static inline const struct fm_comm *fm_comm_of(fm_word word);
const struct fm_comm *fm_comm_of_window(fm_word word);
/* As fm_comm_of, with the neighbours of the topology. */
const struct fm_comm *fm_comm_with_neighbours(fm_word handle);
void fm_comm_forget(fm_word handle, bool window);
/* World rank of a rank in a communicator, or FM_PEER_NONE. */
static inline uint32_t fm_comm_world_rank(const struct fm_comm *comm, int32_t rank);
/* An identifier of a communicator that outlives its handle. 0 and stale identifiers give an empty communicator. */
uint32_t fm_comm_name(const struct fm_comm *comm);
const struct fm_comm *fm_comm_by_name(uint32_t name);

/* MPI_COMM_WORLD can be queried from now on (after MPI_Init). */
void fm_comm_world_ready(void);

struct fm_type {
    fm_word handle;
    uint64_t bytes;
    int64_t first, length; /* what an item covers, from its address on, including gaps */
    int64_t extent;        /* from one item to the next */
};
void fm_type_forget(fm_word type);
/* What a buffer of so many items covers. */
struct fm_buffer fm_type_buffer(fm_word buffer, int64_t count, fm_word type);

/* ---- inline look-ups, and their slow paths ---- */

enum { FM_COMMS = 256, FM_TYPES = 256 };
extern FM_HIDDEN struct fm_comm fm_comms[FM_COMMS];
extern FM_HIDDEN struct fm_type fm_types[FM_TYPES];

const struct fm_comm *fm_comm_find(fm_word handle);
uint32_t fm_comm_world_rank_find(const struct fm_comm *comm, int32_t rank);
uint64_t fm_type_size_find(fm_word handle);

/* Slot in a table of 256. Handles are addresses or small structured numbers with their kind in the highest byte (the
 * first communicator that a program creates with MPICH differs from MPI_COMM_WORLD only there). A word may hold garbage
 * above a 32-bit handle, so only its low half is used. */
static inline uint8_t fm_handle_place(fm_word handle)
{
    return (uint8_t)(handle ^ handle >> 8 ^ handle >> 24);
}

/* Whether the handle is in its slot. *place is set in any case. */
FM_INLINE bool fm_comm_known(fm_word word, const struct fm_comm **place)
{
    fm_word handle = fm_handle(word);
    *place = &fm_comms[fm_handle_place(word)];
    return __atomic_load_n(&(*place)->handle, __ATOMIC_ACQUIRE) == handle;
}

FM_INLINE bool fm_type_known(fm_word word, const struct fm_type **place)
{
    fm_word handle = fm_handle(word);
    *place = &fm_types[fm_handle_place(word)];
    return __atomic_load_n(&(*place)->handle, __ATOMIC_ACQUIRE) == handle;
}

static inline const struct fm_comm *fm_comm_of(fm_word word)
{
    const struct fm_comm *comm;
    return FM_LIKELY(fm_comm_known(word, &comm)) ? comm : fm_comm_find(fm_handle(word));
}

static inline uint32_t fm_comm_world_rank(const struct fm_comm *comm, int32_t rank)
{
    return FM_LIKELY(comm->identity && rank >= 0) ? (uint32_t)rank : fm_comm_world_rank_find(comm, rank);
}

static inline uint64_t fm_type_size(fm_word word)
{
    const struct fm_type *type;
    return FM_LIKELY(fm_type_known(word, &type)) ? type->bytes : fm_type_size_find(fm_handle(word));
}

#endif
