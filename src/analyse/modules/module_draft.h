/* SPDX-License-Identifier: BSD-3-Clause */
/* A first draft of a program's module file (analyse/modules/module_map.h), for its developers to edit: at most
 * FM_DRAFT_MODULES modules. The code of the program and of the libraries that belong to it is divided into units
 * (module_units.h); what is in none of these is in a module with the name of the program or library. Other libraries
 * are in a few families (library_families.h); all the rest is "libraries". */
#ifndef FM_ANALYSE_MODULES_MODULE_DRAFT_H
#define FM_ANALYSE_MODULES_MODULE_DRAFT_H

#include "analyse/modules/draft_input.h"

enum { FM_DRAFT_MODULES = 15 };

/* Returns the text of the file, in the arena. */
enum fm_status fm_module_draft(const struct fm_draft_input *input, struct fm_arena *arena, const char **text,
                               struct fm_error *error);

#endif
