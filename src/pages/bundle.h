/* SPDX-License-Identifier: BSD-3-Clause */
/* The front end (web/), built by tools/make_bundle.py and contained in the tool. Empty if it could not be built, for
 * example because node was missing. */
#ifndef FM_PAGES_BUNDLE_H
#define FM_PAGES_BUNDLE_H

#include <stddef.h>

struct fm_bundle {
    const char *js, *css;
    size_t js_bytes, css_bytes;
    const char *js_sha256, *css_sha256; /* base64, as in a content security policy */
};

extern const struct fm_bundle fm_bundle;
extern const char fm_no_bundle[]; /* what to tell the user if it is empty */

#endif
