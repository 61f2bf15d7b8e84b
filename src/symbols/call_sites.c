/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/call_sites.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/writer.h"
#include "symbols/dwarf_origin.h"

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

bool fm_call_sites_complete(Dwarf_Die *function)
{
    return has_flag(function, DW_AT_call_all_calls) || has_flag(function, DW_AT_call_all_tail_calls) ||
           has_flag(function, DW_AT_GNU_all_call_sites) || has_flag(function, DW_AT_GNU_all_tail_call_sites);
}

/* The id of a unit in a .dwo file; 0 if it is in another file. */
static uint64_t split_unit(Dwarf_CU *cu)
{
    uint8_t kind;
    uint64_t id;
    return dwarf_cu_info(cu, NULL, &kind, NULL, NULL, &id, NULL, NULL) == 0 && kind == DW_UT_split_compile ? id : 0;
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
    uint64_t offset = dwarf_dieoffset(&origin), unit = split_unit(origin.cu);
    if (unit)
        return fm_written(arena, "%s@%" PRIx64 ".%" PRIx64, name, offset, unit);
    return fm_written(arena, "%s@%" PRIx64, name, offset);
}

struct fm_function_origin fm_function_key_origin(const char *key)
{
    const char *at = strrchr(key, '@');
    struct fm_function_origin origin = {0};
    char *end;
    if (!at)
        return origin;
    origin.offset = strtoull(at + 1, &end, 16);
    origin.unit = *end == '.' ? strtoull(end + 1, NULL, 16) : 0;
    return origin;
}
