/* Call sites: the first return address outside MPI and its language bindings.
 *
 * In C that is the wrapper's own return address. From Fortran the wrapper is called by the binding library, so its
 * frames are stepped over with rules read once from .eh_frame. Each thread keeps what it has learnt of return
 * addresses in two small open-addressed tables, of those outside MPI and of frames of bindings: nothing is removed
 * from them, and where there is no room near its place an address takes the place of another. */
#ifndef FM_MEASURE_SITE_H
#define FM_MEASURE_SITE_H

#include "measure/runtime.h"

enum { FM_SITE_IGNORE = 1 }; /* not an address: the call was made by a binding for its own needs */

/* The slow part of fm_site_of: unknown return addresses and frames of bindings. */
uintptr_t fm_site_resolve(struct fm_thread *self, unsigned routine, uintptr_t pc, uintptr_t sp, uintptr_t fp);

static inline unsigned fm_site_hash(uintptr_t pc)
{
    return (unsigned)((pc ^ pc >> 10) >> 2);
}

static inline uintptr_t fm_site_of(struct fm_thread *self, unsigned routine, struct fm_frame frame)
{
    if (FM_LIKELY(self->sites[fm_site_hash(frame.pc) % FM_SITE_SLOTS] == frame.pc))
        return frame.pc;
    return fm_site_resolve(self, routine, frame.pc, frame.sp, frame.fp);
}

/* Makes sure that the load module of an address is in the segment's list. */
void fm_site_register(uintptr_t address);
/* Whether the address lies in an MPI library or one of its language bindings. */
bool fm_site_in_mpi(uintptr_t address);
/* Whether it lies in a Fortran binding. */
bool fm_site_in_fortran_binding(uintptr_t address);

/* The build id of the module that holds an address, as a text of the segment; 0 if it has none. */
uint32_t fm_site_build_id_of(uintptr_t address);

#endif
