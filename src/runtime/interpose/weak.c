/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/weak.h"

#include <fcntl.h>
#include <stddef.h>

#include "base/platform.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/state.h"

extern FM_HIDDEN const char __ehdr_start[], _end[]; /* our image in memory */

/* ---- the references of an object ---- */

struct references {
    uintptr_t base; /* of the object */
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * items;
    size_t n;
};

typedef bool name_filter(const char *name);

/* Every process pays for this, so it makes a single pass and skips relative relocations, which are the majority and
 * come first. */
static struct references references_of(uintptr_t base, const ElfW(Dyn) * dynamic)
{
    const ElfW(Dyn) * entries[DT_RELASZ + 1] = {NULL};
    size_t relative = 0;
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
        if ((uint64_t)d->d_tag <= DT_RELASZ)
            entries[d->d_tag] = d;
        else if (d->d_tag == DT_RELACOUNT)
            relative = d->d_un.d_val;
    }
    if (!entries[DT_RELA] || !entries[DT_RELASZ] || !entries[DT_SYMTAB] || !entries[DT_STRTAB])
        return (struct references){0};
    size_t n = entries[DT_RELASZ]->d_un.d_val / sizeof(ElfW(Rela));
    relative = relative < n ? relative : n;
    return (struct references){.base = base,
                               .symbols = fm_object_address(entries[DT_SYMTAB], base),
                               .strings = fm_object_address(entries[DT_STRTAB], base),
                               .items = (const ElfW(Rela) *)fm_object_address(entries[DT_RELA], base) + relative,
                               .n = n - relative};
}

static const uintptr_t *word_of(const struct references *references, const ElfW(Rela) * item)
{
    return (const uintptr_t *)(references->base + item->r_offset);
}

static bool is_bound_to_us(const uintptr_t *word)
{
    return *word - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/* The next weak reference from `item` on that passes the filter, is bound to us and is stored as a full address in one
 * word; NULL if there is none. Costs few instructions for the others: an MPI library has ten thousand. */
static const ElfW(Rela) * next_weak(const struct references *references, const ElfW(Rela) * item, name_filter *filter)
{
    const ElfW(Sym) *symbols = references->symbols;
    const ElfW(Rela) *end = references->items + references->n;
    for (; item < end; item++) {
        uint32_t type = (uint32_t)ELF64_R_TYPE(item->r_info);
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(item->r_info)];
        if (ELF64_ST_BIND(symbol->st_info) == STB_WEAK && symbol->st_shndx == SHN_UNDEF &&
            (type == FM_RELOCATION_GOT || (type == FM_RELOCATION_WORD && !item->r_addend)) &&
            is_bound_to_us(word_of(references, item)) && filter(references->strings + symbol->st_name))
            return item;
    }
    return NULL;
}

/* ---- setting them to null ---- */

/* Written through the kernel: the loader has made most of these words read-only, or is about to do so in another
 * thread, so their protection cannot be changed temporarily. (Reading first verifies that the file is this memory:
 * under an emulator it is not.) */
static void make_null(const uintptr_t *word)
{
    uintptr_t found = 0, null = 0;
    long fd = fm_kernel(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fm_kernel(SYS_pread64, fd, &found, sizeof found, word) == sizeof found && found == *word)
        fm_kernel(SYS_pwrite64, fd, &null, sizeof null, word);
    fm_kernel(SYS_close, fd);
}

static void clear(uintptr_t base, const ElfW(Dyn) * dynamic, name_filter *filter)
{
    struct references references = references_of(base, dynamic);
    const ElfW(Rela) *item = references.items;
    while ((item = next_weak(&references, item, filter)) != NULL) {
        const ElfW(Sym) *symbol = &references.symbols[ELF64_R_SYM(item->r_info)];
        struct fm_definition sought = {.name = references.strings + symbol->st_name};
        if (!fm_next_find_loaded(&sought, NULL))
            make_null(word_of(&references, item));
        item++;
    }
}

struct passes {
    struct fm_weak_pass last, now;
    name_filter *filter;
};

static int clear_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct passes *passes = data;
    (void)size;
    passes->now.loaded = info->dlpi_adds;
    passes->now.unloaded = info->dlpi_subs;
    if (passes->now.loaded == passes->last.loaded) {
        passes->now = passes->last;
        return 1;
    }
    if (passes->now.n++ < passes->last.n && passes->now.unloaded == passes->last.unloaded)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            clear(info->dlpi_addr, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), passes->filter);
    return 0;
}

/* If two threads do this at once, one of them repeats part of the work. */
void fm_weak_of_loaded(name_filter *filter)
{
    struct passes passes = {.last = fm_interpose.weak, .filter = filter};
    dl_iterate_phdr(clear_object, &passes);
    fm_interpose.weak = passes.now;
}

static bool has_any(const struct link_map *map, name_filter *filter)
{
    struct references references = references_of(map->l_addr, map->l_ld);
    return next_weak(&references, references.items, filter) != NULL;
}

/* If only the program, the vDSO, us, libc and the loader are loaded, only the program can have such references. */
void fm_weak_at_start(name_filter *filter)
{
    enum { MIN_OBJECTS = 5 };
    unsigned n;
    const struct link_map *last = fm_next_last_at_start(&n), *map = _r_debug.r_map;
    bool found = false;
    for (; map && !found; map = n > MIN_OBJECTS && map != last ? map->l_next : NULL)
        found = has_any(map, filter);
    if (found)
        fm_weak_of_loaded(filter);
}
