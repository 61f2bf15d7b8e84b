/* SPDX-License-Identifier: BSD-3-Clause */
/* Load modules: the program and its libraries, as the loader knows them, and the segment's list of those that addresses
 * in it belong to. */
#ifndef FM_RUNTIME_LOAD_MODULES_H
#define FM_RUNTIME_LOAD_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/segment.h"

struct fm_load_module {
    uintptr_t start, end, bias; /* of its code */
    const char *path;           /* the loader's; "" is the program */
    const uint8_t *build_id;
    size_t build_id_bytes;
};

/* The module whose code an address is in. */
bool fm_load_module_find(uintptr_t address, struct fm_load_module *module);
/* The build id of the module that holds an address, as a text of the segment; 0 if it has none. */
uint32_t fm_load_module_build_id_of(uintptr_t address);

/* Makes sure that the module of an address is in the segment's list. */
void fm_load_module_list(uintptr_t address);
/* The same for all that are loaded. */
void fm_load_module_list_all(void);
/* Modules of the list that are no longer loaded: `dropped` is called for each, once, with all signals blocked. */
void fm_load_module_drop_unloaded(void (*dropped)(const struct fm_segment_module *module, unsigned number));

#endif
