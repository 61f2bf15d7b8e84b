/* SPDX-License-Identifier: BSD-3-Clause */
/* Escapes untrusted text for output. Names come from programs, files and other users: a terminal would interpret escape
 * sequences in them, a spreadsheet would evaluate formulas, and bidirectional controls would show a different text.
 * Everything written for people or other programs goes through here.
 *
 * Unprintable are control characters (C0, C1, DEL), bidirectional controls and invisible characters, and bytes that are
 * not valid UTF-8 (which includes lone surrogates). */
#ifndef FM_BASE_SAFE_TEXT_H
#define FM_BASE_SAFE_TEXT_H

#include <stddef.h>

enum fm_safe {
    FM_SAFE_TERMINAL,  /* '?' for unprintable characters */
    FM_SAFE_CSV,       /* the same, inside quotes; fm_csv_text handles the first character of a field */
    FM_SAFE_JSON,      /* inside quotes; escaped, so that only invalid UTF-8 is lost: U+FFFD */
    FM_SAFE_XML,       /* in elements and attributes; U+FFFD */
    FM_SAFE_DOT,       /* inside quotes of Graphviz; U+FFFD */
    FM_SAFE_COLLAPSED, /* a name in a list separated by semicolons; a blank */
    FM_SAFE_PLAIN,     /* just valid UTF-8; U+FFFD */
};
enum { FM_SAFE_BYTES = 16 };

/* Consumes a character of *text, which must not be empty, and writes its escaped form to `safe`; returns its length.
 * For a terminal it is never longer than the original, so a text can be made safe in place. */
size_t fm_safe_next(enum fm_safe kind, const char **text, char safe[FM_SAFE_BYTES]);

#endif
