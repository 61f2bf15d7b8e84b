/* SPDX-License-Identifier: BSD-3-Clause */
/* The page at `/`, which loads the script that does all the rest, and its script and style sheet. */
#ifndef FM_HTTP_PAGE_H
#define FM_HTTP_PAGE_H

#include "http/answer.h"

/* `what`: FM_ANSWER_PAGE, _SCRIPT or _STYLE. Without web pages, the page says so, and the others do not exist. Made
 * anew each time. source: what the page is to ask, the value of its `data-source`. */
struct fm_answer fm_page(enum fm_answer_kind what, const char *source);
bool fm_page_exists(void);

#endif
