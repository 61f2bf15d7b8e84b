/* SPDX-License-Identifier: BSD-3-Clause */
/* A report in one HTML file: the front end, and all slices, compressed. It loads nothing from elsewhere, and its content
 * security policy allows no other script than its own. */
#ifndef FM_PAGES_HTML_H
#define FM_PAGES_HTML_H

#include "pages/slices.h"

/* Parts of such a file: the beginning, any number of slices, the end. `headline` is for browsers without scripts. */
enum fm_status fm_html_begin(FILE *out, const char *title, const char *headline, struct fm_error *error);
enum fm_status fm_html_slice(FILE *out, const char *name,
                             enum fm_status (*write)(void *context, FILE *out, struct fm_error *error), void *context,
                             struct fm_error *error);
void fm_html_end(FILE *out);

/* A whole report. */
enum fm_status fm_html_write(struct fm_slices *slices, FILE *out, struct fm_error *error);

#endif
