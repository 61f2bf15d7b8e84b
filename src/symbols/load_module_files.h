/* SPDX-License-Identifier: BSD-3-Clause */
/* The files used to symbolize the addresses of a load module: the module itself, if it is the one that was run, and its
 * separate debug file, if there is one: DIR/.build-id/xx/yyyy.debug, or the name in its .gnu_debuglink, next to the
 * module, in .debug/ next to it, or below DIR. DIR is each directory named by the user, then /usr/lib/debug. The
 * network is never used. */
#ifndef FM_SYMBOLS_LOAD_MODULE_FILES_H
#define FM_SYMBOLS_LOAD_MODULE_FILES_H

#include <limits.h>
#include <stdint.h>

#include "symbols/symbols.h"

struct fm_load_module_files {
    char path[PATH_MAX];  /* the file to read; the debug file if only that is left */
    char debug[PATH_MAX]; /* "" if there is none */
    bool own_debug;       /* the module itself has debug information; no other file is searched */
    const char *debug_path;
    char build_id[2 * 64 + 1]; /* of the file; "" if it has none */
    uint64_t version;          /* changes if one of the two files changes */
};

/* Only a file with this build id is used; "": any. Returns FM_ERR_INPUT with a sentence for the user; FM_ERR_SYSTEM
 * without one if it is not a file at all, such as the vdso. */
enum fm_status fm_load_module_files_find(struct fm_load_module_files *files, const char *module, const char *build_id,
                                         const struct fm_symbols_options *options, struct fm_error *error);

#endif
