/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: decoding, width on a terminal, and whether the terminal expects it. */
#ifndef FM_BASE_UTF8_H
#define FM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result for an invalid sequence, of which one byte is consumed. */
#define FM_UTF8_DAMAGED 0xfffdu

/* Returns the code point at *text and advances *text. */
uint32_t fm_utf8_next(const char **text);
/* Width in columns: 0, 1 or 2. */
size_t fm_utf8_width(uint32_t code);
/* Whether a character of `bytes` bytes cannot or must not be shown: see safe_text.h. */
bool fm_utf8_unprintable(uint32_t code, size_t bytes);
/* Width of a text in columns; an invalid byte or a control character counts as one. */
size_t fm_text_width(const char *text);
/* A text shortened in the middle ("abc..xyz") to at most `columns`: its first `head` bytes, ".." and `tail`, which is
 * NULL if nothing is left out. */
struct fm_cut {
    size_t head, width;
    const char *tail;
};
struct fm_cut fm_text_cut(const char *text, size_t columns);
/* Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) is UTF-8. Does not depend on setlocale. */
bool fm_utf8_locale(void);

#endif
