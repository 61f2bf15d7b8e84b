/* SPDX-License-Identifier: BSD-3-Clause */
/* The source files of a load module, from DWARF. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "base/sort.h"
#include "symbols/dwfl_module.h"

struct list {
    struct fm_source_file *items;
    size_t n, capacity;
};

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute value;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &value));
    return text ? text : "";
}

static bool is_fortran(int language)
{
    return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 || language == DW_LANG_Fortran95 ||
           language == DW_LANG_Fortran03 || language == DW_LANG_Fortran08;
}

static bool has_code(Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(unit, next, &base, &low, &high)) > 0)
        if (low > 1 && low < high) /* otherwise the linker has discarded it */
            return true;
    return false;
}

/* named: the unit itself, or that of its .dwo file, which then has the name. */
static void add_unit(struct list *list, Dwarf_Die *unit, Dwarf_Die *named, struct fm_arena *arena)
{
    int language = dwarf_srclang(named);
    const char *path = fm_source_path(arena, text_of(unit, DW_AT_comp_dir), text_of(named, DW_AT_name));
    if (!path[0] || language == DW_LANG_Mips_Assembler || !has_code(unit))
        return;
    struct fm_source_file *grown = fm_arena_grow(arena, list->items, &list->capacity, list->n + 1, sizeof *grown);
    if (!grown)
        return;
    list->items = grown;
    list->items[list->n++] = (struct fm_source_file){path, is_fortran(language)};
}

static int by_path(const void *a, const void *b)
{
    const struct fm_source_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

size_t fm_load_module_sources(const struct fm_load_module_files *files, struct fm_source_file **sources,
                              struct fm_arena *arena)
{
    struct fm_dwfl_module module;
    struct list list = {0};
    Dwarf_CU *cu = NULL;
    uint8_t kind;
    Dwarf_Die die, split;
    size_t kept = 0;
    if (!fm_dwfl_module_open(&module, files))
        return 0;
    while (module.dwarf && dwarf_get_units(module.dwarf, cu, &cu, NULL, &kind, &die, &split) == 0)
        if (kind == DW_UT_compile || kind == DW_UT_skeleton)
            add_unit(&list, &die, kind == DW_UT_skeleton && split.addr ? &split : &die, arena);
    fm_dwfl_module_close(&module);
    if (!fm_sort(list.items, list.n, sizeof *list.items, by_path, arena))
        return 0;
    for (size_t i = 0; i < list.n; i++)
        if (!kept || strcmp(list.items[i].path, list.items[kept - 1].path) != 0)
            list.items[kept++] = list.items[i];
    *sources = list.items;
    return kept;
}
