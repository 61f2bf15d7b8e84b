/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the runtime library lies: FATHOM_LIBRARY, beside the running binary (a build folder), or in the lib folder
 * of the place the binary is installed in. */
#ifndef FM_CLI_LIBRARY_H
#define FM_CLI_LIBRARY_H

#include "base/error.h"
#include "collect/node.h"

#define FM_LIBRARY_NAME "libfathom.so.0"

enum fm_status fm_library_find(char path[FM_FILE_PATH_BYTES], struct fm_error *error);

#endif
