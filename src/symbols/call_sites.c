/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/call_sites.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/writer.h"
#include "symbols/dwarf_scopes.h"

static bool has_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool set = false;
    return dwarf_formflag(dwarf_attr(die, name, &attribute), &set) == 0 && set;
}

static bool address_of(Dwarf_Die *die, unsigned name, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr found;
    if (dwarf_formaddr(dwarf_attr(die, name, &attribute), &found) != 0)
        return false;
    *address = found;
    return true;
}

/* DWARF 5 gives the return address or, clang for tail calls, that of the instruction. Before DWARF 5 gcc has an
 * extension, with the return address as the low pc. */
static bool read_address(Dwarf_Die *die, uint64_t *address)
{
    if (address_of(die, DW_AT_call_pc, address))
        return true;
    if (!address_of(die, DW_AT_call_return_pc, address) && !address_of(die, DW_AT_low_pc, address))
        return false;
    return (*address)-- > 1;
}

bool fm_call_site_read(Dwarf_Die *die, struct fm_call_site *site)
{
    int tag = dwarf_tag(die);
    Dwarf_Attribute attribute;
    *site = (struct fm_call_site){0};
    if ((tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) || !read_address(die, &site->address))
        return false;
    site->tail_call = has_flag(die, DW_AT_call_tail_call) || has_flag(die, DW_AT_GNU_tail_call);
    site->direct = dwarf_formref_die(dwarf_attr(die, DW_AT_call_origin, &attribute), &site->callee) ||
                   dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &site->callee);
    return true;
}

const char *fm_function_key(struct fm_arena *arena, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    bool external = false;
    const char *name = fm_dwarf_linkage_name(die);
    name = name ? name : dwarf_diename(die);
    if (!name || !name[0])
        return "";
    if (dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attribute), &external) == 0 && external)
        return fm_arena_strndup(arena, name, strlen(name));
    Dwarf_Die origin = fm_dwarf_origin(die);
    return fm_written(arena, "%s@%" PRIx64, name, (uint64_t)dwarf_dieoffset(&origin));
}

uint64_t fm_function_key_offset(const char *key)
{
    const char *at = strrchr(key, '@');
    return at ? strtoull(at + 1, NULL, 16) : 0;
}
