/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites of MPI routines. The function that calls a routine by a tail call has left the stack: the recorded site is
 * that of its caller, and the functions between the two are inferred (symbols.h). */
#ifndef FM_ANALYSE_CALLS_ROUTINE_SITES_H
#define FM_ANALYSE_CALLS_ROUTINE_SITES_H

#include "mpi/function_names.h"
#include "symbols/symbols.h"

/* What was called at a site: a routine, by the names of its functions, which are written to `names`. */
struct fm_below fm_below_routine(char names[FM_MPI_FUNCTION_NAMES], const char *routine);

/* Resolves the sites of events and what is between them and their routines. */
void fm_routine_sites_resolve(struct fm_symbols *symbols, const struct fm_event *events, size_t n);

/* The frames of a call site, or of the function that calls the routine if it was left by tail calls. routine NULL: not
 * looked for. To be called after the sites are resolved. */
struct fm_site_frames {
    struct fm_frames frames;
    bool inferred;
    bool callers_missing; /* functions between it and the routine are not known */
};
struct fm_site_frames fm_routine_frames(struct fm_symbols *symbols, const struct fm_site *site, const char *routine);
/* The innermost of them; NULL if unknown. */
const struct fm_symbol *fm_routine_place(struct fm_symbols *symbols, const struct fm_site *site, const char *routine);

#endif
