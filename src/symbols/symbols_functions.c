/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/load_module_symbols.h"
#include "symbols/symbols_table.h"

void fm_symbols_functions(struct fm_symbols *symbols, const struct fm_function_visitor *visitor)
{
    for (size_t i = 0; i < symbols->n_modules; i++) {
        const struct fm_symbols_module *module = &symbols->modules[i];
        struct fm_load_module_files files;
        struct fm_function *functions = NULL;
        struct fm_arena arena = {0};
        if (!visitor->wants(visitor->context, module->path) ||
            fm_load_module_files_find(&files, module->path, module->build_id, &symbols->options, NULL))
            continue;
        size_t n = fm_load_module_functions(&files, &functions, &arena);
        for (size_t k = 0; k < n; k++)
            visitor->visit(visitor->context, functions[k].name, functions[k].file);
        fm_arena_destroy(&arena);
    }
}
