/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/dwarf_origin.h"

#include <dwarf.h>

enum { MAX_ORIGINS = 16 };

Dwarf_Die fm_dwarf_origin(const Dwarf_Die *die)
{
    Dwarf_Die origin = *die, next;
    Dwarf_Attribute attribute;
    for (int i = 0; i < MAX_ORIGINS; i++) {
        if (!dwarf_formref_die(dwarf_attr(&origin, DW_AT_abstract_origin, &attribute), &next) &&
            !dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attribute), &next))
            break;
        origin = next;
    }
    return origin;
}

const char *fm_dwarf_linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}
