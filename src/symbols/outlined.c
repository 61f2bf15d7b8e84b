/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/outlined.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf_origin.h"

enum { MAX_DEPTH = 64 };

bool fm_outlined_symbol(const char *symbol, size_t *base)
{
    static const char *const marks[] = {"._omp_fn.", "._omp_cpyfn.", ".omp_outlined", ".omp_task_entry"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strstr(symbol, marks[i]);
        if (!at)
            continue;
        *base = (size_t)(at - symbol);
        return true;
    }
    return false;
}

/* The bodies of tasks have only a linkage name in clang. */
static const char *symbol_of(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    return name ? name : fm_dwarf_linkage_name(die);
}

bool fm_outlined_is(Dwarf_Die *die)
{
    const char *name = symbol_of(die);
    size_t base;
    return name && fm_outlined_symbol(name, &base);
}

const char *fm_outlined_name(struct fm_arena *arena, Dwarf_Die *die)
{
    const char *name = fm_outlined_is(die) ? symbol_of(die) : NULL;
    return name ? fm_arena_strndup(arena, name, strlen(name)) : NULL;
}

static bool enclosing_function(Dwarf_Die *die, Dwarf_Die *function)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes_die(die, &scopes);
    bool found = false;
    for (int i = 1; i < n && !found; i++) {
        found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram && !fm_outlined_is(&scopes[i]);
        *function = scopes[i];
    }
    free(scopes);
    return found;
}

/* Functions that clang makes for a region besides its body, such as ".omp.reduction.reduction_func": they have the line of
 * the region, but do not contain it. */
static bool is_helper(Dwarf_Die *die)
{
    const char *name = symbol_of(die);
    return name && strstr(name, ".omp");
}

/* As a number, because elfutils does not know file 0 of DWARF 5. */
static bool file_number(Dwarf_Die *die, Dwarf_Word *number)
{
    Dwarf_Attribute attribute;
    return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), number) == 0;
}

/* The function that begins last before a line. */
struct line_search {
    Dwarf_Word file;
    int line, best;
    Dwarf_Die function;
    bool several; /* begin there: instances of a template, or those of a macro */
};

static bool is_same(const Dwarf_Die *a, const Dwarf_Die *b)
{
    Dwarf_Die x = fm_dwarf_origin(a), y = fm_dwarf_origin(b);
    return x.addr == y.addr;
}

static void search_line(struct line_search *search, Dwarf_Die *parent, unsigned depth) // NOLINT(misc-no-recursion)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die), line;
        Dwarf_Word file;
        if (tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
            search_line(search, &die, depth + 1);
        if (tag != DW_TAG_subprogram || fm_outlined_is(&die) || is_helper(&die) || dwarf_decl_line(&die, &line) != 0 ||
            line > search->line || line < search->best || !file_number(&die, &file) || file != search->file)
            continue;
        search->several = line == search->best && (search->several || !is_same(&die, &search->function));
        search->best = line;
        search->function = die;
    } while (dwarf_siblingof(&die, &die) == 0);
}

bool fm_outlined_function(Dwarf_Die *unit, Dwarf_Die *die, Dwarf_Die *function)
{
    if (enclosing_function(die, function))
        return true;
    struct line_search search = {0};
    if (!file_number(die, &search.file) || dwarf_decl_line(die, &search.line) != 0)
        return false;
    search_line(&search, unit, 0);
    *function = search.function;
    return search.best > 0 && !search.several;
}
