/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/load_module_tail_calls.h"

#include <dwarf.h>
#include <string.h>

#include "base/intern.h"
#include "symbols/call_sites.h"
#include "symbols/dwfl_module.h"

enum { MAX_DEPTH = 256 };

/* A function with code; several with the same identity are copies of one function. */
struct unit_function {
    const char *key;
    Dwarf_Die die;
};

struct unit {
    struct unit *next;
    void *cu; /* identifies it */
    struct unit_function *functions;
    size_t n, capacity;
};

struct fm_tail_call_reader {
    struct fm_arena arena;
    struct fm_dwfl_module module;
    struct fm_intern symbols; /* names to index + 1; made when first needed */
    bool symbols_read;
    struct unit *units; /* those read so far */
};

/* clang writes no table of the addresses of units. */
static bool find_by_address(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL) == 0)
        if (dwarf_haspc(unit, address) == 1)
            return true;
    return false;
}

struct fm_tail_call_reader *fm_tail_calls_open(const struct fm_load_module_files *files)
{
    struct fm_arena arena = {0};
    struct fm_tail_call_reader *reader = fm_arena_alloc(&arena, sizeof *reader);
    if (!reader)
        return NULL;
    reader->arena = arena;
    if (fm_dwfl_module_open(&reader->module, files) && reader->module.dwarf)
        return reader;
    fm_tail_calls_close(reader);
    return NULL;
}

void fm_tail_calls_close(struct fm_tail_call_reader *reader)
{
    if (!reader)
        return;
    fm_dwfl_module_close(&reader->module);
    struct fm_arena arena = reader->arena; /* the struct itself is allocated from it */
    fm_arena_destroy(&arena);
}

/* ---- the unit that contains a function ---- */

static void read_symbols(struct fm_tail_call_reader *reader)
{
    int count = dwfl_module_getsymtab(reader->module.module);
    reader->symbols_read = true;
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(reader->module.module, i, &symbol, &address, &section, NULL, NULL);
        if (!name || !name[0] || section == SHN_UNDEF)
            continue;
        struct fm_intern_slot *slot = fm_intern_put(&reader->symbols, &reader->arena, name, false);
        if (slot && slot->number == 0)
            slot->number = (uint32_t)i + 1;
    }
}

static bool find_by_symbol(struct fm_tail_call_reader *reader, const char *name, Dwarf_Die *unit)
{
    if (!reader->symbols_read)
        read_symbols(reader);
    const struct fm_intern_slot *slot = fm_intern_find(&reader->symbols, name);
    GElf_Sym symbol;
    GElf_Addr address;
    if (!slot ||
        !dwfl_module_getsym_info(reader->module.module, (int)slot->number - 1, &symbol, &address, NULL, NULL, NULL))
        return false;
    return find_by_address(reader->module.dwarf, address - reader->module.bias, unit);
}

static bool find_unit(struct fm_tail_call_reader *reader, const char *key, Dwarf_Die *unit)
{
    Dwarf_Die die;
    uint64_t offset = fm_function_key_offset(key);
    if (!offset)
        return find_by_symbol(reader, key, unit);
    return dwarf_offdie(reader->module.dwarf, offset, &die) && dwarf_diecu(&die, unit, NULL, NULL);
}

/* ---- its functions ---- */

static void add_function(struct fm_tail_call_reader *reader, struct unit *unit, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    if (dwarf_ranges(die, 0, &base, &low, &high) <= 0)
        return; /* a declaration */
    if (unit->n == unit->capacity) {
        struct unit_function *grown = fm_arena_grow(&reader->arena, unit->functions, &unit->capacity, unit->n + 1,
                                                    sizeof *grown);
        if (!grown)
            return;
        unit->functions = grown;
    }
    const char *key = fm_function_key(&reader->arena, die);
    if (key)
        unit->functions[unit->n++] = (struct unit_function){key, *die};
}

static void list_functions(struct fm_tail_call_reader *reader, struct unit *unit, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_function(reader, unit, &die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
            tag == DW_TAG_structure_type)
            list_functions(reader, unit, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static struct unit *unit_of(struct fm_tail_call_reader *reader, Dwarf_Die *die)
{
    struct unit *unit = reader->units;
    while (unit && unit->cu != die->cu)
        unit = unit->next;
    if (unit || !(unit = fm_arena_alloc(&reader->arena, sizeof *unit)))
        return unit;
    *unit = (struct unit){.next = reader->units, .cu = die->cu};
    reader->units = unit;
    Dwarf_Die split;
    bool is_split = dwarf_cu_info(die->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr &&
                    dwarf_tag(&split) > 0;
    list_functions(reader, unit, is_split ? &split : die, 0);
    return unit;
}

/* ---- their tail calls ---- */

static void add_tail_call(struct fm_tail_call_reader *reader, const char *from, struct fm_call_site *site,
                          struct fm_tail_call_list *list)
{
    const char *to = fm_function_key(&reader->arena, &site->callee);
    if (!to || !to[0])
        return;
    if (list->n == list->capacity) {
        struct fm_tail_call *grown = fm_arena_grow(&reader->arena, list->items, &list->capacity, list->n + 1,
                                                   sizeof *grown);
        if (!grown)
            return;
        list->items = grown;
    }
    list->items[list->n++] = (struct fm_tail_call){from, to, site->address + reader->module.bias};
}

static void list_tail_calls(struct fm_tail_call_reader *reader, const char *from, Dwarf_Die *parent, unsigned depth,
                            struct fm_tail_call_list *list)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        struct fm_call_site site;
        if (fm_call_site_read(&die, &site) && site.tail_call && site.direct)
            add_tail_call(reader, from, &site, list);
        else if (dwarf_tag(&die) != DW_TAG_subprogram && dwarf_haschildren(&die) > 0)
            list_tail_calls(reader, from, &die, depth + 1, list);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void fm_tail_calls_read(struct fm_tail_call_reader *reader, const char *function, struct fm_tail_call_list *list)
{
    Dwarf_Die die;
    struct unit *unit = find_unit(reader, function, &die) ? unit_of(reader, &die) : NULL;
    for (size_t i = 0; unit && i < unit->n; i++)
        if (strcmp(unit->functions[i].key, function) == 0)
            list_tail_calls(reader, unit->functions[i].key, &unit->functions[i].die, 0, list);
}
