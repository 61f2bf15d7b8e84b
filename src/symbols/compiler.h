/* SPDX-License-Identifier: BSD-3-Clause */
/* Which compiler made a program, as its file says. The file is not trusted. */
#ifndef FM_SYMBOLS_COMPILER_H
#define FM_SYMBOLS_COMPILER_H

#include <stdbool.h>

enum { FM_COMPILER_CHARS = 64 };

/* "GNU Fortran 12.2.0", "clang 14.0.6", from the debug information or else the section .comment. "" if unknown, or if the
 * file is not the one with this build id. `fortran`: the Fortran compiler, if there are several. */
const char *fm_compiler_of(const char *path, const char *build_id, bool fortran, char compiler[FM_COMPILER_CHARS]);

#endif
