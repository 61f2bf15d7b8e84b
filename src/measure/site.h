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

static inline unsigned fm_site_hash(uintptr_t pc)
{
    return (unsigned)((pc ^ pc >> 12) >> 2);
}

FM_INLINE bool fm_site_known(const struct fm_thread *self, uintptr_t pc)
{
    unsigned place = fm_site_hash(pc);
    return FM_LIKELY(self->sites[place % FM_SITE_SLOTS] == pc) || self->sites[(place + 1) % FM_SITE_SLOTS] == pc;
}

/* Whether the call site is known at first glance, directly or behind one frame of a binding. */
FM_INLINE bool fm_site_quick(const struct fm_thread *self, struct fm_frame frame, uintptr_t *site)
{
    *site = frame.pc;
    if (FM_LIKELY(self->sites[fm_site_hash(frame.pc) % FM_SITE_SLOTS] == frame.pc))
        return true;
    __asm__("" : "+r"(frame.pc)); /* what follows is not to be prepared above */
    unsigned place = fm_site_hash(frame.pc);
    const struct fm_frame_rule *rule = &self->frames[place % FM_FRAME_SLOTS];
    if (rule->pc != frame.pc)
        return self->sites[(place + 1) % FM_SITE_SLOTS] == frame.pc;
    if (!rule->ra_from_sp)
        return false;
    *site = *(const uintptr_t *)(frame.sp + rule->ra_from_sp);
    return fm_site_known(self, *site);
}

/* The call site however it must be found; FM_SITE_IGNORE if the program made no such call. */
uintptr_t fm_site_find(struct fm_thread *self, unsigned routine, struct fm_frame frame);

/* Makes sure that the load module of an address is in the segment's list. */
void fm_site_register(uintptr_t address);
/* Modules of the list that are no longer loaded: `dropped` is called for each, once, with all signals blocked. */
void fm_site_drop(void (*dropped)(const struct fm_segment_module *module, unsigned number));
/* Whether the address lies in an MPI library or one of its language bindings. */
bool fm_site_in_mpi(uintptr_t address);
/* Whether it lies in a Fortran binding. */
bool fm_site_in_fortran_binding(uintptr_t address);

/* The build id of the module that holds an address, as a text of the segment; 0 if it has none. */
uint32_t fm_site_build_id_of(uintptr_t address);

#endif
