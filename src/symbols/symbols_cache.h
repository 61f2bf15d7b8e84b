/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found out about a module, kept for the next report: one file a build id in DIR/symbols, thrown away when the
 * module or its debug file has changed. A file is hostile until checked; one that is damaged, of another version or of
 * another user counts as none. That it cannot be written is no error.
 *
 *   "fathom symbols 2\n"   CRC-64 of the rest (8 bytes)   the rest, numbers in 7 bits a byte, lowest first:
 *   version of the files;  texts: how many, each its length and bytes;
 *   addresses: how many, each the distance from the one before and how many frames, each frame:
 *   function, path, defined (numbers of texts), line, defined_line, inlined
 *
 * Bounded: so many addresses a file, and of all files the ones that were used longest ago go. Only for symbols*.c. */
#ifndef FM_SYMBOLS_SYMBOLS_CACHE_H
#define FM_SYMBOLS_SYMBOLS_CACHE_H

#include "symbols/load_module_files.h"
#include "symbols/symbols_table.h"

#define FM_CACHE_ANY UINT64_MAX /* a version: whatever it is, for the build id tells */

enum {
    FM_CACHE_ADDRESSES = 1 << 18,   /* in a file */
    FM_CACHE_FILES = 256,           /* in the directory */
    FM_CACHE_FILE_BYTES = 64 << 20, /* larger ones are neither read nor written */
    FM_CACHE_BYTES = 256 << 20      /* of all files */
};

void fm_symbols_cache_load(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files);
void fm_symbols_cache_save(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files);

#endif
