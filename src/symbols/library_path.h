/* SPDX-License-Identifier: BSD-3-Clause */
/* Locates the libraries of a program that is not running, like the dynamic linker: in LD_LIBRARY_PATH, in the RUNPATH
 * or RPATH of the program, and in the system directories. */
#ifndef FM_SYMBOLS_LIBRARY_PATH_H
#define FM_SYMBOLS_LIBRARY_PATH_H

#include "symbols/elf.h"

/* Writes the path of a library needed by `elf`, the file at `path`, to the buffer. Returns false if not found. */
bool fm_needed_find(const struct fm_elf *elf, const char *path, const char *name, char *buffer, size_t size);

#endif
