/* SPDX-License-Identifier: BSD-3-Clause */
/* A report in one HTML file: the front end, and all slices, compressed. It loads nothing from elsewhere, and its content
 * security policy allows no other script than its own. */
#ifndef FM_PAGES_HTML_H
#define FM_PAGES_HTML_H

#include "pages/slices.h"

enum fm_status fm_html_write(struct fm_slices *slices, FILE *out, struct fm_error *error);

#endif
