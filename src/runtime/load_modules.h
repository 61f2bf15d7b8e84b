/* SPDX-License-Identifier: BSD-3-Clause */
/* Load modules: the program and its libraries as the loader knows them, and the segment's list of those that contain
 * recorded addresses. */
#ifndef FM_RUNTIME_LOAD_MODULES_H
#define FM_RUNTIME_LOAD_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/segment.h"

struct fm_load_module {
    uintptr_t start, end, bias; /* of the code */
    const char *path;           /* owned by the loader; "" for the program */
    const uint8_t *build_id;
    size_t build_id_bytes;
};

/* Finds the module whose code contains an address. */
bool fm_load_module_find(uintptr_t address, struct fm_load_module *module);
/* Adds the build id of the module that contains an address to the segment's texts. Returns 0 if it has none. */
uint32_t fm_load_module_build_id_of(uintptr_t address);

/* Adds the module that contains an address to the segment's list, if it is not there yet. */
void fm_load_module_list(uintptr_t address);
/* Adds all modules that are loaded now. */
void fm_load_module_list_all(void);
/* Calls `dropped` for each module of the list that has been unloaded, once each, with all signals blocked. */
void fm_load_module_drop_unloaded(void (*dropped)(const struct fm_segment_module *module, unsigned number));

#endif
