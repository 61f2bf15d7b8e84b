/* SPDX-License-Identifier: BSD-3-Clause */
/* Names from symbol tables: .symtab of the module or of its debug file, else .dynsym with .gnu_debugdata. A function
 * without a symbol is named after its start address, which is known from the unwind tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/writer.h"
#include "symbols/dwfl_module.h"
#include "symbols/outlined.h"
#include "symbols/symbol_name.h"

enum { MAX_INSIDE = 8 };

struct function {
    uint64_t from, to;
    const char *name;
    unsigned rank; /* of several names for an address, the lowest is shown */
    bool sized;
    const char **names; /* all of them */
    size_t n_names;
};

static unsigned rank_of(const GElf_Sym *symbol, const char *name)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info) == STB_GLOBAL ? 0
                       : GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 1
                                                                   : 2;
    size_t underscores = strspn(name, "_");
    return (symbol->st_size == 0) << 16 | binding << 8 | (underscores < 255 ? (unsigned)underscores : 255);
}

static int by_address(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    size_t x_length = strlen(x->name), y_length = strlen(y->name);
    return x_length != y_length ? (x_length < y_length ? -1 : 1) : strcmp(x->name, y->name);
}

/* Assembler code has symbols without a size or type; $x and $d on ARM are mapping symbols, not names. */
static bool is_function(const GElf_Sym *symbol, const char *name, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (!name || !name[0] || name[0] == '$' || section == SHN_UNDEF || section >= SHN_LORESERVE)
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC ||
           (type == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) != STB_LOCAL);
}

/* The end of a symbol; without a size, as in assembler code, the end of its section or the next symbol. */
static uint64_t end_of(const GElf_Sym *symbol, uint64_t address, Elf *elf, GElf_Word section)
{
    GElf_Shdr header;
    if (symbol->st_size > 0)
        return address + symbol->st_size;
    if (!gelf_getshdr(elf_getscn(elf, section), &header) || symbol->st_value - header.sh_addr >= header.sh_size)
        return address + 1;
    return address + header.sh_size - (symbol->st_value - header.sh_addr);
}

/* All functions, sorted, one for each address. */
static size_t read_functions(const struct fm_dwfl_module *module, struct function **functions, struct fm_arena *arena)
{
    int count = dwfl_module_getsymtab(module->module);
    struct function *all = count > 0 ? fm_arena_alloc(arena, (size_t)count * sizeof *all) : NULL;
    const char **names = count > 0 ? fm_arena_alloc(arena, (size_t)count * sizeof *names) : NULL;
    size_t n = 0, kept = 0;
    for (int i = 0; all && names && i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        const char *name = dwfl_module_getsym_info(module->module, i, &symbol, &address, &section, &elf, NULL);
        if (name && is_function(&symbol, name, section))
            all[n++] = (struct function){.from = address,
                                         .to = end_of(&symbol, address, elf, section),
                                         .name = name,
                                         .rank = rank_of(&symbol, name),
                                         .sized = symbol.st_size > 0};
    }
    if (n == 0 || !fm_sort(all, n, sizeof *all, by_address, arena))
        return 0;
    for (size_t i = 0; i < n; i++) {
        names[i] = all[i].name;
        if (kept == 0 || all[i].from != all[kept - 1].from) {
            all[kept] = all[i];
            all[kept++].names = &names[i];
        }
        all[kept - 1].n_names++;
    }
    for (size_t i = 0; i + 1 < kept; i++)
        if (!all[i].sized && all[i].to > all[i + 1].from)
            all[i].to = all[i + 1].from;
    *functions = all;
    return kept;
}

static const struct function *function_of(const struct function *functions, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions[middle].from <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* A function can contain others, but rarely many. */
    for (size_t i = low; i > 0 && i + MAX_INSIDE > low; i--)
        if (address < functions[i - 1].to)
            return &functions[i - 1];
    return NULL;
}

static bool is_named(const struct fm_resolved_address *found)
{
    return found->n > 0 && found->frames[0].function[0];
}

/* ---- functions without a name ---- */

/* The binary search table of .eh_frame_hdr: the start of each function, sorted, as distances from the start of the
 * section. */
struct starts {
    const unsigned char *table;
    size_t n;
    uint64_t origin;
};

static int32_t read_distance(const unsigned char *at)
{
    int32_t distance;
    memcpy(&distance, at, sizeof distance);
    return distance;
}

/* Only the encoding that linkers write: a count, and pairs of four bytes each. */
static struct starts starts_in(const Elf_Data *data, uint64_t origin)
{
    enum { COUNT_4 = 0x03, PAIRS_4 = 0x3b, HEAD = 12, PAIR = 8 };
    const unsigned char *bytes = data ? data->d_buf : NULL;
    uint32_t n = 0;
    if (!bytes || data->d_size < HEAD || bytes[0] != 1 || bytes[2] != COUNT_4 || bytes[3] != PAIRS_4)
        return (struct starts){0};
    memcpy(&n, bytes + HEAD - sizeof n, sizeof n);
    size_t max_pairs = (data->d_size - HEAD) / PAIR;
    return (struct starts){bytes + HEAD, n < max_pairs ? n : max_pairs, origin};
}

static struct starts find_starts(const struct fm_dwfl_module *module)
{
    GElf_Addr bias;
    size_t n = 0;
    Elf *elf = dwfl_module_getelf(module->module, &bias);
    if (!elf || elf_getphdrnum(elf, &n) != 0)
        return (struct starts){0};
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_GNU_EH_FRAME)
            return starts_in(elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE),
                             header.p_vaddr + bias);
    }
    return (struct starts){0};
}

static bool has_frame(const struct fm_dwfl_module *module, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame = NULL;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(module->module, &bias);
    bool has = cfi && dwarf_cfi_addrframe(cfi, address - bias, &frame) == 0;
    free(frame);
    return has;
}

/* "[+0x1a40]": shown as "[hpcc+0x1a40]" (symbols_lines.c), because a file can be known by several names. NULL if the
 * function is unknown. */
static const char *name_by_start(const struct fm_dwfl_module *module, uint64_t address, struct fm_arena *arena)
{
    enum { PAIR = 8 };
    struct starts starts = find_starts(module);
    size_t low = 0, high = starts.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts.origin + (uint64_t)read_distance(starts.table + middle * PAIR) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !has_frame(module, address))
        return NULL;
    uint64_t start = starts.origin + (uint64_t)read_distance(starts.table + (low - 1) * PAIR);
    return fm_written(arena, FM_NAMELESS "%" PRIx64 "]", start);
}

static const char *name_of(const struct fm_dwfl_module *module, const struct function *function, uint64_t address,
                           struct fm_arena *arena)
{
    if (!function)
        return name_by_start(module, address, arena);
    const char *name = fm_symbol_name(arena, function->name);
    return name == function->name ? fm_arena_strndup(arena, name, strlen(name)) : name;
}

/* "mpi_send_|MPI_SEND": a caller uses any of them. */
static const char *all_names(const struct function *function, struct fm_arena *arena)
{
    struct fm_writer names = {.arena = arena};
    for (size_t i = 0; i < function->n_names; i++)
        fm_write(&names, "%s%s", i ? "|" : "", function->names[i]);
    return fm_writer_text(&names);
}

void fm_load_module_name_rest(const struct fm_dwfl_module *module, struct fm_resolved_address *found, size_t n,
                              struct fm_arena *arena)
{
    struct fm_arena scratch = {0};
    struct function *functions = NULL;
    size_t first = 0;
    while (first < n && is_named(&found[first]))
        first++;
    size_t n_functions = first < n ? read_functions(module, &functions, &scratch) : 0;
    for (size_t i = first; i < n; i++) {
        if (is_named(&found[i]))
            continue;
        const struct function *function = function_of(functions, n_functions, found[i].address);
        const char *name = name_of(module, function, found[i].address, arena);
        struct fm_symbol *frame = !name        ? NULL
                                  : found[i].n ? &found[i].frames[0]
                                               : fm_resolved_add_frame(&found[i], arena);
        size_t base;
        if (frame) {
            frame->function = name;
            if (function && fm_outlined_symbol(function->name, &base))
                frame->body = fm_arena_strndup(arena, function->name, strlen(function->name));
        } else {
            found[i].n = 0;
        }
        found[i].function = function ? all_names(function, arena) : NULL;
    }
    fm_arena_destroy(&scratch);
}

size_t fm_load_module_list(const struct fm_load_module_files *files, struct fm_resolved_address **found,
                           struct fm_function **functions, struct fm_arena *arena)
{
    struct fm_dwfl_module module;
    struct fm_arena scratch = {0};
    struct function *all = NULL;
    if (!fm_dwfl_module_open(&module, files))
        return 0;
    size_t n = read_functions(&module, &all, &scratch);
    *found = fm_arena_alloc(arena, n * sizeof **found);
    *functions = fm_arena_alloc(arena, n * sizeof **functions);
    for (size_t i = 0; *found && *functions && i < n; i++) {
        (*found)[i] = (struct fm_resolved_address){.address = all[i].from};
        (*functions)[i] = (struct fm_function){"", "", all[i].to - all[i].from};
    }
    fm_arena_destroy(&scratch);
    fm_dwfl_module_close(&module);
    return *found && *functions ? n : 0;
}
