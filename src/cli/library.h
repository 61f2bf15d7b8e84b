/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the runtime library: FATHOM_LIBRARY, next to the running binary (a build directory), or in the lib directory of
 * the prefix where the binary is installed. */
#ifndef FM_CLI_LIBRARY_H
#define FM_CLI_LIBRARY_H

#include "base/error.h"
#include "collect/node.h"

#define FM_LIBRARY_NAME "libfathom.so.0"

enum fm_status fm_library_find(char path[FM_FILE_PATH_BYTES], struct fm_error *error);

#endif
