/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels shortened to a width, so that what identifies them remains. A label is a name with a drawing of a tree before
 * it and a place after it, all but the name optional:
 *
 *   |  |- ns::Solver<Grid<double, 3>>::apply (i)  at solver.cc:123
 *   pop_halomod::pop_haloupdate (POP_HaloMod.F90:1897)
 *   solver.cc:123  for (i = 0; i < n; i++)
 *
 * Of a name, template arguments are left out first, the innermost first ("Solver<..>"), then outer scopes or directories
 * ("..Solver<..>::apply"), and last the middle of the function. The place is kept. Of a source line the end is left
 * out; any other text is cut in the middle. */
#ifndef FM_RENDER_SHORTEN_H
#define FM_RENDER_SHORTEN_H

#include "base/arena.h"

/* Returns the text itself if it is not wider than `columns`, a new one in the arena otherwise. Below 4 columns, or
 * if memory runs out, the text is not shortened. */
const char *fm_shorten(struct fm_arena *arena, const char *text, size_t columns);
/* The same for n texts, which are replaced: names that would become equal keep the template arguments in which they
 * differ ("..Solver<.., 2>::apply"), as far as there is room. */
void fm_shorten_column(struct fm_arena *arena, const char **texts, size_t n, size_t columns);
const char *fm_shorten_end(struct fm_arena *arena, const char *text, size_t columns); /* "for (i = 0; .." */

#endif
