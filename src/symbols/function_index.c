/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/function_index.h"

#include <dwarf.h>
#include <string.h>

#include "base/sort.h"
#include "symbols/call_sites.h"
#include "symbols/outlined.h"

enum { MAX_DEPTH = 256, MAX_NAME = 4096 };

struct fm_code_range {
    uint64_t low, high; /* without bias */
    Dwarf_Die unit;
};

void fm_function_index_open(struct fm_function_index *index, struct fm_arena *arena,
                            const struct fm_dwfl_module *module)
{
    *index = (struct fm_function_index){.arena = arena, .module = module};
}

/* ---- units by address ---- */

static int by_low(const void *a, const void *b)
{
    const struct fm_code_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static void add_ranges(struct fm_function_index *index, Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(unit, next, &base, &low, &high)) > 0) {
        if (low <= 1 || low >= high) /* discarded by the linker */
            continue;
        if (index->n_ranges == index->ranges_capacity) {
            struct fm_code_range *grown = fm_arena_grow(index->arena, index->ranges, &index->ranges_capacity,
                                                        index->n_ranges + 1, sizeof *grown);
            if (!grown)
                return;
            index->ranges = grown;
        }
        index->ranges[index->n_ranges++] = (struct fm_code_range){low, high, *unit};
    }
}

/* clang writes no table of the addresses of units, so it is made here. */
static void read_ranges(struct fm_function_index *index)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t kind;
    while (dwarf_get_units(index->module->dwarf, cu, &cu, NULL, &kind, &unit, NULL) == 0)
        if (kind == DW_UT_compile || kind == DW_UT_skeleton)
            add_ranges(index, &unit);
    if (!fm_sort(index->ranges, index->n_ranges, sizeof *index->ranges, by_low, index->arena))
        index->n_ranges = 0;
}

static Dwarf_Die *unit_at(const struct fm_function_index *index, uint64_t address)
{
    size_t low = 0, high = index->n_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < index->ranges[low - 1].high ? &index->ranges[low - 1].unit : NULL;
}

/* ---- symbols ---- */

/* The name without version and the suffixes of clones: "step" of "step.constprop.0". NULL if it is too long. */
static const char *base_name(char buffer[MAX_NAME], const char *name)
{
    size_t length = 1 + strcspn(name + 1, ".@");
    if (length >= MAX_NAME)
        return NULL;
    memcpy(buffer, name, length);
    buffer[length] = 0;
    return buffer;
}

static const char *symbol_at(const struct fm_function_index *index, uint32_t number, uint64_t *address)
{
    GElf_Sym symbol;
    GElf_Word section;
    GElf_Addr at;
    const char *name = dwfl_module_getsym_info(index->module->module, (int)number, &symbol, &at, &section, NULL, NULL);
    *address = at - index->module->bias;
    return name && name[0] && section != SHN_UNDEF ? name : NULL;
}

static void read_symbols(struct fm_function_index *index)
{
    int count = dwfl_module_getsymtab(index->module->module);
    index->next = count > 0 ? fm_arena_alloc(index->arena, (size_t)count * sizeof *index->next) : NULL;
    for (uint32_t i = 0; index->next && i < (uint32_t)count; i++) {
        char buffer[MAX_NAME];
        uint64_t address;
        const char *name = symbol_at(index, i, &address), *base = name ? base_name(buffer, name) : NULL;
        struct fm_intern_slot *slot = base ? fm_intern_put(&index->names, index->arena, base, true) : NULL;
        if (!slot)
            continue;
        index->next[i] = slot->number;
        slot->number = i + 1;
    }
}

static void make(struct fm_function_index *index)
{
    if (index->made)
        return;
    index->made = true;
    read_ranges(index);
    read_symbols(index);
}

/* ---- functions of a unit ---- */

static void add_function(struct fm_function_index *index, struct fm_unit_functions *unit, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    if (dwarf_ranges(die, 0, &base, &low, &high) <= 0)
        return; /* a declaration */
    if (unit->n == unit->capacity) {
        struct fm_unit_function *grown = fm_arena_grow(index->arena, unit->items, &unit->capacity, unit->n + 1,
                                                       sizeof *grown);
        if (!grown)
            return;
        unit->items = grown;
    }
    const char *key = fm_function_key(index->arena, die);
    if (key)
        unit->items[unit->n++] = (struct fm_unit_function){key, *die};
}

static void list_functions(struct fm_function_index *index, struct fm_unit_functions *unit, Dwarf_Die *parent,
                           unsigned depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_function(index, unit, &die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
            tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
            list_functions(index, unit, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static struct fm_unit_functions *unit_of(struct fm_function_index *index, Dwarf_Die *die)
{
    struct fm_unit_functions *unit = index->units;
    while (unit && unit->cu != die->cu)
        unit = unit->next;
    if (unit || !(unit = fm_arena_alloc(index->arena, sizeof *unit)))
        return unit;
    *unit = (struct fm_unit_functions){.next = index->units, .cu = die->cu};
    index->units = unit;
    Dwarf_Die split;
    bool is_split = dwarf_cu_info(die->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr &&
                    dwarf_tag(&split) > 0;
    list_functions(index, unit, is_split ? &split : die, 0);
    return unit;
}

/* ---- searches ---- */

/* Visits the functions of a unit with a key; NULL: outlined bodies. */
static void search_unit(struct fm_function_index *index, Dwarf_Die *die, const char *key, fm_function_visit *visit,
                        void *context)
{
    struct fm_unit_functions *unit = die ? unit_of(index, die) : NULL;
    if (!unit || unit->search == index->searches)
        return;
    unit->search = index->searches;
    for (size_t i = 0; i < unit->n; i++)
        if (key ? strcmp(unit->items[i].key, key) == 0 : fm_outlined_is(&unit->items[i].die))
            visit(context, &unit->items[i]);
}

/* The unit of the first entry of a function that is not external. */
static bool unit_of_origin(const struct fm_function_index *index, struct fm_function_origin origin, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint64_t id;
    if (!origin.unit)
        return origin.offset && dwarf_offdie(index->module->dwarf, origin.offset, &die) &&
               dwarf_diecu(&die, unit, NULL, NULL);
    while (dwarf_get_units(index->module->dwarf, cu, &cu, NULL, NULL, unit, NULL) == 0)
        if (dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) == 0 && id == origin.unit)
            return true;
    return false;
}

void fm_function_index_find(struct fm_function_index *index, const char *key, fm_function_visit *visit, void *context)
{
    char buffer[MAX_NAME];
    uint64_t address;
    Dwarf_Die unit;
    make(index);
    index->searches++;
    const char *base = key[0] ? base_name(buffer, key) : NULL;
    const struct fm_intern_slot *slot = base ? fm_intern_find(&index->names, base) : NULL;
    for (uint32_t number = slot && index->next ? slot->number : 0; number; number = index->next[number - 1])
        if (symbol_at(index, number - 1, &address))
            search_unit(index, unit_at(index, address), key, visit, context);
    if (unit_of_origin(index, fm_function_key_origin(key), &unit))
        search_unit(index, &unit, key, visit, context);
}

void fm_function_index_outlined(struct fm_function_index *index, fm_function_visit *visit, void *context)
{
    int count = dwfl_module_getsymtab(index->module->module);
    make(index);
    index->searches++;
    for (int i = 0; i < count; i++) {
        uint64_t address;
        size_t base;
        const char *name = symbol_at(index, (uint32_t)i, &address);
        if (name && fm_outlined_symbol(name, &base))
            search_unit(index, unit_at(index, address), NULL, visit, context);
    }
}
