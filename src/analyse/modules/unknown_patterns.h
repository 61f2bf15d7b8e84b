/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of a module file that match nothing in the program, sampled or not: probably misspelt. */
#ifndef FM_ANALYSE_MODULES_UNKNOWN_PATTERNS_H
#define FM_ANALYSE_MODULES_UNKNOWN_PATTERNS_H

#include "analyse/modules/module_map.h"

/* Keeps those of the rules for files and functions that match no function of the load modules whose sites have been
 * requested from `symbols`, without the common libraries. Load modules whose files are missing or have changed have no
 * functions. Returns their number. symbols may be NULL. */
size_t fm_unknown_patterns(const struct fm_module_rule **rules, size_t n, struct fm_symbols *symbols);

#endif
