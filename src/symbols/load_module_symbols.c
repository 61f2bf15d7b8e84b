/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, inlined frames and lines from DWARF. */
#include "symbols/load_module_symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "symbols/call_sites.h"
#include "symbols/dwarf_scopes.h"
#include "symbols/dwfl_module.h"
#include "symbols/outlined.h"

/* The compilation unit of an address. */
struct unit_address {
    uint32_t unit, index; /* index of the address */
};

struct compilation_unit {
    Dwarf_Die lines;       /* with the line table */
    Dwarf_Die scopes;      /* the same, or that of its .dwo file */
    const char *directory; /* the compilation directory */
    bool fortran;
};

struct symbol_reader {
    struct fm_dwfl_module module;
    struct fm_resolved_address *found;
    size_t n;
    struct fm_arena *arena, scratch;
    struct compilation_unit *units;
    size_t n_units, units_capacity;
    struct unit_address *members;
    size_t n_members, members_capacity;
    Dwarf_Die *innermost; /* by address: its function, or the innermost function inlined there */
};

/* The addresses a walk looks for, as sorted indices. */
struct set {
    const uint32_t *items;
    size_t n;
};

struct unit_walk {
    struct symbol_reader *reader;
    const struct compilation_unit *unit;
    Dwarf_Files *files;
    size_t n_files;
    struct fm_dwarf_scopes scopes;
    bool thorough; /* also functions nested in functions that contain none of the addresses */
};

/* ---- strings ---- */

/* Removes redundant dots and slashes: "/a/./b", "a//b". */
static void normalize_path(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        bool part_begins = to == path || to[-1] == '/';
        if (part_begins && at[0] == '.' && at[1] == '/')
            at += 2;
        else if (part_begins && to > path && at[0] == '/')
            at++;
        else
            *to++ = *at++;
    }
    *to = 0;
}

/* A path from debug information, relative to the compilation directory. */
const char *fm_source_path(struct fm_arena *arena, const char *directory, const char *path)
{
    if (!path || !path[0])
        return "";
    if (path[0] == '/')
        directory = "";
    char *full = fm_arena_alloc(arena, strlen(directory) + strlen(path) + 2);
    if (!full)
        return "";
    stpcpy(stpcpy(stpcpy(full, directory), directory[0] ? "/" : ""), path);
    normalize_path(full);
    return full;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute value;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &value));
}

/* ---- addresses to compilation units ---- */

static bool add_unit(struct symbol_reader *reader, struct compilation_unit unit)
{
    if (reader->n_units == reader->units_capacity) {
        struct compilation_unit *grown = fm_arena_grow(&reader->scratch, reader->units, &reader->units_capacity,
                                                       reader->n_units + 1, sizeof *grown);
        if (!grown)
            return false;
        reader->units = grown;
    }
    reader->units[reader->n_units++] = unit;
    return true;
}

static bool add_member(struct symbol_reader *reader, size_t index)
{
    if (reader->n_members == reader->members_capacity) {
        struct unit_address *grown = fm_arena_grow(&reader->scratch, reader->members, &reader->members_capacity,
                                                   reader->n_members + 1, sizeof *grown);
        if (!grown)
            return false;
        reader->members = grown;
    }
    reader->members[reader->n_members++] = (struct unit_address){(uint32_t)(reader->n_units - 1), (uint32_t)index};
    return true;
}

/* Code that the linker has discarded has an address of 0 or 1, which would overlap other code. */
static bool is_linked(uint64_t low, uint64_t high)
{
    return low > 1 && low < high;
}

static void add_addresses_of(struct symbol_reader *reader, struct compilation_unit unit)
{
    Dwarf_Addr base, low, high;
    bool added = false;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(&unit.lines, next, &base, &low, &high)) > 0) {
        if (!is_linked(low, high))
            continue;
        low += reader->module.bias;
        high += reader->module.bias;
        size_t first = fm_resolved_lower_bound(reader->found, reader->n, low);
        for (size_t i = first; i < reader->n && reader->found[i].address < high; i++) {
            if (!added && !add_unit(reader, unit))
                return;
            added = true;
            if (!add_member(reader, i))
                return;
        }
    }
}

static int by_unit(const void *a, const void *b)
{
    const struct unit_address *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void find_units(struct symbol_reader *reader)
{
    Dwarf_CU *cu = NULL;
    uint8_t kind;
    Dwarf_Die die, split;
    while (dwarf_get_units(reader->module.dwarf, cu, &cu, NULL, &kind, &die, &split) == 0) {
        if (kind != DW_UT_compile && kind != DW_UT_skeleton)
            continue;
        add_addresses_of(reader, (struct compilation_unit){.lines = die,
                                                           .scopes = kind == DW_UT_skeleton && split.addr ? split : die,
                                                           .directory = ""});
    }
    if (!fm_sort(reader->members, reader->n_members, sizeof *reader->members, by_unit, &reader->scratch))
        reader->n_members = 0;
}

/* ---- scopes of a unit ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static size_t first_in_set(const struct symbol_reader *reader, struct set set, uint64_t address)
{
    size_t low = 0, high = set.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->found[set.items[middle]].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The addresses of a set that are in the ranges of an entry, in order; must be freed. inherit: an entry without ranges
 * has all addresses of its parent. */
static struct set addresses_in(const struct symbol_reader *reader, Dwarf_Die *die, struct set set, bool inherit)
{
    Dwarf_Addr base, low, high;
    uint32_t *items = NULL;
    size_t n = 0;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
        inherit = false;
        size_t i = is_linked(low, high) ? first_in_set(reader, set, low + reader->module.bias) : set.n;
        for (; i < set.n && reader->found[set.items[i]].address < high + reader->module.bias; i++) {
            items = items ? items : malloc(set.n * sizeof *items);
            if (items && n < set.n)
                items[n++] = set.items[i];
        }
    }
    if (inherit && (items = malloc(set.n * sizeof *items))) {
        memcpy(items, set.items, set.n * sizeof *items);
        n = set.n;
    }
    if (n > 1)
        qsort(items, n, sizeof *items, by_number);
    return (struct set){items, n};
}

/* The file that defines a function; NULL if unknown. libdw takes the number 0 for "none", which in DWARF 5 is the primary
 * source file; clang uses it. */
static const char *defining_file(Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Half version;
    Dwarf_Files *files;
    size_t n;
    if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0 ||
        number != 0 || !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || version < 5 ||
        dwarf_getsrcfiles(&unit, &files, &n) != 0)
        return file;
    return dwarf_filesrc(files, 0, NULL, NULL);
}

static struct fm_symbol describe(struct unit_walk *walk, Dwarf_Die *die)
{
    struct fm_symbol frame = {.path = "", .file = "", .body = fm_outlined_name(walk->reader->arena, die)};
    Dwarf_Die function;
    int line = 0;
    frame.inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    Dwarf_Die unit = walk->unit->scopes;
    if (frame.body && fm_outlined_function(&unit, die, &function))
        die = &function;
    frame.function = fm_dwarf_scopes_function(&walk->scopes, die);
    frame.defined = fm_source_path(walk->reader->arena, walk->unit->directory, defining_file(die));
    if (dwarf_decl_line(die, &line) == 0 && line > 0)
        frame.defined_line = (uint32_t)line;
    return frame;
}

/* The location from which an inlined function is called is the location of the frame before it. */
static void set_call_site(struct unit_walk *walk, Dwarf_Die *die, struct set set)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    const char *path = "";
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) == 0 && file < walk->n_files)
        path = fm_source_path(walk->reader->arena, walk->unit->directory, dwarf_filesrc(walk->files, file, NULL, NULL));
    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line);
    for (size_t i = 0; i < set.n; i++) {
        struct fm_resolved_address *found = &walk->reader->found[set.items[i]];
        if (found->n == 0)
            continue;
        found->frames[found->n - 1].path = path;
        found->frames[found->n - 1].line = line <= UINT32_MAX ? (uint32_t)line : 0;
    }
}

/* clang makes two functions of a region, one inlined into the other: they are one frame. */
static bool is_second_half(const struct fm_resolved_address *found, const struct fm_symbol *frame)
{
    const struct fm_symbol *last = found->n ? &found->frames[found->n - 1] : NULL;
    return last && last->body && frame->body && frame->inlined &&
           (strcmp(last->function, frame->function) == 0 || strcmp(frame->function, frame->body) == 0);
}

static void add_frames(struct unit_walk *walk, const struct fm_symbol *frame, Dwarf_Die *die, struct set set)
{
    for (size_t i = 0; i < set.n; i++) {
        struct fm_resolved_address *found = &walk->reader->found[set.items[i]];
        struct fm_symbol *added = is_second_half(found, frame) ? NULL
                                                               : fm_resolved_add_frame(found, walk->reader->arena);
        if (added)
            *added = *frame;
        if (walk->reader->innermost)
            walk->reader->innermost[set.items[i]] = *die;
    }
}

static void set_callee(struct unit_walk *walk, struct fm_call_site *site, struct set set)
{
    uint64_t address = site->address + walk->reader->module.bias;
    size_t i = first_in_set(walk->reader, set, address);
    if (i == set.n || !site->direct)
        return;
    struct fm_resolved_address *found = &walk->reader->found[set.items[i]];
    if (found->address == address)
        found->callee = fm_function_key(walk->reader->arena, &site->callee);
}

enum { MAX_DEPTH = 256, MAX_FRAMES = 128 };

/* Adds the functions inlined at these addresses, and what they call, below a function or a block of it. */
static void walk_blocks(struct unit_walk *walk, Dwarf_Die *parent, struct set set, unsigned depth)
{
    Dwarf_Die die;
    if (set.n == 0 || depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        bool inlined = tag == DW_TAG_inlined_subroutine;
        struct fm_call_site site;
        if (fm_call_site_read(&die, &site))
            set_callee(walk, &site, set);
        if (!inlined && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block)
            continue;
        struct set inside = addresses_in(walk->reader, &die, set, !inlined);
        if (inside.n > 0 && inlined && depth < MAX_FRAMES) {
            struct fm_symbol frame = describe(walk, &die);
            frame.function = frame.function ? frame.function : "(inlined)";
            set_call_site(walk, &die, inside);
            add_frames(walk, &frame, &die, inside);
        }
        walk_blocks(walk, &die, inside, depth + 1);
        free((void *)inside.items);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static bool any_unnamed(const struct symbol_reader *reader, struct set set)
{
    for (size_t i = 0; i < set.n; i++)
        if (reader->found[set.items[i]].n == 0)
            return true;
    return false;
}

/* The addresses of a set that are in no function yet. */
static struct set unnamed(const struct symbol_reader *reader, struct set set)
{
    uint32_t *items = malloc(set.n * sizeof *items + 1);
    size_t n = 0;
    for (size_t i = 0; items && i < set.n; i++)
        if (reader->found[set.items[i]].n == 0)
            items[n++] = set.items[i];
    return (struct set){items, n};
}

static void walk_scopes(struct unit_walk *walk, Dwarf_Die *parent, struct set set, unsigned depth);

static void walk_function(struct unit_walk *walk, Dwarf_Die *die, struct set set, unsigned depth)
{
    struct set inside = addresses_in(walk->reader, die, set, false), rest = unnamed(walk->reader, inside);
    if (rest.n > 0) {
        struct fm_symbol frame = describe(walk, die);
        if (frame.function) {
            const char *key = fm_function_key(walk->reader->arena, die);
            for (size_t i = 0; i < rest.n; i++)
                walk->reader->found[rest.items[i]].function = key;
            add_frames(walk, &frame, die, rest);
            walk_blocks(walk, die, rest, 0);
        }
    }
    free((void *)rest.items);
    free((void *)inside.items);
    /* Nested functions, such as Fortran's internal procedures, are outside the ranges of their parent. */
    if (walk->thorough && dwarf_haschildren(die) > 0)
        walk_scopes(walk, die, set, depth + 1);
}

static void walk_scopes(struct unit_walk *walk, Dwarf_Die *parent, struct set set, unsigned depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            walk_function(walk, &die, set, depth);
            break;
        case DW_TAG_module:
        case DW_TAG_namespace:
            walk_scopes(walk, &die, set, depth + 1);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
            if (walk->thorough)
                walk_scopes(walk, &die, set, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- lines ---- */

static bool row_address(Dwarf_Lines *rows, size_t index, Dwarf_Addr *address)
{
    return dwarf_lineaddr(dwarf_onesrcline(rows, index), address) == 0;
}

/* The last row of the line table that does not begin after an address. */
static size_t row_before(Dwarf_Lines *rows, size_t n, Dwarf_Addr address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Dwarf_Addr at;
        if (row_address(rows, middle, &at) && at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

/* Whether an address is in a function, and not in another one that is inlined there. */
static bool is_directly_in(Dwarf_Die *function, Dwarf_Addr address, unsigned depth) // NOLINT(misc-no-recursion)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_haspc(function, address) != 1)
        return depth > 0; /* a block without ranges has no addresses of its own */
    if (dwarf_child(function, &die) != 0)
        return true;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, address) == 1)
            return false;
        if (tag == DW_TAG_lexical_block && !is_directly_in(&die, address, depth + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

/* The line of the nearest row before the address, else after it, that is another line of the same function, below its
 * declaration; 0 if there is none. */
static uint32_t nearby_line(struct compilation_unit *unit, Dwarf_Die *function, Dwarf_Addr address,
                            const struct fm_symbol *frame)
{
    enum { MAX_ROWS = 64 };
    Dwarf_Lines *rows;
    size_t n;
    if (!function->addr || dwarf_getsrclines(&unit->lines, &rows, &n) != 0 || n == 0)
        return 0;
    size_t start = row_before(rows, n, address);
    for (size_t k = 0; k < 2 * MAX_ROWS; k++) {
        size_t away = k % MAX_ROWS + 1, index = k < MAX_ROWS ? start - away : start + away;
        Dwarf_Line *row = index < n ? dwarf_onesrcline(rows, index) : NULL;
        Dwarf_Addr at;
        int line;
        if (row && dwarf_lineaddr(row, &at) == 0 && dwarf_lineno(row, &line) == 0 && line > 0 &&
            (uint32_t)line > frame->defined_line && (uint32_t)line != frame->line && is_directly_in(function, at, 0))
            return (uint32_t)line;
    }
    return 0;
}

static bool is_fortran(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

static void set_line(struct symbol_reader *reader, struct compilation_unit *unit, struct fm_resolved_address *found)
{
    int number = 0;
    Dwarf_Addr address = found->address - reader->module.bias;
    Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
    if (!line)
        return;
    struct fm_symbol *frame = found->n ? &found->frames[found->n - 1] : fm_resolved_add_frame(found, reader->arena);
    if (!frame)
        return;
    frame->path = fm_source_path(reader->arena, unit->directory, dwarf_linesrc(line, NULL, NULL));
    if (dwarf_lineno(line, &number) == 0 && number > 0)
        frame->line = (uint32_t)number;
    if (reader->innermost && unit->fortran)
        frame->nearby = nearby_line(unit, &reader->innermost[found - reader->found], address, frame);
}

/* gcc does not say where a lambda is defined; the lines of its code do. */
static void set_defined(struct fm_resolved_address *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->frames[i].function && !(found->frames[i].defined && found->frames[i].defined[0]))
            found->frames[i].defined = found->frames[i].path;
}

/* ---- a module ---- */

static void read_unit(struct symbol_reader *reader, struct compilation_unit *unit, struct set set)
{
    struct unit_walk walk = {.reader = reader, .unit = unit};
    fm_dwarf_scopes_open(&walk.scopes, reader->arena);
    unit->directory = text_of(&unit->lines, DW_AT_comp_dir);
    unit->directory = unit->directory ? unit->directory : "";
    unit->fortran = is_fortran(&unit->scopes);
    if (dwarf_getsrcfiles(&unit->scopes, &walk.files, &walk.n_files) != 0)
        walk.n_files = 0;
    walk_scopes(&walk, &unit->scopes, set, 0);
    if (any_unnamed(reader, set)) {
        walk.thorough = true;
        walk_scopes(&walk, &unit->scopes, set, 0);
    }
    for (size_t i = 0; i < set.n; i++) {
        set_line(reader, unit, &reader->found[set.items[i]]);
        set_defined(&reader->found[set.items[i]]);
    }
    fm_dwarf_scopes_close(&walk.scopes);
}

static void read_units(struct symbol_reader *reader)
{
    uint32_t *items = fm_arena_alloc(&reader->scratch, reader->n_members * sizeof *items);
    for (size_t first = 0, end; items && first < reader->n_members; first = end) {
        size_t n = 0;
        for (end = first; end < reader->n_members && reader->members[end].unit == reader->members[first].unit; end++)
            if (reader->found[reader->members[end].index].n == 0 &&
                (n == 0 || items[n - 1] != reader->members[end].index))
                items[n++] = reader->members[end].index;
        if (n > 0)
            read_unit(reader, &reader->units[reader->members[first].unit], (struct set){items, n});
    }
}

void fm_load_module_symbols_read(const struct fm_load_module_files *files, struct fm_resolved_address *found, size_t n,
                                 struct fm_arena *arena)
{
    struct symbol_reader reader = {.found = found, .n = n, .arena = arena};
    if (!fm_dwfl_module_open(&reader.module, files))
        return;
    if (reader.module.dwarf) {
        reader.innermost = fm_arena_alloc(&reader.scratch, n * sizeof *reader.innermost);
        find_units(&reader);
        read_units(&reader);
    }
    fm_load_module_name_rest(&reader.module, found, n, arena);
    fm_dwfl_module_close(&reader.module);
    fm_arena_destroy(&reader.scratch);
}
