/* SPDX-License-Identifier: BSD-3-Clause */
/* What an entry for a function, of which there may be several, says about the function. Only for load_module_*.c. */
#ifndef FM_SYMBOLS_DWARF_ORIGIN_H
#define FM_SYMBOLS_DWARF_ORIGIN_H

#include <elfutils/libdw.h>

/* The declaration of an inlined or separately defined function. */
Dwarf_Die fm_dwarf_origin(const Dwarf_Die *die);
const char *fm_dwarf_linkage_name(Dwarf_Die *die); /* NULL if it has none */

#endif
