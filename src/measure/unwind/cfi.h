/* Call frame information: how to step from a return address to the caller's frame, read from a module's .eh_frame.
 *
 * Only what compilers emit for ordinary functions is understood: CFA = stack or frame pointer + constant, return
 * address and frame pointer saved at CFA + constant. Anything else is refused, and the frame is not stepped over.
 * Cold: the caller keeps the rule. The tables belong to loaded modules, so they are trusted as code is, but all
 * reads stay inside the module's mapped .eh_frame. */
#ifndef FM_MEASURE_UNWIND_CFI_H
#define FM_MEASURE_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_cfi_rule {
    bool cfa_from_fp;
    bool fp_saved;
    bool ra_in_register; /* a leaf's return address (aarch64): cannot be stepped over from a call */
    int32_t cfa_offset, ra_offset, fp_offset;
};

/* The rule in force at `pc` (a return address: the call before it is looked up). */
bool fm_cfi_rule_at(uintptr_t pc, struct fm_cfi_rule *rule);

#endif
