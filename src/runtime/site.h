/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites: the first return address outside MPI and its language bindings.
 *
 * In C this is the wrapper's own return address. In Fortran the wrapper is called by the binding library, whose frames
 * are stepped over with unwind rules read once from .eh_frame. Each thread caches what it has learnt about return
 * addresses in two small open-addressed tables, one for addresses outside MPI and one for frames of bindings. Nothing
 * is removed from them; if all positions near its home position are occupied, an address replaces another one. */
#ifndef FM_RUNTIME_SITE_H
#define FM_RUNTIME_SITE_H

#include "generated/routines.h"
#include "runtime/runtime.h"

enum { FM_SITE_IGNORE = 1 }; /* not an address: the call was made by a binding for its own purposes */

static inline unsigned fm_site_hash(uintptr_t pc)
{
    return (unsigned)((pc ^ pc >> 12) >> 2);
}

/* The binding that calls a routine under one of its names. It is the same function each time, and usually one that is
 * called by programs or by one other binding (mpi_f08's). All its frames have a fixed size, so the program's return
 * address is at a known distance. Each field is written once, a distance before the address for which it is valid. */
struct fm_binding {
    uintptr_t calls_from;   /* return address in the binding; 0: none known */
    uint64_t return_at;     /* offset of its own return address from the stack pointer at the call ... */
    uintptr_t through;      /* ... and if that is this address, in the other binding, ... */
    uint64_t return_beyond; /* ... offset of the program's return address */
};
extern FM_HIDDEN struct fm_binding fm_bindings[2 * FM_ROUTINE_COUNT]; /* MPI_X, PMPI_X */

/* The return address of the binding, if the routine was called by the known binding of it, else that of the frame. It
 * may be in another binding. */
FM_INLINE uintptr_t fm_site_outside_binding(const struct fm_binding *binding, struct fm_frame frame)
{
    if (FM_LIKELY(__atomic_load_n(&binding->calls_from, __ATOMIC_ACQUIRE) != frame.pc))
        return frame.pc;
    uintptr_t site = *(const uintptr_t *)(frame.sp + binding->return_at);
    return FM_LIKELY(__atomic_load_n(&binding->through, __ATOMIC_ACQUIRE) != site)
               ? site
               : *(const uintptr_t *)(frame.sp + binding->return_beyond);
}

/* Finds the call site by any means. Returns FM_SITE_IGNORE if the call was not made by the program. */
uintptr_t fm_site_find(struct fm_thread *self, unsigned routine, bool is_pmpi, struct fm_frame frame);

/* Forgets an unloaded module. */
void fm_site_forget(const struct fm_segment_module *module);
/* Returns true if the address is in an MPI library or one of its language bindings. */
bool fm_site_in_mpi(uintptr_t address);
/* Returns true if the address is in a Fortran binding. */
bool fm_site_in_fortran_binding(uintptr_t address);
/* Returns true if the address is in the run-time library of a Fortran compiler. */
bool fm_site_in_fortran_library(uintptr_t address);

#endif
