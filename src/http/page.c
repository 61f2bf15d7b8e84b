/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/page.h"

#include <stdio.h>

#include "pages/bundle.h"

#define HEAD                                                                  \
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" \
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Fathom</title>\n"

#define PAGE                                                            \
    HEAD "<link rel=\"icon\" href=\"data:,\">\n"                        \
         "<link rel=\"stylesheet\" href=\"/assets/app.css\">\n"         \
         "<script defer src=\"/assets/app.js\"></script>\n"             \
         "</head>\n<body data-source=\"%s\">\n<div id=\"app\"></div>\n" \
         "<noscript>This page needs JavaScript.</noscript>\n</body>\n</html>\n"

bool fm_page_exists(void)
{
    return fm_bundle.js_bytes > 0;
}

static struct fm_answer made_of(enum fm_answer_kind kind, const char *text, size_t bytes)
{
    struct fm_answer answer = {.code = 200, .kind = kind, .blob = fm_blob_make(text, bytes)};
    return answer.blob ? answer : fm_answer_plain(503, "not enough memory");
}

struct fm_answer fm_page(enum fm_answer_kind what, const char *source)
{
    struct fm_answer answer = {.code = 200, .kind = FM_ANSWER_PAGE};
    if (what == FM_ANSWER_SCRIPT || what == FM_ANSWER_STYLE) {
        if (!fm_page_exists())
            return fm_answer_plain(404, fm_no_bundle);
        return what == FM_ANSWER_SCRIPT ? made_of(what, fm_bundle.js, fm_bundle.js_bytes)
                                        : made_of(what, fm_bundle.css, fm_bundle.css_bytes);
    }
    if (fm_page_exists())
        snprintf(answer.text, sizeof answer.text, PAGE, source);
    else
        snprintf(answer.text, sizeof answer.text, HEAD "</head>\n<body>\n<p>Sorry: %s.</p>\n</body>\n</html>\n",
                 fm_no_bundle);
    return answer;
}
