/* SPDX-License-Identifier: BSD-3-Clause */
/* A badge for the page of a project: a label and a short text on a coloured field, as SVG. */
#ifndef FM_RENDER_BADGE_H
#define FM_RENDER_BADGE_H

#include <stdbool.h>
#include <stdio.h>

void fm_badge_svg(FILE *out, const char *label, const char *text, bool good);

#endif
