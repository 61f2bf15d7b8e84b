/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that name the addresses of a load module: the module itself, if it is the one that was run, and its
 * separate debug file, if there is one: DIR/.build-id/xx/yyyy.debug, or what its .gnu_debuglink says, beside the
 * module, in .debug/ beside it, or below DIR. DIR is each directory that the user names, then /usr/lib/debug. The
 * network is never asked. */
#ifndef FM_SYMBOLS_LOAD_MODULE_FILES_H
#define FM_SYMBOLS_LOAD_MODULE_FILES_H

#include <limits.h>
#include <stdint.h>

#include "symbols/symbols.h"

struct fm_load_module_files {
    char path[PATH_MAX];  /* what to read; the debug file, where that alone is left */
    char debug[PATH_MAX]; /* "" when there is none */
    bool own_debug;       /* the module has debug information itself, and none other is looked for */
    const char *debug_path;
    char build_id[2 * 64 + 1]; /* of the file; "" when it has none */
    uint64_t version;          /* another number when one of the two files has changed */
};

/* A file is taken only if it has this build id; "": any. FM_ERR_INPUT with a sentence for the user; FM_ERR_SYSTEM in
 * silence: it is no file at all, as the kernel's own code. */
enum fm_status fm_load_module_files_find(struct fm_load_module_files *files, const char *module, const char *build_id,
                                         const struct fm_symbols_options *options, struct fm_error *error);

#endif
