/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a summary as a page of HTML: one file without scripts, to be read, printed or put onto a web server. */
#ifndef FM_SITE_SUMMARY_HTML_H
#define FM_SITE_SUMMARY_HTML_H

#include <stdio.h>

#include "site/summary/sheet.h"

void fm_summary_page_start(FILE *out, const char *title);
/* Links to the tables that have rows. */
void fm_summary_page_contents(FILE *out, const struct fm_sheet *sheets, size_t n);
void fm_summary_page_end(FILE *out);

#endif
