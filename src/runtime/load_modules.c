/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/load_modules.h"

#include <link.h>
#include <string.h>

#include "runtime/interpose/next.h"
#include "runtime/runtime.h"

/* ---- the loader's modules ---- */

static void find_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * note, struct fm_load_module *module)
{
    const uint8_t *at = (const uint8_t *)(info->dlpi_addr + note->p_vaddr), *end = at + note->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const void *)at;
        const uint8_t *name = at + sizeof *n, *value = name + ((n->n_namesz + 3u) & ~3u);
        if (value > end || (size_t)(end - value) < n->n_descsz)
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            module->build_id = value;
            module->build_id_bytes = n->n_descsz;
            return;
        }
        at = value + ((n->n_descsz + 3u) & ~3u);
    }
}

static bool is_code(const ElfW(Phdr) * p)
{
    return p->p_type == PT_LOAD && p->p_flags & PF_X;
}

/* Reads the address range of the code only: another module may be mapped between the code and the data of a module, as
 * the vDSO is inside the loader. Returns false if there is no code. Does not read the build id, which few callers
 * need. */
static bool read_code(const struct dl_phdr_info *info, struct fm_load_module *module)
{
    *module = (struct fm_load_module){.start = UINTPTR_MAX, .bias = info->dlpi_addr, .path = info->dlpi_name};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (!is_code(p))
            continue;
        module->start = from < module->start ? from : module->start;
        module->end = from + p->p_memsz > module->end ? from + p->p_memsz : module->end;
    }
    return module->end != 0;
}

static void read_build_id(const struct dl_phdr_info *info, struct fm_load_module *module)
{
    for (int i = 0; i < info->dlpi_phnum && !module->build_id; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            find_build_id(info, &info->dlpi_phdr[i], module);
}

static bool has_code_at(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (is_code(&info->dlpi_phdr[i]) &&
            address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

struct address_search {
    uintptr_t address;
    struct fm_load_module *module;
};

static int match_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct address_search *search = data;
    if (!has_code_at(info, search->address))
        return 0;
    read_code(info, search->module);
    read_build_id(info, search->module);
    return 1;
}

bool fm_load_module_find(uintptr_t address, struct fm_load_module *module)
{
    return dl_iterate_phdr(match_module, &(struct address_search){address, module});
}

/* ---- the segment's list of load modules ---- */

enum { BUILD_ID_BYTES = 32 };

static size_t build_id_hex(const uint8_t *id, size_t bytes, char hex[2 * BUILD_ID_BYTES + 1])
{
    if (bytes > BUILD_ID_BYTES)
        bytes = BUILD_ID_BYTES;
    for (size_t i = 0; i < bytes; i++) {
        hex[2 * i] = "0123456789abcdef"[id[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
    }
    return 2 * bytes;
}

static uint32_t build_id_text(const uint8_t *id, size_t bytes)
{
    char hex[2 * BUILD_ID_BYTES + 1];
    return fm_text_add(hex, build_id_hex(id, bytes, hex));
}

/* Addresses are no longer looked up in an unloaded module, but what was recorded in it remains. */
static bool is_unloaded(uint32_t number)
{
    return number < FM_KNOWN_MODULES &&
           __atomic_load_n(&fm_rt.unloaded_modules[number / 64], __ATOMIC_RELAXED) >> number % 64 & 1;
}

/* Index in the list of the module that contains an address, searched from `guess` on. Without the lock, the result is
 * reliable only for modules that stay loaded. */
enum { NOT_LISTED = UINT16_MAX };
static uint32_t index_of(uintptr_t address, uint32_t guess)
{
    const struct fm_segment_module *modules = fm_section(fm_rt.segment, FM_SECTION_MODULES);
    uint32_t n = __atomic_load_n(&fm_rt.segment->n_modules, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = guess + i < n ? guess + i : guess + i - n;
        if (address - modules[at].start < modules[at].end - modules[at].start && !is_unloaded(at))
            return at;
    }
    return NOT_LISTED;
}

static bool same_text(uint32_t text, const char *other, size_t length)
{
    return strlen(fm_text_at(text)) == length && memcmp(fm_text_at(text), other, length) == 0;
}

/* Returns true if the module found is this one of the list, at the same address. */
static bool is_same(const struct fm_segment_module *module, const struct fm_load_module *found)
{
    char hex[2 * BUILD_ID_BYTES + 1];
    const char *path = *found->path ? found->path : fm_text_at(fm_rt.segment->text_exe);
    return module->start == found->start && module->end == found->end && module->bias == found->bias &&
           same_text(module->text_path, path, strlen(path)) &&
           same_text(module->text_build_id, hex, build_id_hex(found->build_id, found->build_id_bytes, hex));
}

/* The caller holds the table lock. A module that was unloaded and is mapped at the same address again gets its old
 * entry back. */
static void list_module(const struct fm_load_module *found)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_segment_module *modules = fm_section(h, FM_SECTION_MODULES);
    for (uint32_t i = 0; i < h->n_modules; i++) {
        if (is_unloaded(i) && is_same(&modules[i], found)) {
            fm_rt.unloaded_modules[i / 64] &= ~(1ull << i % 64);
            return;
        }
    }
    if (h->n_modules == h->sections[FM_SECTION_MODULES].capacity)
        return;
    const char *path = *found->path ? found->path : fm_text_at(h->text_exe);
    modules[h->n_modules] = (struct fm_segment_module){found->start, found->end, found->bias,
                                                       fm_text_add(path, strlen(path)),
                                                       build_id_text(found->build_id, found->build_id_bytes)};
    __atomic_store_n(&h->n_modules, h->n_modules + 1, __ATOMIC_RELEASE);
}

static void list_once(const struct fm_load_module *module)
{
    fm_lock(&fm_rt.table_lock);
    if (index_of(module->start, 0) == NOT_LISTED)
        list_module(module);
    fm_unlock(&fm_rt.table_lock);
}

/* Must not be called with the table lock held: dl_iterate_phdr takes the loader's lock, and a constructor, which runs
 * with that lock held, may call MPI. */
void fm_load_module_list(uintptr_t address)
{
    struct fm_load_module module;
    if (address && index_of(address, 0) == NOT_LISTED && fm_load_module_find(address, &module))
        list_once(&module);
}

/* ---- all of them ---- */

/* Both the loader and the list have modules in load order, so the entry after the last one found is usually the next. A
 * pass takes a few steps per module, so a program may load and unload hundreds. */
struct pass {
    uint32_t next;
    unsigned n_permanent; /* how many of the next modules were loaded with the program, and so are never unloaded */
    uint64_t loaded[FM_KNOWN_MODULES / 64];
};

static uint32_t index_in_pass(struct pass *pass, uintptr_t address)
{
    uint32_t number = index_of(address, pass->next);
    if (number != NOT_LISTED)
        pass->next = number + 1;
    return number;
}

static int list_if_new(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct fm_load_module module;
    if (!read_code(info, &module) || index_in_pass(data, module.start) != NOT_LISTED)
        return 0;
    read_build_id(info, &module);
    list_once(&module);
    return 0;
}

void fm_load_module_list_all(void)
{
    dl_iterate_phdr(list_if_new, &(struct pass){0});
}

static int mark_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct pass *pass = data;
    bool permanent = pass->n_permanent && pass->n_permanent--;
    struct fm_load_module module;
    if (!read_code(info, &module))
        return 0;
    const struct fm_segment_module *listed = fm_section(fm_rt.segment, FM_SECTION_MODULES);
    uint32_t number = index_in_pass(pass, module.start);
    if (number >= FM_KNOWN_MODULES)
        return 0;
    if (!permanent)
        read_build_id(info, &module);
    if (permanent || is_same(&listed[number], &module))
        pass->loaded[number / 64] |= 1ull << number % 64;
    return 0;
}

void fm_load_module_drop_unloaded(void (*dropped)(const struct fm_segment_module *module, unsigned number))
{
    const struct fm_segment_module *modules = fm_section(fm_rt.segment, FM_SECTION_MODULES);
    uint32_t n = __atomic_load_n(&fm_rt.segment->n_modules, __ATOMIC_ACQUIRE);
    struct pass pass = {0};
    fm_next_last_at_start(&pass.n_permanent);
    dl_iterate_phdr(mark_loaded, &pass);
    fm_lock(&fm_rt.table_lock);
    for (uint32_t i = 0; i < n && i < FM_KNOWN_MODULES; i++) {
        if (is_unloaded(i) || pass.loaded[i / 64] >> i % 64 & 1)
            continue;
        fm_rt.unloaded_modules[i / 64] |= 1ull << i % 64;
        dropped(&modules[i], i);
    }
    fm_unlock(&fm_rt.table_lock);
}

uint32_t fm_load_module_build_id_of(uintptr_t address)
{
    struct fm_load_module module;
    if (!fm_load_module_find(address, &module) || !module.build_id)
        return 0;
    return build_id_text(module.build_id, module.build_id_bytes);
}
