/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/next.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/platform.h"
#include "runtime/interpose/own_syscalls.h"
#include "runtime/interpose/state.h"

extern FM_HIDDEN ElfW(Dyn) _DYNAMIC[]; /* our own */

/* ---- objects loaded with the program ---- */

static void scope_is_noted(void)
{
}

/* Called by the loader to resolve an ifunc. Must not call anything outside this file: the rest of the library is not
 * relocated yet. */
__attribute__((used)) static void (*note_scope(void))(void)
{
    fm_interpose.n_at_start = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        fm_interpose.own = map->l_ld == _DYNAMIC ? map : fm_interpose.own;
        fm_interpose.last_at_start = map;
        fm_interpose.n_at_start++;
    }
    return scope_is_noted;
}

static void scope_noted(void) __attribute__((ifunc("note_scope")));

const struct link_map *fm_next_last_at_start(unsigned *n)
{
    *n = fm_interpose.n_at_start;
    return fm_interpose.last_at_start;
}

/* If libc comes before us, its functions are not interposed, and we may have been loaded by dlopen, with objects behind
 * us that can be unloaded: then it is not known which ones will stay. */
static bool is_before_libc(void)
{
    scope_noted();
    for (const struct link_map *map = _r_debug.r_map; fm_interpose.own && map != fm_interpose.own; map = map->l_next) {
        struct fm_object object;
        if (fm_object_read(&object, map->l_addr, map->l_ld) && fm_object_is_libc(&object))
            return false;
    }
    return fm_interpose.own != NULL;
}

static void search_object(uintptr_t base, const ElfW(Dyn) * dynamic, struct fm_definition *sought,
                          const uint32_t *hashes, unsigned n)
{
    struct fm_object object;
    if (!fm_object_read(&object, base, dynamic))
        return;
    for (unsigned i = 0; i < n; i++) {
        if (sought[i].address || !(sought[i].address = fm_object_find(&object, sought[i].name, hashes[i])))
            continue;
        sought[i].base = base;
        sought[i].dynamic = dynamic;
    }
}

void fm_next_find(struct fm_definition *sought, unsigned n)
{
    enum { AT_ONCE = 64 };
    uint32_t hashes[AT_ONCE];
    unsigned part = n < AT_ONCE ? n : AT_ONCE;
    for (unsigned i = 0; i < part; i++) {
        sought[i].address = NULL;
        hashes[i] = fm_symbol_hash(sought[i].name);
    }
    for (const struct link_map *map = is_before_libc() ? fm_interpose.own : NULL;
         map && map != fm_interpose.last_at_start;) {
        map = map->l_next;
        search_object(map->l_addr, map->l_ld, sought, hashes, part);
    }
    if (n > part)
        fm_next_find(sought + part, n - part);
}

void *fm_program_find(const char *name)
{
    const struct link_map *program = _r_debug.r_map;
    struct fm_object object;
    return program && fm_object_read(&object, program->l_addr, program->l_ld)
               ? fm_object_find(&object, name, fm_symbol_hash(name))
               : NULL;
}

const char *fm_program_name(void)
{
    struct fm_definition name = {.name = "program_invocation_name", .address = NULL};
    void *copied = fm_program_find(name.name);
    if (!copied)
        fm_next_find(&name, 1);
    char **at = copied ? copied : name.address;
    return at && *at ? *at : "";
}

/* ---- objects loaded later ---- */

struct definition_search {
    struct fm_definition *sought;
    uint32_t hash;
    bool (*accept)(const char *path);
    bool behind_us; /* objects before us may have called us */
};

/* The program and the vDSO have no directory in their names. */
static bool search_loaded(struct definition_search *search, uintptr_t base, const ElfW(Dyn) * dynamic, const char *path)
{
    if (dynamic == _DYNAMIC)
        search->behind_us = true;
    else if (search->behind_us && strchr(path, '/') && (!search->accept || search->accept(path)))
        search_object(base, dynamic, search->sought, &search->hash, 1);
    return search->sought->address != NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return search_loaded(data, info->dlpi_addr, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                                 info->dlpi_name);
    return 0;
}

static void note_use(const void *dynamic)
{
    for (unsigned i = 0; i < FM_OBJECTS_IN_USE; i++) {
        const void *other = NULL;
        if (__atomic_compare_exchange_n(&fm_interpose.in_use[i], &other, dynamic, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            other == dynamic)
            return;
    }
}

bool fm_next_find_loaded(struct fm_definition *sought, bool (*accept)(const char *path))
{
    struct definition_search search = {sought, fm_symbol_hash(sought->name), accept, !is_before_libc()};
    sought->address = NULL;
    if (!fm_process_is_bare_child()) {
        dl_iterate_phdr(visit, &search);
    } else { /* single-threaded: the list does not change, and it is consistent at every moment */
        const struct link_map *map = _r_debug.r_map;
        while (map && !search_loaded(&search, map->l_addr, map->l_ld, map->l_name))
            map = map->l_next;
    }
    if (sought->address)
        note_use(sought->dynamic);
    return sought->address != NULL;
}

void fm_next_keep(void)
{
    for (unsigned i = 0; i < FM_OBJECTS_IN_USE; i++) {
        const void *object = __atomic_load_n(&fm_interpose.in_use[i], __ATOMIC_RELAXED);
        Dl_info info;
        if (!object || __atomic_exchange_n(&fm_interpose.kept[i], object, __ATOMIC_RELAXED) || !dladdr(object, &info))
            continue;
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE); /* never closed: it must stay loaded anyway */
    }
}

/* ---- processes ---- */

void fm_process_begins(void)
{
    fm_interpose.process = fm_own_pid();
}

bool fm_process_is_bare_child(void)
{
    return fm_interpose.process && !fm_syscalls_forbidden() && fm_interpose.process != fm_own_pid();
}
