/* SPDX-License-Identifier: BSD-3-Clause */
/* All functions of a load module, with the files that define them. */
#include "symbols/dwfl_module.h"

size_t fm_load_module_functions(const struct fm_load_module_files *files, struct fm_function **functions,
                                struct fm_arena *arena)
{
    struct fm_resolved_address *found = NULL;
    size_t n = fm_load_module_list(files, &found, functions, arena);
    if (n)
        fm_load_module_symbols_read(files, found, n, arena);
    for (size_t i = 0; i < n; i++)
        if (found[i].n) {
            (*functions)[i].name = found[i].frames[0].function;
            (*functions)[i].file = found[i].frames[0].defined;
        }
    return n;
}
