/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the libraries of a program are that has not been started: looked for as the dynamic linker would, in
 * LD_LIBRARY_PATH, where the program says, and in the system's directories. */
#ifndef FM_SYMBOLS_LIBRARY_PATH_H
#define FM_SYMBOLS_LIBRARY_PATH_H

#include "symbols/elf.h"

/* The path of a library that `elf`, of this path, needs, into the buffer; false: it is not found. */
bool fm_needed_find(const struct fm_elf *elf, const char *path, const char *name, char *buffer, size_t size);

#endif
