/* SPDX-License-Identifier: BSD-3-Clause */
/* The width of text output: that of the terminal, or a fixed one for files and pipes. */
#ifndef FM_RENDER_WIDTH_H
#define FM_RENDER_WIDTH_H

#include <stddef.h>
#include <stdio.h>

/* For files and pipes, lines are wrapped at FM_TEXT_COLUMNS; a table may be up to FM_TEXT_LIMIT wide before texts are
 * cut. */
enum { FM_TEXT_COLUMNS = 100, FM_TEXT_LIMIT = 108 };

size_t fm_output_limit(FILE *out);   /* of a table: the terminal's width, or FM_TEXT_LIMIT */
size_t fm_output_columns(FILE *out); /* of sentences and charts: the terminal's width up to FM_TEXT_COLUMNS */

#endif
