/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of communicators, windows and datatypes: small caches in front of the MPI library.
 *
 * They end with the handle's free (a library reuses handles). Readers take no lock: an entry is published by its
 * handle, last; writers take one. The library is asked only after a call with that handle has succeeded, so that a
 * program's own error is reported to it by its own call. */
#ifndef FM_RUNTIME_MPI_HANDLES_H
#define FM_RUNTIME_MPI_HANDLES_H

#include <stddef.h>

#include "runtime/mpi/abi.h"
#include "runtime/runtime.h"

struct fm_comm {
    fm_word handle; /* 0 = empty; that of a window has a tag */
    uint32_t generation;
    int32_t size;                  /* of the group that partners are in (remote for an intercommunicator) */
    int32_t rank;                  /* our own, -1 where unknown */
    int32_t in_degree, out_degree; /* of a topology: entries in the arrays of counts; -1 = not asked yet */
    uint64_t no_neighbour;         /* bit i: entry i is beyond the border of a grid */
    bool identity;                 /* ranks are world ranks */
    bool inter, window;
    uint64_t unused[2]; /* a power of two is faster to index */
};

/* Both never NULL; size 0 where nothing is known. */
static inline const struct fm_comm *fm_comm_of(fm_word word);
const struct fm_comm *fm_comm_of_window(fm_word word);
/* The same, with the neighbours of its topology. */
const struct fm_comm *fm_comm_with_neighbours(fm_word handle);
void fm_comm_forget(fm_word handle, bool window);
/* World rank of a rank in a communicator, FM_PEER_NONE if it has none. */
static inline uint32_t fm_comm_world_rank(const struct fm_comm *comm, int32_t rank);
/* A name for a communicator that outlives its handle; 0 and stale names give an empty communicator. */
uint32_t fm_comm_name(const struct fm_comm *comm);
const struct fm_comm *fm_comm_by_name(uint32_t name);

/* The world is known from now on (after MPI_Init). */
void fm_comm_world_ready(void);

struct fm_type {
    fm_word handle;
    uint64_t bytes;
};
void fm_type_forget(fm_word type);

/* ---- the look-ups of every call, and what they leave to others ---- */

enum { FM_COMMS = 256, FM_TYPES = 256 };
extern FM_HIDDEN struct fm_comm fm_comms[FM_COMMS];
extern FM_HIDDEN struct fm_type fm_types[FM_TYPES];

const struct fm_comm *fm_comm_find(fm_word handle);
uint32_t fm_comm_world_rank_find(const struct fm_comm *comm, int32_t rank);
uint64_t fm_type_size_find(fm_word handle);

/* A place in a table of 256. Handles are addresses or small structured numbers, whose kind is in the highest byte (the
 * first communicator that a program makes with MPICH differs from MPI_COMM_WORLD in nothing else). A word may hold
 * other things above a handle of 32 bits: only its lower half counts. */
static inline uint8_t fm_handle_place(fm_word handle)
{
    return (uint8_t)(handle ^ handle >> 8 ^ handle >> 24);
}

/* Whether the handle is in its place, which is given in any case. */
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
