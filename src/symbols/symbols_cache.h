/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache of the symbols of load modules for later reports: one file per build id in DIR/symbols, discarded when the
 * module or its debug file has changed. A file is not trusted; one that is damaged, of another version or owned by
 * another user is ignored. A failure to write is not an error.
 *
 *   "fathom symbols 6\n"   CRC-64 of the rest (8 bytes)   the rest, integers as LEB128:
 *   version of the files;  strings: count, for each its length and bytes;
 *   addresses: count, for each the distance from the previous one, function and callee (indices of strings) and the
 *   number of frames, for each frame: function, path, defined (indices), line, nearby, defined_line, inlined, body (index);
 *   functions with known tail calls: count, for each its index and their number, for each: callee (index), address
 *
 * The size is limited: by the number of addresses per file, and by removing the least recently used files. Only for
 * symbols*.c. */
#ifndef FM_SYMBOLS_SYMBOLS_CACHE_H
#define FM_SYMBOLS_SYMBOLS_CACHE_H

#include "symbols/load_module_files.h"
#include "symbols/symbols_table.h"

#define FM_CACHE_ANY UINT64_MAX /* any version: the build id is sufficient */

enum {
    FM_CACHE_ADDRESSES = 1 << 18,   /* maximum per file */
    FM_CACHE_FILES = 256,           /* maximum in the directory */
    FM_CACHE_FILE_BYTES = 64 << 20, /* larger files are neither read nor written */
    FM_CACHE_BYTES = 256 << 20      /* maximum of all files */
};

void fm_symbols_cache_load(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files);
void fm_symbols_cache_save(struct fm_symbols *symbols, uint32_t module, const struct fm_load_module_files *files);

#endif
