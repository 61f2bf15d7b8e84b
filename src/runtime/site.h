/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites: the first return address outside MPI and its language bindings.
 *
 * In C that is the wrapper's own return address. From Fortran the wrapper is called by the binding library, so its
 * frames are stepped over with rules read once from .eh_frame. Each thread keeps what it has learnt of return
 * addresses in two small open-addressed tables, of those outside MPI and of frames of bindings: nothing is removed
 * from them, and where there is no room near its place an address takes the place of another. */
#ifndef FM_RUNTIME_SITE_H
#define FM_RUNTIME_SITE_H

#include "generated/routines.h"
#include "runtime/runtime.h"

enum { FM_SITE_IGNORE = 1 }; /* not an address: the call was made by a binding for its own needs */

static inline unsigned fm_site_hash(uintptr_t pc)
{
    return (unsigned)((pc ^ pc >> 12) >> 2);
}

/* The binding that calls a routine by one of its names, which is the same function each time, and mostly one that is
 * called by programs, or by one other binding (mpi_f08's). All frames are as large each time, so that the program's
 * return address lies at a known distance. Written once each, a distance before the address that it is valid for. */
struct fm_binding {
    uintptr_t calls_from;   /* the return address in it; 0: none is known */
    uint64_t return_at;     /* its own return address lies there, from the stack pointer at the call ... */
    uintptr_t through;      /* ... and if that is this one, in the other binding, ... */
    uint64_t return_beyond; /* ... the program's lies there */
};
extern FM_HIDDEN struct fm_binding fm_bindings[2 * FM_ROUTINE_COUNT]; /* MPI_X, PMPI_X */

/* The return address behind the binding of a routine, if that has called it; else that of the frame. It may be one in
 * another binding. */
FM_INLINE uintptr_t fm_site_outside_binding(const struct fm_binding *binding, struct fm_frame frame)
{
    if (FM_LIKELY(__atomic_load_n(&binding->calls_from, __ATOMIC_ACQUIRE) != frame.pc))
        return frame.pc;
    uintptr_t site = *(const uintptr_t *)(frame.sp + binding->return_at);
    return FM_LIKELY(__atomic_load_n(&binding->through, __ATOMIC_ACQUIRE) != site)
               ? site
               : *(const uintptr_t *)(frame.sp + binding->return_beyond);
}

/* The call site however it must be found; FM_SITE_IGNORE if the program made no such call. */
uintptr_t fm_site_find(struct fm_thread *self, unsigned routine, bool is_pmpi, struct fm_frame frame);

/* What is known of a module that was unloaded. */
void fm_site_forget(const struct fm_segment_module *module);
/* Whether the address lies in an MPI library or one of its language bindings. */
bool fm_site_in_mpi(uintptr_t address);
/* Whether it lies in a Fortran binding. */
bool fm_site_in_fortran_binding(uintptr_t address);

#endif
