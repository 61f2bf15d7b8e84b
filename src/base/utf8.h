/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: reading it, how wide it is on a terminal, and whether a terminal is to be given any. */
#ifndef FM_BASE_UTF8_H
#define FM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a damaged sequence is read as; it is then one byte long. */
#define FM_UTF8_DAMAGED 0xfffdu

/* The code point at *text, and *text moved past it. */
uint32_t fm_utf8_next(const char **text);
/* Columns that it takes: 0, 1 or 2. */
size_t fm_utf8_width(uint32_t code);
/* A character, of `bytes` bytes, that cannot be shown or must not be: see safe_text.h. */
bool fm_utf8_unprintable(uint32_t code, size_t bytes);
/* Columns that a text takes; a byte that is not UTF-8, or a control character, takes one. */
size_t fm_text_width(const char *text);
/* A text cut in the middle ("abc..xyz") so that it takes no more than `columns`: the first `head` bytes of it, ".." and
 * `tail`, which is NULL when nothing is left out. */
struct fm_cut {
    size_t head, width;
    const char *tail;
};
struct fm_cut fm_text_cut(const char *text, size_t columns);
/* Whether the environment's locale (LC_ALL, LC_CTYPE, LANG) has it. The program's own setlocale does not matter. */
bool fm_utf8_locale(void);

#endif
