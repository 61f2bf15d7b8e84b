/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/dwfl_module.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* elfutils asks for the separate debug file, which is already known, and then for the file that debug files may share
 * (made by dwz). The latter, and the debug file of a module without a build id, are best found by elfutils itself. */
static int find_debug(Dwfl_Module *dwfl_module, void **data, const char *name, Dwarf_Addr base, const char *file,
                      const char *link, GElf_Word crc, char **found)
{
    struct fm_dwfl_module *module = *data;
    const struct fm_load_module_files *files = module->files;
    if (!module->debug_given && files->debug[0]) {
        module->debug_given = true;
        *found = strdup(files->debug);
        return open(files->debug, O_RDONLY | O_CLOEXEC);
    }
    if (!module->debug_given && !files->own_debug && files->build_id[0])
        return -1;
    return dwfl_standard_find_debuginfo(dwfl_module, data, name, base, file, link, crc, found);
}

bool fm_dwfl_module_open(struct fm_dwfl_module *module, const struct fm_load_module_files *files)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_debug,
                                             .section_address = dwfl_offline_section_address};
    Dwarf_Addr bias = 0;
    void **data;
    *module = (struct fm_dwfl_module){.dwfl = dwfl_begin(&callbacks), .files = files};
    int fd = module->dwfl ? open(files->path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        dwfl_report_begin(module->dwfl);
        module->module = dwfl_report_elf(module->dwfl, files->path, files->path, fd, 0, true);
        dwfl_report_end(module->dwfl, NULL, NULL);
        if (!module->module)
            close(fd);
    }
    if (!module->module || !dwfl_module_info(module->module, &data, NULL, NULL, NULL, NULL, NULL, NULL)) {
        fm_dwfl_module_close(module);
        return false;
    }
    *data = module;
    module->dwarf = dwfl_module_getdwarf(module->module, &bias);
    module->bias = bias;
    return true;
}

void fm_dwfl_module_close(struct fm_dwfl_module *module)
{
    if (module->dwfl)
        dwfl_end(module->dwfl);
    *module = (struct fm_dwfl_module){0};
}

struct fm_symbol *fm_resolved_add_frame(struct fm_resolved_address *found, struct fm_arena *arena)
{
    if (found->n == found->capacity) {
        struct fm_symbol *grown = fm_arena_grow(arena, found->frames, &found->capacity, found->n + 1, sizeof *grown);
        if (!grown)
            return NULL;
        found->frames = grown;
    }
    struct fm_symbol *frame = &found->frames[found->n++];
    *frame = (struct fm_symbol){.function = "", .path = "", .file = "", .defined = ""};
    return frame;
}

size_t fm_resolved_lower_bound(const struct fm_resolved_address *found, size_t n, uint64_t address)
{
    size_t first = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (found[first + half].address < address) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}
