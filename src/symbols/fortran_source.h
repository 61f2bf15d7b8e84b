/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be told from the text of Fortran sources. Compilers give some calls the line of a declaration, or the last
 * line of a statement that continues over several. A line is text without its line end; nothing is assumed about it. */
#ifndef FM_SYMBOLS_FORTRAN_SOURCE_H
#define FM_SYMBOLS_FORTRAN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_fortran_source {
    char *const *lines; /* with their indentation */
    size_t n;
    bool fixed_form;
};

bool fm_fortran_is_source(const char *path); /* by its suffix */
/* By what most of its lines are in, because compilers have options for it; if that does not tell, by the suffix. */
bool fm_fortran_is_fixed_form(const char *path, char *const *lines, size_t n);

/* Lines are numbered from 1, and 0 is returned for a line that does not exist. */
uint32_t fm_fortran_statement_start(const struct fm_fortran_source *source, uint32_t line);

enum fm_fortran_kind { FM_FORTRAN_EXECUTABLE, FM_FORTRAN_DECLARATION, FM_FORTRAN_END };
/* The kind of the statement that begins in a line: the beginning and the end of a procedure are not executable, nor is
 * anything else that cannot hold a call. */
enum fm_fortran_kind fm_fortran_kind_of(const struct fm_fortran_source *source, uint32_t line);

/* Whether the statement that begins in a line contains a name. */
bool fm_fortran_has_name(const struct fm_fortran_source *source, uint32_t start, const char *name);
/* Whether it may call a procedure by any name, that of a generic, a type-bound or a dummy procedure: "call", a component,
 * or a name with arguments, which may also be an array. */
bool fm_fortran_has_reference(const struct fm_fortran_source *source, uint32_t start);
/* The only line of the procedure that begins at `first` with an executable statement that contains a name; 0 if there is
 * none, or more than one. */
uint32_t fm_fortran_find_name(const struct fm_fortran_source *source, uint32_t first, const char *name);

#endif
