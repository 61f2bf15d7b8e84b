/* SPDX-License-Identifier: BSD-3-Clause */
/* The style of modules in all views: a letter, if possible one of its name, and a colour. With a module file they depend
 * only on the file: in every run of the program and in every view a module looks the same. Without one they depend on
 * the names of modules, and cost decides which of them have a style of their own at all. */
#ifndef FM_REPORT_MODULE_STYLE_H
#define FM_REPORT_MODULE_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modules beyond this number share a character and a colour. */
enum { FM_MODULE_LETTERS = 20, FM_MODULE_OTHER = '*' };

struct fm_styled_module {
    const char *name;
    uint32_t place; /* in the module file, from 1 (fm_module_map_place); 0 without a file */
    bool rare;      /* without a file: it may not occur in the next run, so it does not take the style of others */
};

/* The modules are those of the file, whether they occur or not, or without a file those that occur, most cost first.
 * letters[i]: upper case; the first letter of its name unless a module with higher priority has it. */
void fm_module_letters(const struct fm_styled_module *modules, size_t n, char *letters);
/* colours[i]: a style of fm_chart_colour. */
void fm_module_colours(const struct fm_styled_module *modules, size_t n, unsigned *colours);

#endif
