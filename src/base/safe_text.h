/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of unknown origin made safe for what it is written into. Names come from programs, files and other users: a
 * terminal would obey escape sequences in them, a spreadsheet would compute formulas, marks of direction show another
 * text than there is. All that is written for people or for other programs passes through here.
 *
 * What cannot be shown is a control character (C0, C1, DEL), a mark that turns the direction of writing or is not to be
 * seen, or a byte that is no UTF-8 (which includes lone surrogates). */
#ifndef FM_BASE_SAFE_TEXT_H
#define FM_BASE_SAFE_TEXT_H

#include <stddef.h>

enum fm_safe {
    FM_SAFE_TERMINAL,  /* '?' for what cannot be shown */
    FM_SAFE_CSV,       /* the same, inside quotes; how a field begins is fm_csv_text's */
    FM_SAFE_JSON,      /* inside quotes; escaped, so that nothing is lost but bytes that are no UTF-8: U+FFFD */
    FM_SAFE_XML,       /* in elements and attributes; U+FFFD */
    FM_SAFE_DOT,       /* inside quotes of graphviz; U+FFFD */
    FM_SAFE_COLLAPSED, /* a name in a list with semicolons; a blank */
    FM_SAFE_PLAIN,     /* UTF-8 and nothing else; U+FFFD */
};
enum { FM_SAFE_BYTES = 16 };

/* Takes a character off *text, which is not at its end, and puts what stands for it into `safe`; how many bytes. For a
 * terminal that is never more than there were, so a text can be made safe where it lies. */
size_t fm_safe_next(enum fm_safe kind, const char **text, char safe[FM_SAFE_BYTES]);

#endif
