/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/dwarf_scopes.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "symbols/dwarf_origin.h"
#include "symbols/symbol_name.h"

struct fm_dwarf_scope {
    Dwarf_Off offset;
    Dwarf_Die die;
    const char *outer; /* name of the enclosing scope, or "" */
};

enum { MAX_DEPTH = 64, MAX_ORIGINS = 16 };

/* A compilation unit, and the scopes in it or in its namespaces and modules, sorted by offset. */
struct fm_dwarf_scopes_unit {
    struct fm_dwarf_scopes_unit *next;
    Dwarf_Die die;
    struct fm_dwarf_scope *items;
    size_t n, capacity;
};

void fm_dwarf_scopes_open(struct fm_dwarf_scopes *scopes, struct fm_arena *arena)
{
    *scopes = (struct fm_dwarf_scopes){.arena = arena};
}

void fm_dwarf_scopes_close(struct fm_dwarf_scopes *scopes)
{
    fm_arena_destroy(&scopes->scratch);
}

/* ---- the list ---- */

static const char *join(struct fm_arena *arena, const char *outer, const char *name)
{
    char *joined = fm_arena_alloc(arena, strlen(outer) + strlen(name) + 3);
    if (!joined)
        return NULL;
    stpcpy(stpcpy(stpcpy(joined, outer), outer[0] ? "::" : ""), name);
    return joined;
}

static bool holds_functions(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

static const char *name_of_space(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    return name ? name : "(anonymous namespace)";
}

static bool list_scopes(struct fm_dwarf_scopes_unit *unit, struct fm_arena *arena, Dwarf_Die *parent, const char *outer,
                        unsigned depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return true;
    do {
        int tag = dwarf_tag(&die);
        if (!holds_functions(tag))
            continue;
        if (unit->n == unit->capacity) {
            struct fm_dwarf_scope *grown = fm_arena_grow(arena, unit->items, &unit->capacity, unit->n + 1,
                                                         sizeof *grown);
            if (!grown)
                return false;
            unit->items = grown;
        }
        unit->items[unit->n++] = (struct fm_dwarf_scope){dwarf_dieoffset(&die), die, outer};
        if (tag != DW_TAG_namespace && tag != DW_TAG_module)
            continue;
        const char *name = join(arena, outer, name_of_space(&die));
        if (!name || !list_scopes(unit, arena, &die, name, depth + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

static bool is_c(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 ||
           language == DW_LANG_Mips_Assembler;
}

/* The unit that contains an entry; NULL if out of memory. C has no enclosing scopes, so no list is made for it. */
static struct fm_dwarf_scopes_unit *unit_of(struct fm_dwarf_scopes *scopes, Dwarf_Die *die)
{
    struct fm_dwarf_scopes_unit *unit = scopes->units;
    while (unit && unit->die.cu != die->cu)
        unit = unit->next;
    if (unit || !(unit = fm_arena_alloc(&scopes->scratch, sizeof *unit)))
        return unit;
    if (!dwarf_diecu(die, &unit->die, NULL, NULL))
        return NULL;
    unit->next = scopes->units;
    scopes->units = unit;
    if (!is_c(&unit->die))
        list_scopes(unit, &scopes->scratch, &unit->die, "", 0);
    return unit;
}

/* The last scope in the list that does not begin after the offset. */
static const struct fm_dwarf_scope *find_scope(const struct fm_dwarf_scopes_unit *unit, Dwarf_Off offset)
{
    size_t low = 0, high = unit->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->items[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &unit->items[low - 1] : NULL;
}

/* ---- names ---- */

static const char *name_function(struct fm_dwarf_scopes *scopes, Dwarf_Die *die, unsigned depth);

/* The last child that does not begin after the offset: it is or contains the entry there. */
static bool child_before(Dwarf_Die *parent, Dwarf_Off offset, Dwarf_Die *child)
{
    Dwarf_Die die;
    bool found = false;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        if (dwarf_dieoffset(&die) > offset)
            break;
        *child = die;
        found = true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

/* The name of the enclosing scope of an entry; "" if there is none, NULL if it cannot be determined. */
static const char *name_outer(struct fm_dwarf_scopes *scopes, Dwarf_Die *inner, unsigned depth)
{
    Dwarf_Off offset = dwarf_dieoffset(inner);
    const struct fm_dwarf_scopes_unit *unit = unit_of(scopes, inner);
    const struct fm_dwarf_scope *scope = unit ? find_scope(unit, offset) : NULL;
    if (!scope)
        return NULL;
    const char *outer = scope->outer;
    Dwarf_Die die = scope->die;
    for (unsigned level = 0; dwarf_dieoffset(&die) != offset && outer && level < MAX_DEPTH; level++) {
        int tag = dwarf_tag(&die);
        const char *name = dwarf_diename(&die);
        if (tag == DW_TAG_subprogram)
            outer = name_function(scopes, &die, depth + 1);
        else if (holds_functions(tag))
            outer = join(&scopes->scratch, outer, name ? name : "{lambda}");
        if (!child_before(&die, offset, &die))
            return NULL;
    }
    return dwarf_dieoffset(&die) == offset ? outer : NULL;
}

static const char *name_function(struct fm_dwarf_scopes *scopes, Dwarf_Die *die, unsigned depth)
{
    const char *linkage = fm_dwarf_linkage_name(die), *name = dwarf_diename(die);
    if (linkage && (!name || strncmp(linkage, "_Z", 2) == 0 || strncmp(linkage, "_R", 2) == 0))
        return fm_symbol_name(scopes->arena, linkage);
    if (!name || depth > MAX_ORIGINS)
        return name;
    Dwarf_Die origin = fm_dwarf_origin(die);
    const char *outer = name_outer(scopes, &origin, depth);
    return outer && outer[0] ? join(scopes->arena, outer, name) : name;
}

const char *fm_dwarf_scopes_function(struct fm_dwarf_scopes *scopes, Dwarf_Die *die)
{
    const char *name = name_function(scopes, die, 0);
    return name ? fm_arena_strndup(scopes->arena, name, strlen(name)) : NULL;
}
